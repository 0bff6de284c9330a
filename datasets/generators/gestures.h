// Dynamic hand gestures, generated: colour and depth of a hand in front of a camera, with known
// class.
//
// Twelve classes use seven motions. Ten classes form pairs, each the reverse of the other:
//
// - swipe_left, swipe_right (as seen in the picture)
// - swipe_up, swipe_down
// - push, pull
// - open, close
// - turn_clockwise, turn_counterclockwise
//
// The other two, wave and beckon, oscillate. With the same random numbers, the second class of a
// pair has exactly the frames of the first in reverse order. Only their order distinguishes the
// two.
//
// A clip of any length shows waiting, one stroke of 45 to 80 % of the clip, and waiting, with a
// trembling hand. Drawn once per clip:
//
// - start, duration and extent of the stroke
// - resting fingers
// - position, distance and tilt of the hand, and direction of the arm
// - light and background (background.h)
// - presence of the person's head and shoulders (in 70 % of the clips)
//
// Depth matches colour pixel by pixel. It is a nearness in bytes over the range 0.25 to 1.25 m:
//
//     value = round(255 (1.25 - z) / (1.25 - 0.25)) within [1, 255]
//     0: nothing nearer than 1.25 m, or no measurement
//
// A step is thus 3.9 mm. Depth has a sensor's noise, of standard deviation 2.5 mm (z / 0.5 m)^2.
// Some pixels are missing on edges deeper than 4 cm. Colour noise has a standard deviation of 2.4
// levels. The focal length is 1.2 picture sides (45 degrees of view).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.h"
#include "datasets/clips.h"

namespace reprise::datasets {

/// Range of the depth map, metres.
inline constexpr double gesture_near = 0.25, gesture_far = 1.25;

/// Returns swipe_left, swipe_right, swipe_up, swipe_down, push, pull, open, close, turn_clockwise,
/// turn_counterclockwise, wave and beckon.
const std::vector<std::string>& gesture_classes();

/// Returns, per class, the other class of its pair; wave and beckon map to themselves.
std::vector<std::int64_t> opposite_gestures();

struct GestureClip {
  at::Tensor colour;  ///< [T, S, S, 3], uint8
  at::Tensor depth;   ///< [T, S, S, 1], uint8
};

/// Renders one clip of a class by a person (hand_model.h). Random numbers do not depend on the
/// class. UsageError: the class or person does not exist; frames < 1; a size outside 8 to 2048.
GestureClip render_gesture_clip(std::int64_t label, std::int64_t person, std::int64_t frames,
                                int size, Random random);

/// Renders n clips. Each person in turn performs a round of the twelve classes, in an order drawn
/// per round. Items are named "person003/000017". Clip i draws from its own stream, so it depends
/// on neither n nor the number of threads. UsageError: as render_gesture_clip(); n < 0; the list of
/// people is empty.
LabelledClips generate_gestures(std::int64_t n, std::int64_t frames, int size,
                                const std::vector<std::int64_t>& people, std::uint64_t seed);

}  // namespace reprise::datasets
