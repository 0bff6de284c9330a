#include "datasets/scene/head_surface.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace reprise::datasets {
namespace {

/// One ring of the skull, decimetres in the head frame (scene/head_surface.h).
struct HeadRing {
  float y_front, y_side, y_back;  // height of the ring in front, at the side, behind
  float half_width;
  float z_side;
  float z_front;
  float z_back;
};

// Rings from the crown (v = 0) to below the shoulders (v = 20). They agree with measured adult
// heads: length 19.5 cm, breadth 15.2 cm. The bizygomatic breadth is 13.7 cm and the face is 12 cm
// high.
constexpr std::array<HeadRing, 21> rings{{{1.16F, 1.16F, 1.16F, 0.00F, -0.14F, -0.14F, -0.14F},
                                          {1.12F, 1.12F, 1.12F, 0.32F, -0.14F, 0.24F, -0.52F},
                                          {0.98F, 0.98F, 0.97F, 0.565F, -0.14F, 0.54F, -0.82F},
                                          {0.74F, 0.74F, 0.72F, 0.70F, -0.14F, 0.74F, -1.01F},
                                          {0.46F, 0.46F, 0.44F, 0.745F, -0.14F, 0.815F, -1.07F},
                                          {0.20F, 0.20F, 0.18F, 0.745F, -0.13F, 0.825F, -1.06F},
                                          {0.00F, 0.00F, -0.02F, 0.735F, -0.12F, 0.80F, -1.00F},
                                          {-0.24F, -0.24F, -0.24F, 0.71F, -0.10F, 0.80F, -0.90F},
                                          {-0.47F, -0.45F, -0.44F, 0.665F, -0.08F, 0.795F, -0.78F},
                                          {-0.68F, -0.62F, -0.60F, 0.62F, -0.06F, 0.79F, -0.70F},
                                          {-0.88F, -0.76F, -0.72F, 0.575F, -0.04F, 0.755F, -0.65F},
                                          {-1.05F, -0.86F, -0.82F, 0.53F, -0.03F, 0.74F, -0.62F},
                                          {-1.15F, -0.93F, -0.90F, 0.49F, -0.04F, 0.65F, -0.60F},
                                          {-1.16F, -1.00F, -1.00F, 0.455F, -0.08F, 0.42F, -0.58F},
                                          {-1.22F, -1.15F, -1.12F, 0.43F, -0.14F, 0.24F, -0.57F},
                                          {-1.45F, -1.42F, -1.35F, 0.43F, -0.17F, 0.20F, -0.58F},
                                          {-1.78F, -1.68F, -1.58F, 0.52F, -0.20F, 0.21F, -0.64F},
                                          {-1.95F, -1.80F, -1.75F, 0.98F, -0.22F, 0.28F, -0.70F},
                                          {-2.15F, -2.00F, -1.95F, 1.55F, -0.22F, 0.42F, -0.74F},
                                          {-2.60F, -2.50F, -2.40F, 1.85F, -0.20F, 0.52F, -0.76F},
                                          {-4.60F, -4.60F, -4.60F, 1.95F, -0.20F, 0.52F, -0.76F}}};

// Uniform Catmull-Rom spline between b (t = 0) and c (t = 1).
float interpolate(float a, float b, float c, float d, float t) {
  return b + 0.5F * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}

// Above the crown the rings continue as their mirror image with half-widths of opposite sign, so
// that the pole is round.
constexpr HeadRing beyond_crown = [] {
  auto ring = rings[1];
  ring.half_width = -ring.half_width;
  std::swap(ring.z_front, ring.z_back);
  return ring;
}();

// Ring at v: its position between stored rings, and its measures, computed on demand.
class RingAt {
 public:
  explicit RingAt(float v) {
    constexpr int last = static_cast<int>(rings.size()) - 1;
    const float at = std::clamp(v, 0.0F, static_cast<float>(last));
    // The last ring belongs to the last interval, at t = 1.
    const int i = std::min(static_cast<int>(at), last - 1);
    t_ = at - static_cast<float>(i);
    a_ = i == 0 ? &beyond_crown : &rings[i - 1];
    b_ = &rings[i];
    c_ = &rings[i + 1];
    d_ = &rings[std::min(i + 2, last)];
  }
  float operator()(float HeadRing::*field) const {
    return interpolate(a_->*field, b_->*field, c_->*field, d_->*field, t_);
  }

 private:
  const HeadRing* a_;
  const HeadRing* b_;
  const HeadRing* c_;
  const HeadRing* d_;
  float t_;
};

float ring_height(const RingAt& ring, const Bearing& at) {
  // A ring is not level: its height runs from the side to the front or to the back.
  const float side = ring(&HeadRing::y_side);
  const float end = ring(at.cosine > 0 ? &HeadRing::y_front : &HeadRing::y_back);
  return side + (end - side) * at.to_y;
}

// Piecewise cubic through (x, value) knots with falling x; flat beyond both ends.
float interpolate_profile(std::span<const std::array<float, 2>> knots, float x) {
  if (x >= knots.front()[0]) return knots.front()[1];
  for (std::size_t i = 0; i + 1 < knots.size(); ++i)
    if (x >= knots[i + 1][0]) {
      const auto value = [&](std::ptrdiff_t k) {
        return knots[std::clamp<std::ptrdiff_t>(k, 0, std::ssize(knots) - 1)][1];
      };
      const auto k = static_cast<std::ptrdiff_t>(i);
      return interpolate(value(k - 1), value(k), value(k + 1), value(k + 2),
                         (knots[i][0] - x) / (knots[i][0] - knots[i + 1][0]));
    }
  return knots.back()[1];
}

// Smooth maximum of a and b, rounded over the width k.
float smooth_max(float a, float b, float k) {
  const float h = std::max(k - std::abs(a - b), 0.0F) / k;
  return std::max(a, b) + h * h * k / 4;
}

// Finds the zero of a function that falls from `low` to `high`. Stops if the value is within
// `tolerance` of 0. Regula falsi with the Illinois rule: halve the value at an end that stays.
// Returns an end if there is no zero.
template <typename Function>
float find_zero(const Function& function, float low, float high, float tolerance) {
  float at_low = function(low);
  float at_high = function(high);
  if (at_low <= 0) return low;
  if (at_high >= 0) return high;
  int stayed = 0;  // > 0 the high end, < 0 the low one
  for (int i = 0; i < 40; ++i) {
    const float middle = low + (high - low) * (at_low / (at_low - at_high));
    const float value = function(middle);
    if (std::abs(value) <= tolerance) return middle;
    if (value > 0) {
      low = middle;
      at_low = value;
      if (stayed > 0) at_high /= 2;
      stayed = 1;
    } else {
      high = middle;
      at_high = value;
      if (stayed < 0) at_low /= 2;
      stayed = -1;
    }
  }
  return (low + high) / 2;
}

}  // namespace

HeadSurface::HeadSurface(const Identity& identity, const Expression& expression_)
    : person(identity), expression(expression_) {
  // The eyeball's depth lets its lids stand out of the socket by about half a millimetre.
  // front() needs an eye depth. This one is too far back for the eyeball to lift the lids.
  eye_depth_ = -10;
  eye_depth_ = front(eye_x(), lid_line(eye_x())).z + 0.055F - eyeball_radius;
}

Bearing::Bearing(float angle) : sine(std::sin(angle)), cosine(std::cos(angle)) {
  // The exponents shape the oval: below 1 the front is broader than an ellipse.
  const float away = std::abs(cosine);
  to_y = std::pow(away, 1.4F);
  to_z = cosine > 0 ? std::pow(away, 0.88F) : away;
}

// Chin: changes the length below the mouth and the protrusion.
float HeadSurface::chin_at(const Bearing& at, float y, float v) const {
  return smooth_step(-y, 0.75F, 1.1F) * (1 - smooth_step(v, 12.5F, 14)) *
         smooth_step(at.cosine, 0.2F, 0.9F);
}

float HeadSurface::height(const Bearing& at, float v, float y) const {
  // A longer chin moves the points below the mouth down; the neck stays.
  y -= 0.16F * (person.chin - 1) * chin_at(at, y, v);
  return y * (y < 0 && v < 13 ? 1 + (person.length - 1) * (1 - smooth_step(v, 11, 13)) : 1);
}

Point HeadSurface::skull(const Bearing& at, float v) const {
  const RingAt ring(v);
  const float y = ring_height(ring, at);
  const float z_side = ring(&HeadRing::z_side);
  const float z_end = ring(at.cosine > 0 ? &HeadRing::z_front : &HeadRing::z_back);
  // Person: face width, and jaw width from the cheekbones down to the neck.
  // Both factors fade along the neck, so that all people share the shoulders.
  const float jaw = smooth_step(-y, 0.25F, 0.85F) * (1 - smooth_step(v, 12.5F, 15));
  const float head = 1 - smooth_step(v, 14, 16);
  Point p;
  p.x = ring(&HeadRing::half_width) * at.sine * (1 + (person.width - 1) * head) *
        (1 + (person.jaw - 1) * jaw);
  p.y = height(at, v, y);
  p.z = z_side + (z_end - z_side) * at.to_z + 0.12F * (person.chin - 1) * chin_at(at, y, v);
  return p;
}

float HeadSurface::ring_at(const Bearing& at, float y, float from, float to) const {
  // Heights fall from ring to ring, as find_zero() requires.
  return find_zero([&](float v) { return height(at, v, ring_height(RingAt(v), at)) - y; }, from, to,
                   1e-6F);
}

Point HeadSurface::front(float x, float y) const {
  // The angle with the wanted x is searched; the height is kept by choosing the ring.
  const auto place = [&](float angle) {
    const Bearing at(angle);
    return skull(at, ring_at(at, y, 0, 13));
  };
  const float angle =
      find_zero([&](float a) { return std::abs(x) - place(a).x; }, 0, half_turn / 2, 1e-5F);
  auto p = place(angle);
  p.x = x;
  p.y = y;
  return features(p, std::copysign(angle, x));
}

float HeadSurface::lid_line(float x) const {
  return person.eye_tilt * std::clamp((std::abs(x) - eye_x()) / eye_half(), -1.0F, 1.0F);
}

float HeadSurface::lid(float x, Side side) const {
  // 0 at the inner corner of the eye, 1 at the outer one.
  const float inside = (std::abs(x) - eye_x()) / eye_half() * 0.5F + 0.5F;
  const float line = lid_line(x);
  if (inside <= 0 || inside >= 1) return line;
  // The upper lid is highest a little towards the nose, the lower lid lowest a little towards the
  // ear.
  const float high =
      0.068F * person.eye_size * std::pow(std::sin(half_turn * std::pow(inside, 0.88F)), 0.75F);
  const float low =
      -0.042F * person.eye_size * std::pow(std::sin(half_turn * std::pow(inside, 1.15F)), 0.85F);
  const auto blink = static_cast<float>(expression.blink);
  const auto smile = static_cast<float>(expression.smile);
  // A blink lowers the upper lid onto the lower one; a smile narrows the eye.
  const float lower = low * (1 - 0.25F * blink - 0.2F * smile);
  return line + (side == Side::Lower ? lower : high + blink * (lower - high));
}

float HeadSurface::brow_line(float x) const {
  // 0 at the brow's inner end, 1 at its outer one.
  const float t = std::clamp((std::abs(x) - 0.1F) / 0.44F, 0.0F, 1.0F);
  return 0.205F + person.brow_height + 0.06F * std::sin(half_turn * std::pow(t, 1.3F)) - 0.035F * t;
}

float HeadSurface::mouth_line(float x) const {
  const float t = std::abs(x) / mouth_half_width();
  // The line between closed lips: a small bow in the middle, and falling corners.
  return nose_bottom() - 0.21F * person.length + 0.012F * bell(t / 0.3F) -
         0.006F * std::min(t * t, 1.5F);
}

float HeadSurface::lip(float x, Side side) const {
  const float t = std::min(std::abs(x) / mouth_half_width(), 1.0F);
  const float round = 1 - t * t;
  if (side == Side::Lower) return person.lips * 0.098F * std::pow(round, 0.65F);
  // The upper lip has the notch of Cupid's bow in its middle.
  return person.lips * 0.078F * std::pow(round, 0.85F) * (1 - 0.2F * bell(t / 0.13F));
}

// Returns the protrusion of the nose at (x, y).
float HeadSurface::nose(float x, float y) const {
  const float t = (0.05F - y) / person.nose_length;  // 0 at the root, 0.53 at the lip
  // Profile of the ridge: (-t, protrusion in decimetres), from the root to the upper lip.
  constexpr std::array<std::array<float, 2>, 10> ridge{{{0.12F, 0},
                                                        {0.02F, 0.015F},
                                                        {-0.07F, 0.05F},
                                                        {-0.17F, 0.11F},
                                                        {-0.29F, 0.185F},
                                                        {-0.38F, 0.25F},
                                                        {-0.43F, 0.262F},
                                                        {-0.48F, 0.215F},
                                                        {-0.515F, 0.09F},
                                                        {-0.55F, 0}}};
  const float hook = person.nose_hook * 0.04F * bell((t - 0.2F) / 0.07F);
  const float wide =
      (0.048F + 0.036F * smooth_step(t, 0.15F, 0.42F)) * (0.4F + 0.6F * person.nose_width);
  const float height = interpolate_profile(ridge, -t) * person.nose_height + hook;
  // Across the ridge the height falls like a bell that is wider at its foot.
  const float across = std::abs(x) / wide;
  const float slope = 1 / (1 + std::pow(across, 4) * 0.16F + across * across * 0.22F);
  const float wing_x = (std::abs(x) - 0.118F * person.nose_width) / 0.05F;
  const float wing_y = (t - 0.46F) / (t > 0.46F ? 0.038F : 0.062F);
  const float wing = 0.105F * bell(wing_x) * bell(wing_y);
  const float nostril = -0.035F * bell((std::abs(x) - 0.062F * person.nose_width) / 0.026F) *
                        bell((t - 0.515F) / 0.02F);
  return height * slope * (1 - smooth_step(across, 3, 4.5F)) + wing + nostril;
}

float HeadSurface::lip_relief(float x, float y) const {
  const float t = std::abs(x) / mouth_half_width();
  if (t > 1.15F) return 0;
  const float line = mouth_line(x);
  const float edge = 0.03F;
  const bool upper = y > line;
  // Relative distance from the slit: 0 there, 1 at the lip's outer edge.
  const float full = lip(x, upper ? Side::Upper : Side::Lower) + edge;
  const float s = std::abs(y - line) / full;
  const float round = std::pow(std::max(0.0F, 1 - t * t / 1.3F), 0.6F) * person.lips;
  // Where the lip is thickest: the exponent moves the maximum of the sine.
  const float bend = upper ? 0.75F : 0.6F;
  const float bulge = s < 1 ? std::pow(std::sin(half_turn * std::pow(s, bend)), 0.8F) : 0.0F;
  return (upper ? 0.038F : 0.05F) * bulge * round;
}

// Relief of the front without nose and lips: smooth bumps of (amplitude, place, width).
float HeadSurface::relief(float x, float y) const {
  const float ax = std::abs(x);
  const float mouth = mouth_line(0);
  const auto bump = [&](float px, float py, float sx, float sy) {
    return bell((ax - px) / sx) * bell((y - py) / sy);
  };
  float z = -0.135F * bump(eye_x() * 0.97F, 0.01F, 0.15F, 0.105F);  // socket
  z -= 0.055F * bump(0.13F, 0.03F, 0.06F, 0.1F);                    // next to the root of the nose
  z += 0.05F * person.brow_ridge * bump(0.27F, 0.2F, 0.18F, 0.065F);        // brow ridge
  z += 0.06F * (person.cheeks - 0.2F) * bump(0.43F, -0.24F, 0.15F, 0.14F);  // cheekbone
  z -= 0.04F * (2 - person.cheeks) * bump(0.44F, -0.62F, 0.14F, 0.17F);     // hollow below it
  z -= 0.03F * bump(0.27F, -0.5F, 0.06F, 0.11F);       // fold from nose to mouth
  z += 0.055F * bump(0, mouth + 0.02F, 0.22F, 0.13F);  // the teeth behind the lips
  z -= 0.018F * bump(0, (nose_bottom() + mouth + 0.07F) / 2, 0.025F, 0.05F);  // philtrum
  z -= 0.05F * bump(0, mouth - 0.175F, 0.18F, 0.04F);                         // below the lower lip
  z += 0.05F * bump(0, mouth - 0.34F, 0.17F, 0.1F);                           // chin
  return z;
}

Point HeadSurface::features(Point p, float angle) const {
  // Features belong to the front. They fade out before the ear, where z no longer points outwards.
  const float facing = smooth_step(std::cos(angle), 0.02F, 0.4F);
  if (facing == 0 || p.y > 0.75F || p.y < -1.4F) return p;
  p.z += facing * (relief(p.x, p.y) + nose(p.x, p.y) + lip_relief(p.x, p.y));
  // The lids lie on the eyeball.
  const auto ball = eyeball();
  const float dx = std::abs(p.x) - ball.x;
  const float dy = p.y - ball.y;
  const float reach = eyeball_radius + 0.014F;
  const float under = reach * reach - dx * dx - dy * dy;
  if (under > 0) p.z = smooth_max(p.z, ball.z + std::sqrt(under), 0.03F);
  return p;
}

Point HeadSurface::moved(Point p, Side side) const {
  const float ax = std::abs(p.x);
  const float t = ax / mouth_half_width();
  const float line = mouth_line(p.x);
  const auto open = static_cast<float>(expression.mouth_open);
  const auto smile = static_cast<float>(expression.smile);
  const auto raise = static_cast<float>(expression.brow_raise);
  // Fraction of the jaw's rotation: 1 below the mouth, 0 above; both lips meet half-way at the
  // corners.
  const float inner = 1 - std::min(t * t, 1.0F);
  const float corner = smooth_step(line - p.y, -0.16F, 0.16F);
  const float own = side == Side::Lower ? 1 - (1 - corner) * (1 - inner) : corner * (1 - inner);
  // Neither the back of the head nor the throat moves with the jaw.
  const float face = smooth_step(p.z, -0.15F, 0.25F) *
                     (1 - smooth_step(-p.y, 1.16F * person.length, 1.3F * person.length));
  // An open mouth turns the jaw by up to 0.26 rad (15 degrees).
  const float turn = 0.26F * open * own * face;
  Point q = p;
  const float dy = p.y + 0.25F, dz = p.z - 0.0F;  // the hinge is below the ear
  q.y += dy * (std::cos(turn) - 1) - dz * std::sin(turn);
  q.z += dz * (std::cos(turn) - 1) + dy * std::sin(turn);
  // The corners of an open mouth approach each other.
  q.x *= 1 - 0.08F * open * bell((t - 1) / 0.6F) * bell((p.y - line) / 0.12F);

  const float at_corner =
      bell((t - 1) / 0.45F) * bell((p.y - line) / 0.14F) * smooth_step(p.z, 0, 0.3F);
  const float at_cheek =
      bell((ax - 0.4F) / 0.12F) * bell((p.y + 0.32F) / 0.14F) * smooth_step(p.z, 0, 0.3F);
  // A smile moves the corners out, up and back, and lifts the cheeks.
  q.x += std::copysign(0.065F * smile * at_corner, p.x) * std::min(1.0F, t * 2);
  q.y += smile * (0.075F * at_corner + 0.03F * at_cheek);
  q.z += smile * (-0.05F * at_corner + 0.035F * at_cheek);
  // Raised brows take the skin around them with them.
  q.y += 0.085F * raise * bell((p.y - 0.24F) / 0.11F) * smooth_step(p.z, 0, 0.3F);
  return q;
}

}  // namespace reprise::datasets
