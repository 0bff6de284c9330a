// "Systems and methods for image-to-image translation using variational autoencoders"
// (US 2018/0247201 A1: Liu, Breuel, Kautz). The paper is "Unsupervised image-to-image translation
// networks", NIPS 2017. Images of two domains are encoded into one latent space. To translate, the
// generator of the other domain decodes the code.
//
// docs/unit.md explains comparisons, measures and settings.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// Version of the computed numbers, stored in every record. Raise it when a cell computes other
/// numbers from the same settings and data. Finished cells of an earlier version are then stale.
inline constexpr int unit_version = 1;

Study unit();

}  // namespace reprise::reproduce
