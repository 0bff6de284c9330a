// A person that moves, seen whole: trunk, head, arms and legs of rings (tubes.h).
//
// Body frame, metres: the middle of the hips is the origin, x ahead, y down, z to its left: seen
// from its right side, with x to the picture's right, z goes into the picture. Limbs move in planes
// of constant z. An angle is counted from hanging straight down, ahead:
// 0 down, 90 ahead, 180 up; a knee bends backwards by its angle, an elbow forwards.
#pragma once
#include <array>
#include <cstdint>

#include "datasets/scene/renderer.h"
#include "datasets/scene/tubes.h"

namespace reprise::datasets {

/// What makes a person's figure. Lengths are factors around 1.
struct BodyShape {
  float height = 1, legs = 1, width = 1,
        limbs = 1;  ///< legs: their share of the height; limbs: thickness
  bool long_sleeves = true, long_trousers = true;
  Colour skin{224, 178, 150}, hair{60, 42, 30}, shirt{70, 90, 140}, trousers{50, 54, 70},
      shoes{40, 36, 34};
};

/// The figure of person `number`, drawn from the number alone; skin, hair and shirt are those of
/// the head with this number. UsageError: a negative number.
BodyShape body_shape(std::int64_t number);

/// Right limb first.
struct BodyPose {
  double x = 0, z = 5;            ///< of the hips, metres, camera frame
  double ground = 1, height = 0;  ///< y of the ground, camera frame; how high the feet are above it
  double turn =
      0;  ///< degrees about the upright axis: 0 looks to the picture's right, 180 to its left
  double lean = 0;  ///< of the trunk, degrees, ahead
  std::array<double, 2> thigh{}, knee{}, shoulder{}, elbow{};
};

class BodyModel {
 public:
  /// detail 1: about 800 triangles, for pictures up to 96 pixels; 2: about 1800.
  BodyModel(const BodyShape& shape, int detail);
  /// The figure in camera coordinates, its lower foot on the ground; valid until the next call.
  const Mesh& place(const BodyPose& pose);

 private:
  void colour();
  void place_trunk(double lean);
  void place_arm(int side, const BodyPose& pose);
  /// Returns y of the sole.
  float place_leg(int side, const BodyPose& pose);

  BodyShape shape_;
  int limb_around_, trunk_around_;
  std::uint32_t trunk_ = 0, head_ = 0;
  std::array<std::uint32_t, 2> arms_{}, legs_{}, feet_{};
  Mesh mesh_;
};

}  // namespace reprise::datasets
