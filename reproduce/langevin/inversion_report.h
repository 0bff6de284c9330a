// Tables and figures of inversions, and of churns at one level.
#pragma once
#include "experiments/captions.h"
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

void report_inversion(const Captions& captions, Report& out);

/// Reports churns at one level, on digits and on the mixture.
void report_latent(const Captions& captions, Report& out);

/// Draws the stationary variance of churns on Gaussian data against h, for each form of the noise.
reports::Figure make_churn_bias_figure(double sigma, const Captions& captions);

}  // namespace reprise::reproduce::langevin_study
