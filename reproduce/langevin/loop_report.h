// Tables, figures and galleries of the loop (Algorithm 1), on damaged digits and on exact data.
#pragma once
#include "experiments/captions.h"
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

/// Reports table churn: the loop on damaged digits.
void report_churn(const Captions& captions, Report& out);

/// Reports the mixture and the Gaussian, whose densities are exact.
void report_exact(const Captions& captions, Report& out);

}  // namespace reprise::reproduce::langevin_study
