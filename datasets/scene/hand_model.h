// Model of a moving hand: forearm, palm and five fingers of rings (tubes.h), one per person.
//
// Hand frame, metres, right hand: the origin is the wrist, x points to the thumb, y along the
// straight fingers, z out of the palm. A point q lies in the camera frame at (x, y, z) + R F q. R
// is the rotation of head poses (synthetic_head.h), and F flips y and z. At rest the palm thus
// faces the camera, the fingers point up and the thumb to the picture's right.
//
// A finger starts at its knuckle in direction d in the palm's plane and bends towards the palm, b.
// After the angles a1, a1 + a2, a1 + a2 + a3 its axis is d cos a + b sin a. A curl of 0 is
// straight. A curl of 1 is a fist, with 85 to 100 degrees at the first two joints of a finger and
// 65 degrees at the third.
#pragma once
#include <array>
#include <cstdint>

#include "datasets/scene/renderer.h"
#include "datasets/scene/tubes.h"

namespace reprise::datasets {

/// Shape of a person's hand. Lengths are factors around 1.
struct HandShape {
  float size = 1, palm = 1, thickness = 1, taper = 1;  ///< palm: its width
  std::array<float, 5> finger{1, 1, 1, 1, 1};          ///< lengths, thumb to little finger
  float sleeve = 0.05F;  ///< where the sleeve starts, metres below the wrist
  Colour skin{224, 178, 150};
  Colour nail{236, 200, 188};
  Colour cloth{70, 90, 140};
};

/// Returns the hand of person `number`, drawn from the number alone. Skin and cloth are those of
/// the head with this number. UsageError: a negative number.
HandShape hand_shape(std::int64_t number);

struct HandPose {
  double pitch = 0, yaw = 0, roll = 0;            ///< degrees, as a head's
  double x = 0, y = 0.08, z = 0.55;               ///< position of the wrist, metres, camera frame
  std::array<double, 5> curl{};                   ///< thumb to little finger, 0 to 1
  double spread = 0.3;                            ///< 0: fingers side by side; 1: fully spread
  std::array<double, 3> elbow{0.07, 0.24, 0.06};  ///< from the wrist, metres, camera frame
};

class HandModel {
 public:
  /// Builds the mesh. Detail 1 has about 1100 triangles, for pictures up to 96 pixels. Detail 2 has
  /// about 1600.
  HandModel(const HandShape& shape, int detail);
  /// Returns the hand in camera coordinates. Valid until the next call.
  const Mesh& place(const HandPose& pose);
  /// Returns the tips of the fingers in their last position, thumb to little finger, camera frame.
  const std::array<Point, 5>& tips() const { return tips_; }

 private:
  void colour_finger(int finger);
  void colour_rest();
  void place_finger(int finger, const HandPose& pose);
  void place_palm();
  void place_forearm(const Point& elbow);

  HandShape shape_;
  int finger_around_;
  int palm_around_;
  std::array<std::uint32_t, 5> fingers_{};  ///< first vertices
  std::uint32_t palm_ = 0;
  std::uint32_t forearm_ = 0;
  Mesh mesh_;
  std::array<Point, 5> tips_;
};

}  // namespace reprise::datasets
