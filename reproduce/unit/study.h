// "Systems and methods for image-to-image translation using variational autoencoders" (US
// 2018/0247201 A1: Liu, Breuel, Kautz; the paper of the same method is "Unsupervised image-to-image
// translation networks", NIPS 2017): images of two domains are encoded into one latent space, and a
// translation is what one domain's generator makes of the other's code.
//
// docs/unit.md says what is compared, how it is measured, and what was tried.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of what the cells compute, kept in every record. Raise it when a cell computes other
/// numbers from the same settings and data:
/// finished cells of an earlier version are then outdated and run again.
inline constexpr int unit_version = 1;

Study unit();

}  // namespace reprise::reproduce
