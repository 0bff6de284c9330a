// Study prernn with one more figure and one more claim. In the program the figure is a function of
// reproduce/prernn/report.cpp, and the claim is part of reproduce/prernn/claims.toml.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Returns the figure "loss_DATASET": training loss per epoch of three methods of table 1, mean
/// over seeds.
reports::Figure training_loss(const std::string& dataset);

/// Returns prernn() with training_loss("faces_in_motion") and the claim "own 7"
/// (examples/claims/traditional_rnns.toml).
Study prernn_with_additions();

}  // namespace reprise::reproduce
