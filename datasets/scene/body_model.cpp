#include "datasets/scene/body_model.h"

#include <algorithm>
#include <numbers>

#include "core/random.h"
#include "datasets/scene/colour.h"

namespace reprise::datasets {
namespace {

constexpr int trunk_rings = 9;
constexpr int head_rings = 8;
constexpr int arm_rings = 9;
constexpr int leg_rings = 8;
constexpr int foot_rings = 5;
constexpr float radians = std::numbers::pi_v<float> / 180;

// Lengths of a person of 1.70 m, metres.
constexpr float thigh_length = 0.43F;
constexpr float shin_length = 0.41F;
constexpr float sole = 0.06F;
constexpr float upper_arm = 0.29F;
constexpr float forearm = 0.25F;

/// Rings up the trunk: height, half-width to the side, half-depth.
struct TrunkRing {
  float up;
  float wide;
  float deep;
  float lean;
};
constexpr std::array<TrunkRing, trunk_rings> trunk_plan{{{-0.11F, 0, 0, -1},
                                                         {-0.09F, 0.12F, 0.08F, -0.5F},
                                                         {0, 0.165F, 0.115F, 0},
                                                         {0.18F, 0.145F, 0.10F, 0},
                                                         {0.36F, 0.175F, 0.115F, 0},
                                                         {0.46F, 0.18F, 0.10F, 0.3F},
                                                         {0.50F, 0.10F, 0.075F, 0.75F},
                                                         {0.515F, 0.058F, 0.056F, 0.2F},
                                                         {0.60F, 0.055F, 0.055F, 0}}};
// Rings up the head, in the same frame as the trunk.
constexpr std::array<TrunkRing, head_rings> head_plan{{{0.565F, 0.03F, 0.035F, -0.9F},
                                                       {0.59F, 0.058F, 0.075F, -0.4F},
                                                       {0.64F, 0.073F, 0.092F, 0},
                                                       {0.69F, 0.077F, 0.098F, 0},
                                                       {0.74F, 0.074F, 0.094F, 0.25F},
                                                       {0.78F, 0.058F, 0.074F, 0.6F},
                                                       {0.80F, 0.034F, 0.044F, 0.9F},
                                                       {0.806F, 0, 0, 1}}};

/// Returns the direction at an angle from hanging down, forwards.
Point limb_direction(float angle) { return {std::sin(angle), std::cos(angle), 0}; }

}  // namespace

BodyShape body_shape(std::int64_t number) {
  const auto who = identity(number);
  auto random = Random(static_cast<std::uint64_t>(number)).split("body");
  const auto about = [&](double spread) {
    return static_cast<float>(random.uniform(1 - spread, 1 + spread));
  };
  BodyShape shape;
  shape.height = about(0.1);
  shape.legs = about(0.06);
  shape.width = about(0.18);
  shape.limbs = about(0.16);
  shape.long_sleeves = random.chance(0.5);
  shape.long_trousers = random.chance(0.75);
  // Colours come from the head of the same number.
  shape.skin = who.skin;
  shape.hair = who.hair;
  shape.shirt = who.shirt;
  for (auto& c : shape.trousers) c = static_cast<float>(random.uniform(25, 150));
  for (auto& c : shape.shoes) c = static_cast<float>(random.uniform(20, 210));
  return shape;
}

BodyModel::BodyModel(const BodyShape& shape, int detail)
    : shape_(shape), limb_around_(detail == 1 ? 6 : 10), trunk_around_(detail == 1 ? 10 : 16) {
  std::uint32_t next = 0;
  const auto take = [&](int rings, int around) { return add_tube(mesh_, next, rings, around); };
  trunk_ = take(trunk_rings, trunk_around_);
  head_ = take(head_rings, trunk_around_);
  for (int side = 0; side < 2; ++side) {
    const auto s = static_cast<std::size_t>(side);
    arms_[s] = take(arm_rings, limb_around_);
    legs_[s] = take(leg_rings, limb_around_);
    feet_[s] = take(foot_rings, limb_around_);
  }
  mesh_.resize(next);
  colour();
}

void BodyModel::colour() {
  const auto fill = [&](std::uint32_t first, int ring, int around, const Colour& colour,
                        float shine) {
    for (int k = 0; k < around; ++k)
      paint(mesh_, first + static_cast<std::uint32_t>(ring * around + k), colour, shine);
  };
  // From below: hips in trousers, trunk in a shirt, neck bare.
  for (int ring = 0; ring < trunk_rings; ++ring) {
    auto cloth = shape_.shirt;
    if (ring <= 2) cloth = shape_.trousers;
    if (ring >= 7) cloth = shape_.skin;
    fill(trunk_, ring, trunk_around_, cloth, 0);
  }
  for (int ring = 0; ring < head_rings; ++ring)
    for (int k = 0; k < trunk_around_; ++k) {
      // The ring's side is z, and up x z = -x: sin = 1 is the back of the head.
      const float s = std::sin(2 * std::numbers::pi_v<float> * static_cast<float>(k) /
                               static_cast<float>(trunk_around_));
      const bool hair = ring >= 5 || (ring >= 2 && s > 0.1F) || (ring == 4 && s > -0.75F);
      paint(mesh_, head_ + static_cast<std::uint32_t>(ring * trunk_around_ + k),
            hair ? shape_.hair : shape_.skin, 0.2F);
    }
  for (std::size_t side = 0; side < 2; ++side) {
    // Last ring in cloth, from the shoulder and from the hip.
    const int sleeve = shape_.long_sleeves ? 5 : 2;
    const int trouser = shape_.long_trousers ? 7 : 3;
    for (int ring = 0; ring < arm_rings; ++ring)
      fill(arms_[side], ring, limb_around_, ring <= sleeve ? shape_.shirt : shape_.skin, 0.1F);
    for (int ring = 0; ring < leg_rings; ++ring)
      fill(legs_[side], ring, limb_around_, ring <= trouser ? shape_.trousers : shape_.skin, 0);
    for (int ring = 0; ring < foot_rings; ++ring)
      fill(feet_[side], ring, limb_around_, shape_.shoes, 0.3F);
  }
}

void BodyModel::place_trunk(double lean) {
  const float angle = static_cast<float>(lean) * radians;
  // y points down, so the trunk's axis is -y, tilted forwards.
  const Point up{std::sin(angle), -std::cos(angle), 0};
  const auto ring = [&](std::uint32_t first, int number, const TrunkRing& plan, const Point& from,
                        const Point& axis, float broad) {
    place_ring(mesh_, first + static_cast<std::uint32_t>(number * trunk_around_), trunk_around_,
               {from + axis * plan.up,
                axis,
                {0, 0, 1},
                plan.wide * broad,
                plan.deep * std::sqrt(broad),
                plan.lean});
  };
  for (int k = 0; k < trunk_rings; ++k)
    ring(trunk_, k, trunk_plan[static_cast<std::size_t>(k)], {}, up, k < 7 ? shape_.width : 1);
  for (int k = 0; k < head_rings; ++k)
    ring(head_, k, head_plan[static_cast<std::size_t>(k)], {0.015F, 0, 0}, up, 1);
}

void BodyModel::place_arm(int side, const BodyPose& pose) {
  const auto s = static_cast<std::size_t>(side);
  const float lean = static_cast<float>(pose.lean) * radians;
  const float upper = static_cast<float>(pose.shoulder[s]) * radians;
  const float lower = upper + static_cast<float>(pose.elbow[s]) * radians;
  // Seen walking to the picture's right, the body's right side is nearer to the camera: negative z.
  const float z = (side == 0 ? -1 : 1) * (0.205F * shape_.width + 0.01F);
  // The shoulder lies 45.5 cm up the leaning trunk.
  Point at{0.455F * std::sin(lean), -0.455F * std::cos(lean), z};
  auto vertex = arms_[s];
  const auto ring = [&](const Point& centre, float angle, float radius, float lean_out) {
    const float thick = radius * shape_.limbs;
    place_ring(mesh_, vertex, limb_around_,
               {centre, limb_direction(angle), {0, 0, 1}, thick, thick, lean_out});
    vertex += static_cast<std::uint32_t>(limb_around_);
  };
  // From the shoulder to the elbow, then to the wrist and the closed fingers.
  ring(at - limb_direction(upper) * 0.05F, upper, 0.02F, -0.9F);
  ring(at - limb_direction(upper) * 0.01F, upper, 0.054F, -0.3F);
  ring(at + limb_direction(upper) * (0.5F * upper_arm), upper, 0.047F, 0);
  at = at + limb_direction(upper) * upper_arm;
  ring(at, (upper + lower) / 2, 0.042F, 0);
  ring(at + limb_direction(lower) * (0.5F * forearm), lower, 0.037F, 0);
  ring(at + limb_direction(lower) * (0.92F * forearm), lower, 0.029F, 0);
  ring(at + limb_direction(lower) * (forearm + 0.04F), lower, 0.042F, 0);
  ring(at + limb_direction(lower) * (forearm + 0.12F), lower, 0.034F, 0.5F);
  ring(at + limb_direction(lower) * (forearm + 0.155F), lower, 0, 1);
}

float BodyModel::place_leg(int side, const BodyPose& pose) {
  const auto s = static_cast<std::size_t>(side);
  const float upper = static_cast<float>(pose.thigh[s]) * radians;
  const float lower = upper - static_cast<float>(pose.knee[s]) * radians;
  const float longer = shape_.legs;
  Point at{0, 0, (side == 0 ? -1 : 1) * 0.095F * shape_.width};
  auto vertex = legs_[s];
  const auto ring = [&](std::uint32_t& place, const Point& centre, float angle, float radius,
                        float flat, float lean_out) {
    const float thick = radius * shape_.limbs;
    place_ring(mesh_, place, limb_around_,
               {centre, limb_direction(angle), {0, 0, 1}, thick, thick * flat, lean_out});
    place += static_cast<std::uint32_t>(limb_around_);
  };
  // From the hip to the knee, then to the ankle. A joint's ring is tilted by half the bend.
  ring(vertex, at - limb_direction(upper) * 0.04F, upper, 0.06F, 1, -0.6F);
  ring(vertex, at + limb_direction(upper) * 0.06F, upper, 0.092F, 1, 0);
  ring(vertex, at + limb_direction(upper) * (0.55F * thigh_length * longer), upper, 0.075F, 1, 0);
  at = at + limb_direction(upper) * (thigh_length * longer);
  ring(vertex, at, (upper + lower) / 2, 0.058F, 1, 0);
  ring(vertex, at + limb_direction(lower) * (0.3F * shin_length * longer), lower, 0.056F, 1, 0);
  ring(vertex, at + limb_direction(lower) * (0.7F * shin_length * longer), lower, 0.043F, 1, 0);
  at = at + limb_direction(lower) * (shin_length * longer);
  ring(vertex, at, lower, 0.036F, 1, 0);
  ring(vertex, at + limb_direction(lower) * 0.03F, lower, 0.03F, 1, 0.5F);
  // The foot turns a little less than the shin: heels lift, toes stay near the ground.
  const float foot = 90 * radians + 0.6F * lower;
  const Point heel = at + limb_direction(lower) * 0.025F - limb_direction(foot) * 0.06F;
  auto place = feet_[s];
  ring(place, heel, foot, 0, 1, -1);
  ring(place, heel + limb_direction(foot) * 0.015F, foot, 0.036F, 0.9F, -0.4F);
  ring(place, heel + limb_direction(foot) * 0.12F, foot, 0.042F, 0.8F, 0);
  ring(place, heel + limb_direction(foot) * 0.2F, foot, 0.036F, 0.6F, 0.4F);
  ring(place, heel + limb_direction(foot) * 0.235F, foot, 0, 1, 1);
  // The lower of both feet stands on the ground.
  return at.y + sole;
}

const Mesh& BodyModel::place(const BodyPose& pose) {
  place_trunk(pose.lean);
  place_arm(0, pose);
  place_arm(1, pose);
  const float lowest = std::max(place_leg(0, pose), place_leg(1, pose));
  const float turn = static_cast<float>(pose.turn) * radians;
  const float c = std::cos(turn);
  const float s = std::sin(turn);
  const float size = shape_.height;
  const auto tx = static_cast<float>(pose.x);
  const auto tz = static_cast<float>(pose.z);
  // The lower foot rests at `ground`, unless the body is in the air.
  const auto ty = static_cast<float>(pose.ground - pose.height) - lowest * size;
  for (std::size_t i = 0; i < mesh_.vertices(); ++i) {
    const float x = mesh_.x[i] * size;
    const float z = mesh_.z[i] * size;
    const float nx = mesh_.nx[i];
    const float nz = mesh_.nz[i];
    mesh_.x[i] = c * x - s * z + tx;
    mesh_.y[i] = mesh_.y[i] * size + ty;
    mesh_.z[i] = s * x + c * z + tz;
    mesh_.nx[i] = c * nx - s * nz;
    mesh_.nz[i] = s * nx + c * nz;
  }
  return mesh_;
}

}  // namespace reprise::datasets
