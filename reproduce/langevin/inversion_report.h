// Tables and figures of inversions, and of churns at one level.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

void report_inversion(const Settings& settings, Report& out);

/// Reports churns at one level, on digits and on the mixture.
void report_latent(const Settings& settings, Report& out);

/// Draws the stationary variance of churns on Gaussian data against h, for each form of the noise.
reports::Figure make_churn_bias_figure(const std::string& sigma, const Settings& settings);

}  // namespace reprise::reproduce::langevin_study
