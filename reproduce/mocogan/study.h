// "System and method for content and motion controlled action video generation" (US 2018/0288431
// A1:
// Liu, Yang, Kautz, Tulyakov). The paper is "MoCoGAN: decomposing motion and content for video
// generation", CVPR 2018. A clip is a path in the latent space of pictures: its content code stays,
// and a recurrent network generates its motion codes.
//
// docs/mocogan.md explains comparisons, measures and settings.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computed numbers, stored in every record. Raise it when a cell computes other
/// numbers from the same settings and data. Finished cells of an earlier version are then stale.
inline constexpr int mocogan_version = 1;

Study mocogan();

}  // namespace reprise::reproduce
