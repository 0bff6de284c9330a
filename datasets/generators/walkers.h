// Full-body actions of a person, generated: colour, and optical flow if requested, with known
// class.
//
// Ten classes:
//
// - walk_forward, walk_backward: the second is the first in reverse order of frames
// - hurry_forward, hurry_backward: the same steps over twice the distance in the same time
// - walk_in_place: the same steps without progress
// - crouch, rise: each the reverse of the other
// - wave: one arm raised, its forearm swinging
// - hold_up: one arm raised, its forearm held at one place of the swing
// - jump: two leaps on the spot
//
// Random numbers do not depend on the class. Single frames distinguish walk from crouch, but not a
// class from its partner.
//
// A clip lasts two seconds, with any number of frames. Drawn once per clip: position and direction
// of the person, phase, speed and size of the movement, light and background (background.h, darker
// below the horizon). The picture is 3 m wide at the person, 5 m away. Colour noise has a standard
// deviation of 1.5 levels. At 64 pixels and 8 frames, hurrying moves by 5 pixels per frame. With
// fewer frames, optical flow underestimates it.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/clips.h"
#include "datasets/transforms/optical_flow.h"

namespace reprise::datasets {

/// Returns walk_forward, walk_backward, hurry_forward, hurry_backward, walk_in_place, crouch, rise,
/// wave, hold_up and jump.
const std::vector<std::string>& walker_classes();

/// Renders one clip of a class by a person (body_model.h): [frames, size, size, 3], uint8.
/// UsageError: the class or person does not exist; frames < 1; a size outside 8 to 2048.
at::Tensor render_walker_clip(std::int64_t label, std::int64_t person, std::int64_t frames,
                              int size, Random random);

/// Renders n clips. Each person in turn performs a round of the ten classes, in an order drawn per
/// round. Items are named "person003/000017". Clip i draws from its own stream, so it depends on
/// neither n nor the number of threads. Flow at frame t is the motion to frame t + 1; one more
/// frame is rendered for the last one. UsageError: as render_walker_clip() and
/// compute_flow_images(); n < 0; the list of people is empty.
LabelledClips generate_walkers(std::int64_t n, std::int64_t frames, int size,
                               const std::vector<std::int64_t>& people, std::uint64_t seed,
                               const std::optional<FlowOptions>& flow = std::nullopt);

}  // namespace reprise::datasets
