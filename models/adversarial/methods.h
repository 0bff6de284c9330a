// The registry of adversarial generators of clips: the document's method and its ablations.
#pragma once
#include <vector>

#include "models/adversarial/mocogan.h"

namespace reprise::models {

/// Lists the registered methods:
///   - mocogan: eq 6, no actions.
///   - mocogan_no_image: without D_I.
///   - mocogan_action: z_A into R_M, with labels: eq 7.
///   - mocogan_action_image: z_A into G_I.
///   - mocogan_action_no_image, mocogan_action_image_no_image: the same two without D_I (table 4 of
///     the paper).
///   - mocogan_action_half, mocogan_action_third: z_A into R_M; z_M has half, a third of the
///     d_C + d_M values.
///   - mocogan_action_told: z_A into R_M; Q learns from generated clips too.
///   - mocogan_released: the authors' release except widths and training length. It has Adam at
///     2e-4, weight decay 1e-5, a patch D_I and a decoder without extra steps. It has no penalty,
///     noise or weight averaging.
///   - mocogan_discovered: z_A into R_M, no labels: InfoGAN.
/// Each method keeps the `options` that its row does not name.
std::vector<training::GeneratorMethod> adversarial_generators(const MocoganOptions& options);

}  // namespace reprise::models
