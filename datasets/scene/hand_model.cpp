#include "datasets/scene/hand_model.h"

#include <algorithm>
#include <numbers>

#include "core/random.h"
#include "datasets/scene/colour.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

// Rings per tube: see the order in place_finger(), palm_plan and place_forearm().
constexpr int finger_rings = 11;
constexpr int palm_rings = 8;
constexpr int forearm_rings = 6;
constexpr float degrees = std::numbers::pi_v<float> / 180;

struct FingerPlan {
  float x, y, z;                 // knuckle, metres
  std::array<float, 3> lengths;  // of the bones
  float radius;
  float fan, spread;           // degrees from y towards the thumb: always, and at full spread
  std::array<float, 3> bends;  // degrees at curl 1
};

// Means of adult hands, rounded.
// Order: thumb, index, middle, ring, little finger.
constexpr std::array<FingerPlan, 5> plans{
    {{0.020F, 0.022F, 0.006F, {0.046F, 0.034F, 0.028F}, 0.0108F, 26, 26, {26, 38, 45}},
     {0.0305F, 0.094F, 0, {0.041F, 0.024F, 0.021F}, 0.0088F, 2, 12, {85, 100, 65}},
     {0.0105F, 0.099F, 0, {0.045F, 0.028F, 0.022F}, 0.0090F, 0, 2, {85, 100, 65}},
     {-0.0095F, 0.095F, 0, {0.042F, 0.026F, 0.022F}, 0.0086F, -2, -9, {85, 100, 65}},
     {-0.0285F, 0.084F, 0, {0.033F, 0.019F, 0.019F}, 0.0076F, -5, -20, {85, 100, 65}}}};

// Rings of the palm from the wrist to the knuckles: position, half-widths wide and deep, middle,
// lean.
struct PalmRing {
  float y;
  float wide;
  float deep;
  float x;
  float lean;
};
constexpr std::array<PalmRing, palm_rings> palm_plan{{{-0.006F, 0.0270F, 0.0185F, 0, 0},
                                                      {0.016F, 0.0310F, 0.0185F, 0.001F, 0},
                                                      {0.042F, 0.0385F, 0.0175F, 0.002F, 0},
                                                      {0.068F, 0.0410F, 0.0150F, 0.001F, 0},
                                                      {0.086F, 0.0400F, 0.0125F, 0.001F, 0.1F},
                                                      {0.097F, 0.0360F, 0.0100F, 0.002F, 0.4F},
                                                      {0.102F, 0.0260F, 0.0060F, 0.004F, 0.8F},
                                                      {0.104F, 0, 0, 0.005F, 1}}};

Colour scale_colour(const Colour& c, float s) { return {c[0] * s, c[1] * s, c[2] * s}; }

/// Returns the skin's colour at an angle around a tube whose back of the hand is at sin = 1. The
/// palm is lighter, the flanks are darker.
Colour skin_colour(const Colour& skin, float c, float s) {
  const Colour palm = mix_colours(skin, Colour{238, 186, 166}, 0.35F);
  return scale_colour(mix_colours(palm, skin, 0.5F + 0.5F * s), 1 - 0.3F * c * c);
}

}  // namespace

HandShape hand_shape(std::int64_t number) {
  const auto who = identity(number);
  auto random = Random(static_cast<std::uint64_t>(number)).split("hand");
  const auto about = [&](double spread) {
    return static_cast<float>(random.uniform(1 - spread, 1 + spread));
  };
  HandShape shape;
  shape.size = about(0.12);
  shape.palm = about(0.1);
  shape.thickness = about(0.16);
  shape.taper = about(0.08);
  const float longer = about(0.1);
  for (auto& length : shape.finger) length = longer * about(0.06);
  shape.sleeve = static_cast<float>(random.uniform(0.01, 0.12));
  shape.skin = who.skin;
  // Appearance comes from the head of the same number, so that a person's hand and face agree.
  shape.nail = mix_colours(who.skin, Colour{250, 214, 206}, 0.5F);
  shape.cloth = who.shirt;
  return shape;
}

HandModel::HandModel(const HandShape& shape, int detail)
    : shape_(shape), finger_around_(detail == 1 ? 8 : 12), palm_around_(detail == 1 ? 14 : 20) {
  std::uint32_t next = 0;
  const auto take = [&](int rings, int around) { return add_tube(mesh_, next, rings, around); };
  // The order of the tubes fixes the vertices' numbers; shapes differ in positions only.
  for (auto& first : fingers_) first = take(finger_rings, finger_around_);
  palm_ = take(palm_rings, palm_around_);
  forearm_ = take(forearm_rings, palm_around_);
  mesh_.resize(next);
  for (int finger = 0; finger < 5; ++finger) colour_finger(finger);
  colour_rest();
}

void HandModel::colour_finger(int finger) {
  for (int ring = 0; ring < finger_rings; ++ring)
    for (int k = 0; k < finger_around_; ++k) {
      const float angle =
          360 * degrees * static_cast<float>(k) / static_cast<float>(finger_around_);
      const float c = std::cos(angle);
      const float s = std::sin(angle);
      auto colour = skin_colour(shape_.skin, c, s);
      // Rings 3 and 5 lie at the second and third joint; the skin is darker there.
      const bool joint = ring == 3 || ring == 5;
      if (joint) colour = scale_colour(colour, 0.86F);
      // The nail lies on the back of each finger; the thumb's back faces sideways, so one rule
      // serves all.
      const bool nail = ring >= 7 && ring <= 9 && s > 0.6F;
      if (nail) colour = shape_.nail;
      paint(mesh_,
            fingers_[static_cast<std::size_t>(finger)] +
                static_cast<std::uint32_t>(ring * finger_around_ + k),
            colour, nail ? 0.8F : 0.25F);
    }
}

void HandModel::colour_rest() {
  for (int k = 0; k < palm_around_; ++k) {
    const float angle = 360 * degrees * static_cast<float>(k) / static_cast<float>(palm_around_);
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    for (int ring = 0; ring < palm_rings; ++ring) {
      auto colour = skin_colour(shape_.skin, 0.6F * c, s);
      if (ring == 4 && s < 0) colour = scale_colour(colour, 0.93F);  // the palm's creases
      if (ring == 2 && s < -0.7F) colour = scale_colour(colour, 0.9F);
      paint(mesh_, palm_ + static_cast<std::uint32_t>(ring * palm_around_ + k), colour, 0.2F);
    }
    for (int ring = 0; ring < forearm_rings; ++ring) {
      // Rings 2 and 3 lie at the sleeve's edge, one on the skin and one on the cloth.
      const bool sleeve = ring >= 3;
      auto colour = skin_colour(shape_.skin, 0.5F * c, -s);
      // The sleeve's edge is darker.
      if (sleeve) colour = scale_colour(shape_.cloth, ring == 3 ? 0.75F : 1.0F);
      paint(mesh_, forearm_ + static_cast<std::uint32_t>(ring * palm_around_ + k), colour,
            sleeve ? 0.0F : 0.2F);
    }
  }
}

void HandModel::place_finger(int finger, const HandPose& pose) {
  const auto f = static_cast<std::size_t>(finger);
  const auto& plan = plans[f];
  const bool thumb = finger == 0;
  const auto curl = static_cast<float>(pose.curl[f]);
  const auto spread = static_cast<float>(pose.spread);
  // Curled fingers lie next to each other, so the spread vanishes with the curl.
  const float fan = (plan.fan + plan.spread * spread * (1 - (thumb ? 0.8F : 0.9F) * curl) -
                     (thumb ? 24 * curl : 0)) *
                    degrees;
  // The thumb lies in front of the palm and folds across it.
  const float fore = thumb ? (10 + 34 * curl) * degrees : 0;
  const Point ahead{std::sin(fan) * std::cos(fore), std::cos(fan) * std::cos(fore), std::sin(fore)};
  const Point towards =
      thumb ? Point{-0.8F, 0.1F, 0.45F} : Point{-0.12F * static_cast<float>(finger == 4), 0, 1};
  // Gram-Schmidt: the direction of bending is made orthogonal to the finger.
  const Point bend = unit(towards - ahead * dot(towards, ahead));
  const Point side = cross(ahead, bend);
  const float radius = plan.radius * shape_.thickness * shape_.size;
  const float stretch = shape_.finger[f] * shape_.size;
  const Point knuckle{plan.x * shape_.palm * shape_.size, plan.y * shape_.size,
                      plan.z * shape_.size};
  Point at = knuckle;
  float angle = 0;
  auto vertex = fingers_[f];
  const auto ring = [&](const Point& centre, float turned, float thick, float lean) {
    // The whole finger bends in one plane, spanned by `ahead` and `bend`.
    const Point axis = ahead * std::cos(turned) + bend * std::sin(turned);
    place_ring(mesh_, vertex, finger_around_,
               {centre, axis, side, radius * thick, radius * thick * 0.95F, lean});
    vertex += static_cast<std::uint32_t>(finger_around_);
  };
  const float narrow = shape_.taper;
  // Thickness at the beginning and the middle of each bone, in radii.
  const std::array<std::array<float, 2>, 3> thick{
      {{thumb ? 1.45F : 1.1F, thumb ? 1.25F : 1.0F}, {1.04F, 0.96F}, {0.97F, 0.9F}}};
  // The first ring lies inside the palm and hides the tube's open end.
  ring(at - ahead * (0.9F * radius), 0, thumb ? 1.2F : 0.85F, -0.2F);
  for (int bone = 0; bone < 3; ++bone) {
    const auto b = static_cast<std::size_t>(bone);
    const float turn = plan.bends[b] * curl * degrees;
    const float thin = bone == 0 ? 1 : narrow;
    // The ring at a joint is tilted by half the bend, so that the tube keeps its thickness.
    ring(at, angle + turn / 2, thick[b][0] * thin, 0);
    angle += turn;
    const Point axis = ahead * std::cos(angle) + bend * std::sin(angle);
    const float length = plan.lengths[b] * stretch;
    ring(at + axis * (length * 0.5F), angle, thick[b][1] * thin, 0);
    if (bone == 2) {
      // Four rings close the fingertip; `lean` tilts their normals towards the tip.
      const float end = length + 0.25F * radius;
      ring(at + axis * (end - 0.85F * radius), angle, 0.86F * narrow, 0.15F);
      ring(at + axis * (end - 0.4F * radius), angle, 0.72F * narrow, 0.5F);
      ring(at + axis * (end - 0.1F * radius), angle, 0.42F * narrow, 0.85F);
      ring(at + axis * end, angle, 0, 1);
      tips_[f] = at + axis * end;
    }
    at = at + axis * length;
  }
}

void HandModel::place_palm() {
  const float s = shape_.size;
  auto vertex = palm_;
  // At sin = 1 lies axis x side = y x x = -z: the back of the hand, as on the fingers.
  for (const auto& ring : palm_plan) {
    place_ring(mesh_, vertex, palm_around_,
               {{ring.x * s, ring.y * s, 0},
                {0, 1, 0},
                {1, 0, 0},
                ring.wide * s * shape_.palm,
                ring.deep * s * (0.5F + 0.5F * shape_.thickness),
                ring.lean});
    vertex += static_cast<std::uint32_t>(palm_around_);
  }
}

/// elbow: hand frame. The first rings follow the hand, the others the arm.
void HandModel::place_forearm(const Point& elbow) {
  const float s = shape_.size;
  const float length = std::sqrt(dot(elbow, elbow));
  // The arm points from the wrist at the origin to the elbow.
  const Point down = unit(elbow);
  const Point side = unit(Point{1, 0, 0} - down * down.x);
  const float sleeve = std::min(shape_.sleeve, 0.8F * length);
  struct Step {
    float along;
    float wide;
    float deep;
    float lean;
  };
  const std::array<Step, forearm_rings> steps{{{-0.004F, 0.027F, 0.0185F, 0},
                                               {0.4F * sleeve, 0.027F, 0.0195F, 0},
                                               {sleeve, 0.029F, 0.023F, 0},
                                               {sleeve + 0.001F, 0.036F, 0.031F, 0.3F},
                                               {sleeve + 0.03F, 0.038F, 0.034F, 0},
                                               {length, 0.048F, 0.044F, 0}}};
  // This tube runs down the arm, so its sin = 1 is the side of the palm.
  for (int ring = 0; ring < forearm_rings; ++ring) {
    const auto& step = steps[static_cast<std::size_t>(ring)];
    // The first ring lies half-way between the hand's direction and the arm's.
    const Point axis = ring == 0 ? unit(down - Point{0, 1, 0}) : down;
    const auto vertex = forearm_ + static_cast<std::uint32_t>(ring * palm_around_);
    place_ring(mesh_, vertex, palm_around_,
               {down * (step.along * s), axis, unit(side - axis * dot(side, axis)), step.wide * s,
                step.deep * s, -step.lean});
  }
}

const Mesh& HandModel::place(const HandPose& pose) {
  const auto r = rotation({.pitch = pose.pitch, .yaw = pose.yaw, .roll = pose.roll});
  std::array<float, 9> m;
  std::transform(r.begin(), r.end(), m.begin(), [](double v) { return static_cast<float>(v); });
  for (int finger = 0; finger < 5; ++finger) place_finger(finger, pose);
  place_palm();
  // F R^T of the elbow: from the camera's frame into the hand's.
  const auto ex = static_cast<float>(pose.elbow[0]);
  const auto ey = static_cast<float>(pose.elbow[1]);
  const auto ez = static_cast<float>(pose.elbow[2]);
  place_forearm({m[0] * ex + m[3] * ey + m[6] * ez, -(m[1] * ex + m[4] * ey + m[7] * ez),
                 -(m[2] * ex + m[5] * ey + m[8] * ez)});
  // R F as in the header: flip y and z, then rotate.
  const auto turn = [&](float& x, float& y, float& z) {
    const float a = x, b = -y, c = -z;
    x = m[0] * a + m[1] * b + m[2] * c;
    y = m[3] * a + m[4] * b + m[5] * c;
    z = m[6] * a + m[7] * b + m[8] * c;
  };
  const auto tx = static_cast<float>(pose.x);
  const auto ty = static_cast<float>(pose.y);
  const auto tz = static_cast<float>(pose.z);
  for (std::size_t i = 0; i < mesh_.vertices(); ++i) {
    turn(mesh_.x[i], mesh_.y[i], mesh_.z[i]);
    mesh_.x[i] += tx;
    mesh_.y[i] += ty;
    mesh_.z[i] += tz;
    turn(mesh_.nx[i], mesh_.ny[i], mesh_.nz[i]);
  }
  for (auto& tip : tips_) {
    turn(tip.x, tip.y, tip.z);
    tip = tip + Point{tx, ty, tz};
  }
  return mesh_;
}

}  // namespace reprise::datasets
