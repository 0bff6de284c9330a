// Shape of a procedural head: a smooth closed-form surface from crown to shoulders, and its
// movements.
//
// Head frame, decimetres: x points to the right of a frontal picture, y up, z out of the face. The
// eyes lie at y = 0, and the axis through the ears near z = -0.1. Catmull-Rom splines join a stack
// of closed rings, each an oval with a front, a side and a back. On the front, features (nose,
// sockets, lips, cheeks, chin) are added along z. The angle around the head (0 in front, pi at the
// back) and the ring coordinate v address a point. On the face, x and y do so too.
#pragma once
#include <array>
#include <cstdint>
#include <numbers>
#include <string>

#include "core/random.h"
#include "datasets/scene/colour.h"

namespace reprise::datasets {

/// Angle around the head at its back; 0 is in front.
inline constexpr float half_turn = std::numbers::pi_v<float>;

enum class HairStyle { Bald, Cropped, Short, Curly, Bob, Long, Fringe, Receding, Bun };

/// Appearance of a person. Lengths are factors around 1 unless stated otherwise.
struct Identity {
  std::int64_t number = 0;
  float width = 1;
  float jaw = 1;
  float length = 1;
  float chin = 1;
  float cheeks = 1;
  float brow_ridge = 1;
  float nose_length = 1;
  float nose_width = 1;
  float nose_height = 1;
  float nose_hook = 0;
  float eye_size = 1;
  float eye_distance = 1;
  float eye_tilt = 0;  ///< rise of the outer corner above the eye, decimetres
  float mouth_width = 1;
  float lips = 1;
  float brow_thickness = 1;
  float brow_height = 0;  ///< shift upwards, decimetres
  float ears = 1;
  float hair_volume = 1;
  float beard = 0;    ///< 0 to 1
  float parting = 0;  ///< -1 left to 1 right
  HairStyle hair_style = HairStyle::Short;
  Colour skin{224, 178, 150};
  Colour lip_colour{188, 104, 98};
  Colour hair{60, 42, 30};
  Colour iris{92, 66, 42};
  Colour shirt{70, 90, 140};
};

/// Returns the person of this number. 0 to 9 are designed by hand to differ in shape, skin and
/// hair. Others are drawn at random from the number alone. UsageError: a negative number.
Identity identity(std::int64_t number);

/// Expression of a face, 0 at rest and 1 at its full extent. Gaze may also be negative; 1 is 25
/// degrees, x to the picture's right and y up.
struct Expression {
  double mouth_open = 0;
  double smile = 0;
  double blink = 0;
  double brow_raise = 0;
  double gaze_x = 0;
  double gaze_y = 0;
};

struct Point {
  float x = 0;
  float y = 0;
  float z = 0;
  Point operator+(const Point& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Point operator-(const Point& o) const { return {x - o.x, y - o.y, z - o.z}; }
  Point operator*(float s) const { return {x * s, y * s, z * s}; }
};

/// Lip or lid to which a point on a slit belongs.
enum class Side { Upper, Lower };

/// An angle around the head, with the terms of the skull that depend on it alone.
struct Bearing {
  explicit Bearing(float angle);
  float sine;
  float cosine;
  float to_y, to_z;  ///< fraction of the way from the side to the front or the back
};

class HeadSurface {
 public:
  HeadSurface(const Identity& identity, const Expression& expression);

  /// Coordinate v of the last ring, the lower edge of the shoulders; 0 is the crown.
  static constexpr float rings = 20;
  /// Returns the point of the skull and neck, without features.
  Point skull(const Bearing& at, float v) const;
  Point skull(float angle, float v) const { return skull(Bearing(angle), v); }
  /// Returns v, between `from` and `to`, at which the skull has height y at this angle.
  float ring_at(const Bearing& at, float y, float from = 0, float to = 16) const;
  float ring_at(float angle, float y, float from = 0, float to = 16) const {
    return ring_at(Bearing(angle), y, from, to);
  }
  /// Returns the point of the face at an angle and a height, with features and lids, without
  /// expression.
  Point at(float angle, float y) const { return features(skull(angle, ring_at(angle, y)), angle); }
  Point features(Point p, float angle) const;
  /// Returns the point on the front of the face with these x and y.
  Point front(float x, float y) const;
  /// Returns the position of a point after mouth_open, smile and brow_raise. The lids' rows contain
  /// the blink (lid()).
  Point moved(Point p, Side side) const;

  /// Returns the height of the upper or lower lid at x, blink included. Both agree outside the eye.
  float lid(float x, Side side) const;
  /// Returns the height of the line through both eye corners at x.
  float lid_line(float x) const;
  float mouth_line(float x) const;
  float lip(float x, Side side) const;  ///< thickness of a lip at x, > 0 inside the mouth's width
  float mouth_half_width() const { return 0.26F * person.mouth_width; }
  float eye_x() const { return 0.315F * person.eye_distance; }
  float eye_half() const { return 0.148F * person.eye_size; }
  Point eyeball() const {
    return {eye_x(), lid_line(eye_x()), eye_depth_};
  }  ///< centre of the right one in the picture
  static constexpr float eyeball_radius = 0.165F;
  float nose_bottom() const { return 0.05F - 0.53F * person.nose_length; }
  float brow_line(float x) const;

  const Identity person;
  const Expression expression;

 private:
  float height(const Bearing& at, float v, float y) const;  // y of skull(), from that of anybody's
  float chin_at(const Bearing& at, float y, float v) const;
  float nose(float x, float y) const;
  float relief(float x, float y) const;
  float lip_relief(float x, float y) const;
  float eye_depth_ = 0;
};

}  // namespace reprise::datasets
