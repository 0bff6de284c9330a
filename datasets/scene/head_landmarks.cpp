// The 68 landmarks of a head, as vertices on its surface (300-W order).
#include <array>
#include <cmath>

#include "datasets/scene/head_parts.h"

namespace reprise::datasets {
namespace {

/// Adds landmarks, numbered from 0 in the order of 300-W. `left` is the picture's left.
class LandmarkWriter {
 public:
  LandmarkWriter(HeadParts& parts, const HeadSurface& surface) : parts_(parts), s_(surface) {}

  void add_jaw();
  void add_brows();
  void add_nose();
  void add_eyes();
  void add_mouth();

 private:
  void put(int number, const Point& p, Side side) {
    parts_.landmarks[number] = parts_.add({s_.moved(p, side)});
  }
  /// Adds a landmark and its mirror image, which comes first.
  void both(int left, int right, const Point& p, Side side) {
    put(left, {-p.x, p.y, p.z}, side);
    put(right, p, side);
  }
  HeadParts& parts_;
  const HeadSurface& s_;
};

void LandmarkWriter::add_jaw() {
  // Down the cheek in front of the ear, then along the jaw's edge to the chin. Angles in degrees
  // from the front. The first four points have a height (cheek), the others a ring (edge).
  constexpr std::array<float, 8> jaw_angle{84, 83, 81, 77, 70, 57, 39, 19};
  constexpr std::array<float, 8> cheek{0.0F, -0.18F, -0.36F, -0.54F};
  constexpr std::array<float, 8> edge{0, 0, 0, 0, 10.7F, 11.3F, 11.55F, 11.7F};
  for (int i = 0; i < 8; ++i) {
    const float angle = jaw_angle[i] * half_turn / 180;
    const float v = i < 4 ? s_.ring_at(angle, cheek[i] * s_.person.length) : edge[i];
    both(i, 16 - i, s_.features(s_.skull(angle, v), angle), Side::Lower);
  }
  // The tip of the chin has no mirror image.
  put(8, s_.features(s_.skull(0, 11.75F), 0), Side::Lower);
}

void LandmarkWriter::add_brows() {
  // From the outer to the inner end.
  for (int i = 0; i < 5; ++i) {
    const float x = 0.54F - 0.11F * static_cast<float>(i);
    both(17 + i, 26 - i, s_.front(x, s_.brow_line(x)), Side::Upper);
  }
}

void LandmarkWriter::add_nose() {
  // The bridge from the root to the tip; then the five points below it.
  const float length = s_.person.nose_length;
  for (int i = 0; i < 4; ++i)
    put(27 + i, s_.front(0, 0.04F - (0.04F + 0.43F) / 3 * static_cast<float>(i) * length),
        Side::Upper);
  both(31, 35, s_.front(0.125F * s_.person.nose_width, 0.05F - 0.495F * length), Side::Upper);
  both(32, 34, s_.front(0.065F * s_.person.nose_width, 0.05F - 0.515F * length), Side::Upper);
  put(33, s_.front(0, 0.05F - 0.525F * length), Side::Upper);
}

void LandmarkWriter::add_eyes() {
  // Two corners, and two points on each lid.
  const auto lid = [&](int left, int right, float along, Side side) {
    const float x = s_.eye_x() + along * s_.eye_half();
    both(left, right, s_.front(x, s_.lid(x, side)), Side::Upper);
  };
  lid(36, 45, 1, Side::Upper);
  lid(37, 44, 0.36F, Side::Upper);
  lid(38, 43, -0.36F, Side::Upper);
  lid(39, 42, -1, Side::Upper);
  lid(40, 47, -0.36F, Side::Lower);
  lid(41, 46, 0.36F, Side::Lower);
}

void LandmarkWriter::add_mouth() {
  // The outer outline, then the inner one, which lies on the slit.
  const auto lip = [&](int left, int right, float along, float thick, Side side) {
    const float x = along * s_.mouth_half_width();
    const auto p = s_.front(x, s_.mouth_line(x) + thick * s_.lip(x, side));
    if (left == right)
      put(left, p, side);
    else
      both(left, right, p, side);
  };
  lip(48, 54, 1, 0, Side::Upper);
  lip(49, 53, 0.6F, 1, Side::Upper);
  lip(50, 52, 0.22F, 1, Side::Upper);
  lip(51, 51, 0, 1, Side::Upper);
  lip(59, 55, 0.62F, -1, Side::Lower);
  lip(58, 56, 0.28F, -1, Side::Lower);
  lip(57, 57, 0, -1, Side::Lower);
  lip(60, 64, 0.9F, 0, Side::Upper);
  lip(61, 63, 0.35F, 0, Side::Upper);
  lip(62, 62, 0, 0, Side::Upper);
  lip(67, 65, 0.35F, 0, Side::Lower);
  lip(66, 66, 0, 0, Side::Lower);
}

}  // namespace

void add_landmarks(HeadParts& parts, const HeadSurface& s) {
  LandmarkWriter writer(parts, s);
  writer.add_jaw();
  writer.add_brows();
  writer.add_nose();
  writer.add_eyes();
  writer.add_mouth();
}

}  // namespace reprise::datasets
