// The registry of adversarial generators of clips: the document's method and its ablations.
#pragma once
#include <vector>

#include "models/adversarial/mocogan.h"

namespace reprise::models {

/// mocogan                   eq 6, no actions
/// mocogan_no_image          without D_I
/// mocogan_action            z_A into R_M, with labels: eq 7
/// mocogan_action_image      z_A into G_I
/// mocogan_action_no_image, mocogan_action_image_no_image    the same two without D_I (table 4 of the paper)
/// mocogan_action_half, mocogan_action_third                 z_A into R_M; half, a third of the d_C + d_M values are z_M's
/// mocogan_action_told       z_A into R_M; Q learns from generated clips too
/// mocogan_released          the authors' release, to the letter but for widths and lengths of training: Adam at 2e-4 with a weight decay of
///                           1e-5, D_I of patches, decoder without extra steps; no penalty, noise or average of weights
/// mocogan_discovered        z_A into R_M, no labels: InfoGAN
/// What a row does not change of `options` stays.
std::vector<training::GeneratorMethod> adversarial_generators(const MocoganOptions& options);

}  // namespace reprise::models
