// Model of a moving person: trunk, head, arms and legs of rings (tubes.h).
//
// Body frame, metres: the origin is the midpoint of the hips, x points ahead, y down, z to the left
// of the body. Seen from the body's right, with x to the picture's right, z points into the
// picture. Limbs move in planes of constant z. Angles count from hanging down, forwards:
//
// - 0 degrees: down
// - 90 degrees: ahead
// - 180 degrees: up
//
// A knee bends backwards, an elbow forwards.
#pragma once
#include <array>
#include <cstdint>

#include "datasets/scene/renderer.h"
#include "datasets/scene/tubes.h"

namespace reprise::datasets {

/// Figure of a person. Lengths are factors around 1.
struct BodyShape {
  float height = 1;
  float legs = 1;  ///< their fraction of the height
  float width = 1;
  float limbs = 1;  ///< their thickness
  bool long_sleeves = true;
  bool long_trousers = true;
  Colour skin{224, 178, 150};
  Colour hair{60, 42, 30};
  Colour shirt{70, 90, 140};
  Colour trousers{50, 54, 70};
  Colour shoes{40, 36, 34};
};

/// Returns the figure of person `number`, drawn from the number alone. Skin, hair and shirt are
/// those of the head with this number. UsageError: a negative number.
BodyShape body_shape(std::int64_t number);

/// Pose of a figure. Arrays hold the right limb first.
struct BodyPose {
  double x = 0, z = 5;            ///< position of the hips, metres, camera frame
  double ground = 1, height = 0;  ///< y of the ground, camera frame; height of the feet above it
  /// Degrees about the upright axis: 0 looks to the picture's right, 180 to its left.
  double turn = 0;
  double lean = 0;  ///< forward lean of the trunk, degrees
  std::array<double, 2> thigh{};
  std::array<double, 2> knee{};
  std::array<double, 2> shoulder{};
  std::array<double, 2> elbow{};
};

class BodyModel {
 public:
  /// Builds the mesh. Detail 1 has about 800 triangles, for pictures up to 96 pixels. Detail 2 has
  /// about 1800.
  BodyModel(const BodyShape& shape, int detail);
  /// Returns the figure in camera coordinates, its lower foot on the ground. Valid until the next
  /// call.
  const Mesh& place(const BodyPose& pose);

 private:
  void colour();
  void place_trunk(double lean);
  void place_arm(int side, const BodyPose& pose);
  /// Returns y of the sole.
  float place_leg(int side, const BodyPose& pose);

  BodyShape shape_;
  int limb_around_;
  int trunk_around_;
  std::uint32_t trunk_ = 0;
  std::uint32_t head_ = 0;
  std::array<std::uint32_t, 2> arms_{};
  std::array<std::uint32_t, 2> legs_{};
  std::array<std::uint32_t, 2> feet_{};
  Mesh mesh_;
};

}  // namespace reprise::datasets
