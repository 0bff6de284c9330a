// Actions of a person seen whole, generated: colour, and optical flow when asked for, with the
// class known.
//
// Ten classes:
//     walk_forward, walk_backward      the second is the first played backwards: the same frames in reverse order
//     hurry_forward, hurry_backward    the same steps, covering twice the way in the same time
//     walk_in_place                    the same steps, covering no way
//     crouch, rise                     each the other played backwards
//     wave, hold_up                    one arm raised, its forearm swinging to and fro, or held at one place of the swing
//     jump                             two leaps on the spot
// The random numbers of a clip do not depend on its class. Single frames tell walk from crouch, but
// not a class from its partner.
//
// A clip lasts two seconds, whatever its number of frames. Drawn once a clip: where the person
// stands and to which side they look, the phase, speed and size of the movement, the light, and
// what stands behind (background.h, darker below the ground's line). The picture is 3 m wide where
// the person stands, 5 m away. Colour has noise of standard deviation 1.5 levels. Of 64 pixels and
// 8 frames, hurrying is 5 pixels a frame; with fewer frames optical flow sees it as slower than it
// is.
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

/// walk_forward, walk_backward, hurry_forward, hurry_backward, walk_in_place, crouch, rise, wave,
/// hold_up, jump.
const std::vector<std::string>& walker_classes();

/// One clip of a class by a person (body_model.h): [frames, size, size, 3], uint8. UsageError: no
/// such class or person; frames < 1; a size outside 8 to 2048.
at::Tensor walker_clip(std::int64_t label, std::int64_t person, std::int64_t frames, int size,
                       Random random);

/// n clips: each person in turn plays a round of the ten classes, in an order drawn for the round;
/// clip i draws from its own stream, so it depends on neither n nor the number of threads. Flow at
/// frame t is the motion to frame t + 1; for the last one a further frame is drawn. Items
/// "person003/000017". UsageError: as walker_clip() and flow_images(); n < 0; nobody in the list.
LabelledClips walkers(std::int64_t n, std::int64_t frames, int size,
                      const std::vector<std::int64_t>& people, std::uint64_t seed,
                      const std::optional<FlowOptions>& flow = std::nullopt);

}  // namespace reprise::datasets
