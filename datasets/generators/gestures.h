// Dynamic hand gestures, generated: colour and depth of a hand before a camera, with the class
// known.
//
// Twelve classes of seven motions. Ten are pairs of which each is the other played backwards:
// swipe_left / swipe_right, swipe_up / swipe_down (as seen in the picture), push / pull, open /
// close, turn_clockwise / turn_counterclockwise; wave and beckon go to and fro. A clip of a pair's
// second class, from the same random numbers, has exactly the frames of the first in reverse order:
// only their order tells the two apart.
//
// A clip shows, whatever its number of frames: waiting, one stroke of 45 to 80 % of the clip,
// waiting, all with a trembling hand. Drawn once a clip: when the stroke starts and how long it
// takes, how far it goes, the resting fingers, place, distance and tilt of the hand, the arm's
// direction, the light, what stands behind (background.h), and in 70 % of the clips the head and
// shoulders of the same person.
//
// Depth is that of the same picture, pixel for pixel, as 8-bit nearness over the range 0.25 to 1.25
// m:
//     value = round(255 (1.25 - z) / (1.25 - 0.25)) within [1, 255]; 0: nothing nearer than 1.25 m, or no measurement
// so a step is 3.9 mm. Like a sensor's it has noise of standard deviation 2.5 mm (z / 0.5 m)^2 and
// drops a part of the pixels on edges deeper than 4 cm. Colour has noise of standard deviation 2.4
// levels. The focal length is 1.2 picture sides (45 degrees of view).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/clips.h"

namespace reprise::datasets {

inline constexpr double gesture_near = 0.25, gesture_far = 1.25;  ///< of the depth map, metres

/// swipe_left, swipe_right, swipe_up, swipe_down, push, pull, open, close, turn_clockwise,
/// turn_counterclockwise, wave, beckon.
const std::vector<std::string>& gesture_classes();

/// Of each class the other of its pair; wave and beckon are their own.
std::vector<std::int64_t> opposite_gestures();

struct GestureClip {
  at::Tensor colour;  ///< [T, S, S, 3], uint8
  at::Tensor depth;   ///< [T, S, S, 1], uint8
};

/// One clip of a class by a person (hand_model.h). The draws do not depend on the class.
/// UsageError: no such class or person; frames < 1; a size outside 8 to 2048.
GestureClip gesture_clip(std::int64_t label, std::int64_t person, std::int64_t frames, int size,
                         Random random);

/// n clips: each person in turn plays a round of the twelve classes, in an order drawn for the
/// round; clip i draws from its own stream, so it depends on neither n nor the number of threads.
/// Items "person003/000017". UsageError: as gesture_clip(); n < 0; nobody in the list.
LabelledClips gestures(std::int64_t n, std::int64_t frames, int size,
                       const std::vector<std::int64_t>& people, std::uint64_t seed);

}  // namespace reprise::datasets
