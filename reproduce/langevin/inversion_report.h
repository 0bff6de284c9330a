// What the study shows of inversions, and of churns at one level.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

void report_inversion(const Settings& settings, Report& out);

/// Churns at one level, on digits and on the mixture.
void report_latent(const Settings& settings, Report& out);

/// What many churns end in on Gaussian data, against h, for every form of the noise.
reports::Figure churn_bias(const std::string& sigma, const Settings& settings);

}  // namespace reprise::reproduce::langevin_study
