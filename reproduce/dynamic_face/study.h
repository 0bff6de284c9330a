// Document dynamic_face: from Bayesian filters to recurrent networks (US 10,373,332 B2; Gu, Yang,
// De Mello, Kautz, CVPR 2017).
//
// Heads that follow motion tracks are estimated frame by frame, and then filtered (Kalman,
// particle), tracked by a recurrent network on the estimates, or estimated and tracked by one
// network whose fully connected layers became recurrent (eq 4, 5).
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of what the cells compute, kept in every record. Raise it when a cell computes other
/// numbers from the same settings and data:
/// finished cells of an earlier version are then outdated and run again.
inline constexpr int dynamic_face_version = 1;

Study dynamic_face();

}  // namespace reprise::reproduce
