// "System and method for content and motion controlled action video generation" (US 2018/0288431
// A1: Liu, Yang, Kautz, Tulyakov; the paper is "MoCoGAN: decomposing motion and content for video
// generation", CVPR 2018): a clip is a path in the latent space of pictures, whose content stays
// and whose motion a recurrent network draws.
//
// docs/mocogan.md says what is compared, how it is measured, and what was tried before a generator
// worked on two cores.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of what the cells compute, kept in every record. Raise it when a cell computes other
/// numbers from the same settings and data:
/// finished cells of an earlier version are then outdated and run again.
inline constexpr int mocogan_version = 1;

Study mocogan();

}  // namespace reprise::reproduce
