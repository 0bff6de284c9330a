// Colour of the skin: blush, shading, beard, scalp, lips and the edges of eyes and mouth.
#include <algorithm>
#include <cmath>

#include "datasets/scene/head_parts.h"

namespace reprise::datasets {
namespace {

/// A point of the skin, with the values that most features depend on. Lengths in decimetres.
struct SkinPoint {
  SkinPoint(const HeadSurface& head, const Point& place, float angle_around, float ring)
      : s(head),
        p(place),
        angle(angle_around),
        v(ring),
        ax(std::abs(p.x)),
        front(smooth_step(std::cos(angle), 0.05F, 0.35F)),
        line(s.mouth_line(p.x)) {}

  /// Returns a bell at (x, y) on both halves of the face, with the widths sx and sy.
  float spot(float x, float y, float sx, float sy) const {
    return front * bell((ax - x) / sx) * bell((p.y - y) / sy);
  }

  const HeadSurface& s;
  Point p;
  float angle;
  float v;      // ring coordinate
  float ax;     // distance from the middle of the face
  float front;  // 1 on the front, 0 from the ears on
  float line;   // height of the closed mouth at this x
};

void scale_channels(Colour& c, float r, float g, float b) { c = {c[0] * r, c[1] * g, c[2] * b}; }

/// Applies blush, shading and grain.
void shade_skin(const SkinPoint& at, Colour& c) {
  const auto& s = at.s;
  const auto& who = s.person;
  const auto& p = at.p;
  // Cheeks and the tip of the nose are redder.
  const float blush = 0.6F * at.spot(0.4F, -0.3F, 0.13F, 0.12F) +
                      0.5F * at.spot(0, s.nose_bottom() + 0.09F, 0.09F, 0.07F);
  scale_channels(c, 1 + 0.02F * blush, 1 - 0.13F * blush, 1 - 0.13F * blush);
  // Darker: eye sockets, below the nose, nostrils, below the lower lip, fold next to the mouth.
  const float shade =
      1 - 0.24F * at.spot(s.eye_x() * 0.85F, 0.03F, 0.16F, 0.06F) -
      0.28F * at.spot(0, s.nose_bottom(), 0.1F, 0.022F) -
      0.55F * at.spot(0.06F * who.nose_width, s.nose_bottom() + 0.018F, 0.028F, 0.014F) -
      0.16F * at.spot(0, at.line - 0.15F, 0.13F, 0.03F) -
      0.12F * at.spot(0.3F, -0.5F, 0.035F, 0.1F);
  // Little light reaches the skin below the jaw.
  const float chin = 1 - 0.32F * smooth_step(at.v, 12.2F, 13.4F) + 0.1F * smooth_step(at.v, 14, 16);
  // Noise of the skin's colour; the person's number is its seed.
  const float grain = 1 + 0.03F * value_noise(p.x * 9 + 40, p.y * 9 + p.z * 5,
                                              static_cast<std::uint32_t>(who.number));
  scale_channels(c, shade * chin * grain, shade * chin * grain, shade * chin * grain);
}

/// Blends in the beard: cheeks' lower half, chin and upper lip; stubble under the jaw.
void add_beard(const SkinPoint& at, Colour& c) {
  const auto& s = at.s;
  const auto& who = s.person;
  const auto& p = at.p;
  // Noise makes the beard's edge irregular.
  const float edge = 0.04F * value_noise(p.x * 14, p.z * 14, 5);
  const float jaw =
      smooth_step(-p.y, 0.42F - 0.3F * smooth_step(at.ax, 0.4F, 0.62F) + edge, 0.56F + edge) *
      (1 - smooth_step(at.v, 12.3F, 13.6F)) * smooth_step(p.z, -0.12F, 0.05F);
  // The groove below the nose and the folds next to the mouth stay bare.
  const float bare =
      bell(at.ax / 0.2F) * smooth_step(s.nose_bottom() - 0.045F - p.y, 0.03F, -0.01F) +
      0.7F * at.spot(0.3F, -0.5F, 0.1F, 0.09F);
  c = mix_colours(c, mix_colours(who.hair, who.skin, 0.15F),
                  who.beard * jaw * (1 - std::min(bare, 1.0F)));
}

/// Gives the scalp the colour of the hair. Long hair next to the face leaves the cheek unchanged.
void colour_scalp(const SkinPoint& at, Colour& c) {
  const auto& who = at.s.person;
  if (who.hair_style == HairStyle::Bald || at.v >= 12) return;
  const float edge = std::max(hairline(who, at.angle), std::abs(at.angle) < 1.9F ? -0.15F : -0.7F);
  c = mix_colours(c, mix_colours(who.hair, who.skin, 0.25F),
                  smooth_step(at.p.y, edge - 0.015F, edge + 0.05F));
}

/// Paints the lips, the upper one darker. Returns how far the point belongs to them, 0 to 1.
float paint_lips(const SkinPoint& at, Colour& c) {
  const auto& s = at.s;
  const float t = at.ax / s.mouth_half_width();
  const float dy = at.p.y - at.line;
  const float lip = s.lip(at.p.x, dy >= 0 ? Side::Upper : Side::Lower) + 0.008F;
  const float red = at.front * (1 - smooth_step(std::abs(dy) / lip, 1.0F, 1.15F)) *
                    (1 - smooth_step(t, 0.97F, 1.06F));
  c = mix_colours(c, s.person.lip_colour, red);
  if (dy > 0) scale_channels(c, 1 - 0.12F * red, 1 - 0.12F * red, 1 - 0.12F * red);
  return red;
}

/// Paints the edge of an opening: a dark line between the lips, lashes above the eye, flesh below
/// it.
void paint_edge(const SkinPoint& at, float red, Colour& c) {
  const auto& s = at.s;
  if (std::abs(at.p.y - at.line) < 0.01F) {
    scale_channels(c, 1 - 0.45F * red, 1 - 0.5F * red, 1 - 0.5F * red);
    return;
  }
  const float eye = 1 - smooth_step(std::abs(at.ax - s.eye_x()) / s.eye_half(), 1.0F, 1.15F);
  auto edge = Colour{30, 22, 20};
  if (at.p.y < s.lid_line(at.p.x)) edge = mix_colours(s.person.skin, Colour{120, 60, 55}, 0.45F);
  c = mix_colours(c, edge, 0.85F * eye);
}

}  // namespace

Colour skin_tone(const HeadSurface& s, Point p, float angle, float v, bool at_slit) {
  // The collar lies at this ring.
  if (v > 16.25F) return s.person.shirt;
  const SkinPoint at(s, p, angle, v);
  Colour c = s.person.skin;
  shade_skin(at, c);
  add_beard(at, c);
  colour_scalp(at, c);
  const float red = paint_lips(at, c);
  if (at_slit && at.front > 0) paint_edge(at, red, c);
  return c;
}

}  // namespace reprise::datasets
