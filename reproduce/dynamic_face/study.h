// Document dynamic_face: from Bayesian filters to recurrent networks. Sources: patent US 10,373,332
// B2; Gu, Yang, De Mello, Kautz, CVPR 2017.
//
// The pose of moving heads is estimated in three ways:
// - Per-frame estimates, smoothed by a Kalman or particle filter.
// - Per-frame estimates, smoothed by a recurrent network.
// - One network whose fully connected layers became recurrent (eq 4, 5).
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computation, stored in every record. Raise it when a cell computes other numbers
/// from the same settings and data. Cells of an earlier version become stale and run again.
inline constexpr int dynamic_face_version = 1;

Study dynamic_face();

}  // namespace reprise::reproduce
