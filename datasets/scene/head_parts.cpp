// Brows, eyes, ears and hair: the parts added to the head's surface.
#include "datasets/scene/head_parts.h"

#include <algorithm>
#include <cmath>

namespace reprise::datasets {
namespace {

bool has_hanging_hair(HairStyle style) {
  return style == HairStyle::Bob || style == HairStyle::Long;
}

float hair_thickness(const Identity& who) {
  switch (who.hair_style) {
    case HairStyle::Cropped:
      return 0.03F;
    case HairStyle::Receding:
      return 0.045F;
    case HairStyle::Curly:
      return 0.2F * who.hair_volume;
    case HairStyle::Bob:
      return 0.13F * who.hair_volume;
    case HairStyle::Long:
      return 0.12F * who.hair_volume;
    case HairStyle::Bun:
      return 0.055F;
    default:
      return 0.1F * who.hair_volume;
  }
}

void colour_strand(Vertex& vertex, const Identity& who, float angle, float down) {
  const auto seed = static_cast<std::uint32_t>(who.number) + 17;
  const bool curly = who.hair_style == HairStyle::Curly;
  // The brightness of curly hair varies along and across a strand, that of straight hair mainly
  // across it.
  const float fine =
      curly ? value_noise(angle * 9, down * 9, seed) : value_noise(angle * 11, down * 1.5F, seed);
  const float broad = value_noise(angle * 3.5F, down * 2, seed + 1);
  const float light = 1 + 0.2F * fine + 0.1F * broad;
  vertex.colour = {who.hair[0] * light, who.hair[1] * light, who.hair[2] * light};
  vertex.shine = curly || who.hair_style == HairStyle::Cropped ? 0.25F : 0.55F;
}

void add_ball(HeadParts& parts, const Identity& who, Point centre, float radius, int detail) {
  const int around = 10 * detail;
  const int down = 6 * detail;
  std::vector<std::vector<std::uint32_t>> grid;
  for (int i = 0; i <= down; ++i) {
    auto& row = grid.emplace_back();
    const float polar = half_turn * static_cast<float>(i) / static_cast<float>(down);
    for (int j = 0; j < around; ++j) {
      const float angle = 2 * half_turn * static_cast<float>(j) / static_cast<float>(around);
      Vertex vertex{centre + Point{std::sin(polar) * std::sin(angle), std::cos(polar),
                                   std::sin(polar) * std::cos(angle)} *
                                 radius};
      colour_strand(vertex, who, angle, polar);
      row.push_back(parts.add(vertex));
    }
  }
  for (int i = 0; i < down; ++i)
    for (int j = 0; j < around; ++j)
      parts.quad(grid[i][j], grid[i][(j + 1) % around], grid[i + 1][j],
                 grid[i + 1][(j + 1) % around]);
  // The vertices of each pole (first and last row) lie at one point, so they share a normal.
  for (int j = 1; j < around; ++j) {
    parts.twins.push_back({grid[0][0], grid[0][j]});
    parts.twins.push_back({grid[down][0], grid[down][j]});
  }
}

// Returns a vertex of the hair. down: 0 at the crown to 1 at the hairline.
Vertex make_hair_vertex(const HeadSurface& s, float angle, float down) {
  const auto& who = s.person;
  const float edge = hairline(who, angle);
  // Hanging hair follows the skull down to y = -0.3 and hangs straight from there.
  const float skull_edge = has_hanging_hair(who.hair_style) ? std::max(edge, -0.3F) : edge;
  const float v_edge = s.ring_at(angle, skull_edge, 0, 12);
  const float v = v_edge * std::pow(down, 0.9F);
  Point p = s.skull(angle, has_hanging_hair(who.hair_style) ? std::min(v, 6.6F) : v);
  // The factor 1 lets the compiler round the product before the sum, instead of fusing both. Without
  // it the last bits of generated heads change.
  if (edge < skull_edge) p.y = p.y + (edge - skull_edge) * smooth_step(down, 0.35F, 1.0F) * 1.0F;
  const float thickness = hair_thickness(who);
  const float tip = has_hanging_hair(who.hair_style) && edge < 0.1F ? 0.5F : 0.15F;
  // Hair is thickest between crown and edge, and thins towards its tips.
  float lift = thickness * (0.55F + 0.45F * smooth_step(down, 0, 0.4F)) *
               (1 - (1 - tip) * smooth_step(down, 0.78F, 1.0F));
  const auto seed = static_cast<std::uint32_t>(who.number) + 3;
  const bool curly = who.hair_style == HairStyle::Curly;
  lift *= 1 + (curly ? 0.35F : 0.12F) *
                  value_noise(angle * (curly ? 5.0F : 4.0F), down * (curly ? 7.0F : 2.0F), seed);
  // The hair is lifted away from the middle of the skull, but never downwards.
  Point away = p - Point{0, 0.1F, -0.15F};
  away.y = std::max(away.y, 0.0F);
  p = p + away * (lift /
                  std::max(1e-3F, std::sqrt(away.x * away.x + away.y * away.y + away.z * away.z)));
  Vertex vertex{p};
  colour_strand(vertex, who, angle, down);
  // Hair below y = -0.9 rests on the shoulders: it follows the head only partly (`still` is the
  // fraction that stays).
  vertex.still = 0.6F * smooth_step(-p.y, 0.9F, 1.9F);
  return vertex;
}

}  // namespace

void HeadParts::quad(std::uint32_t top_left, std::uint32_t top_right, std::uint32_t bottom_left,
                     std::uint32_t bottom_right) {
  triangles.push_back({top_left, top_right, bottom_left});
  triangles.push_back({top_right, bottom_right, bottom_left});
}

float hairline(const Identity& who, float angle) {
  const float side = std::abs(angle) * 180 / half_turn;
  // Height of the hairline in decimetres. Each term is a step at the given degrees from the front:
  // forehead, temple, sideburn; then up over the ear, and down to the nape.
  float y = 0.67F - 0.1F * smooth_step(side, 20, 45) - 0.3F * smooth_step(side, 42, 62) -
            0.35F * smooth_step(side, 62, 74);
  y += 0.27F * smooth_step(side, 80, 92) - 0.5F * smooth_step(side, 108, 128) -
       0.32F * smooth_step(side, 128, 175);
  y += 0.1F * who.parting * std::sin(angle) * smooth_step(70 - side, 0, 40);
  y += 0.025F * value_noise(angle * 8, 3, static_cast<std::uint32_t>(who.number));
  // Fraction of hanging hair: 0 in front of the face, 1 at the sides and the back.
  const float hanging = smooth_step(side, 62, 78);
  switch (who.hair_style) {
    case HairStyle::Receding:
      return y + 0.24F * bell((side - 33) / 16) + 0.08F * (1 - hanging);
    case HairStyle::Fringe:
      return y - 0.27F * (1 - smooth_step(side, 38, 62)) + 0.03F * value_noise(angle * 14, 9, 2);
    case HairStyle::Bob:
      return y * (1 - hanging) - 0.92F * hanging;
    case HairStyle::Long:
      return y * (1 - hanging) - 1.75F * hanging;
    case HairStyle::Bun:
      return y + 0.06F * (1 - hanging) + 0.1F * bell((side - 72) / 8);
    default:
      return y;
  }
}

void add_hair(HeadParts& parts, const HeadSurface& s, int detail) {
  if (s.person.hair_style == HairStyle::Bald) return;
  if (s.person.hair_style == HairStyle::Bun)
    add_ball(parts, s.person, {0, 0.95F, -0.8F}, 0.3F * s.person.hair_volume, detail);
  const int around = 36 * detail;
  const int down = 9 * detail;
  std::vector<std::vector<std::uint32_t>> grid;
  for (int i = 0; i <= down; ++i) {
    auto& row = grid.emplace_back();
    for (int j = 0; j < around; ++j)
      row.push_back(parts.add(make_hair_vertex(
          s, -half_turn + 2 * half_turn * static_cast<float>(j) / static_cast<float>(around),
          static_cast<float>(i) / static_cast<float>(down))));
  }
  for (int i = 0; i < down; ++i)
    for (int j = 0; j < around; ++j)
      parts.quad(grid[i][j], grid[i][(j + 1) % around], grid[i + 1][j],
                 grid[i + 1][(j + 1) % around]);
  for (int j = 1; j < around; ++j) parts.twins.push_back({grid[0][0], grid[0][j]});
}

void add_brows(HeadParts& parts, const HeadSurface& s, int detail) {
  const int along = 8 * detail;
  // Brows of bald or fair-haired people are darkened more, so that they remain visible.
  const auto colour = s.person.hair_style == HairStyle::Bald || s.person.hair[0] > 150
                          ? mix_colours(s.person.hair, Colour{50, 38, 30}, 0.55F)
                          : mix_colours(s.person.hair, Colour{20, 14, 10}, 0.3F);
  for (const float mirror : {-1.0F, 1.0F}) {
    std::vector<std::array<std::uint32_t, 3>> strip;
    for (int i = 0; i <= along; ++i) {
      // The order of vertices is reversed on the mirrored side, so that triangles stay clockwise.
      const float t = static_cast<float>(mirror < 0 ? along - i : i) / static_cast<float>(along);
      const float x = 0.085F + 0.475F * t;
      const float half = 0.036F * s.person.brow_thickness *
                         (1 - 0.85F * smooth_step(t, 0.45F, 1.0F)) *
                         (0.55F + 0.45F * smooth_step(t, 0, 0.15F));
      std::array<std::uint32_t, 3> across{};
      for (int k = 0; k < 3; ++k) {
        auto p = s.front(x, s.brow_line(x) + half * static_cast<float>(1 - k));
        p.x *= mirror;
        p.z += k == 1 ? 0.026F : 0.008F;
        across[k] = parts.add({s.moved(p, Side::Upper),
                               mix_colours(colour, s.person.skin, k == 1 ? 0.0F : 0.25F), 0.1F});
      }
      strip.push_back(across);
    }
    for (int i = 0; i < along; ++i)
      for (int k = 0; k < 2; ++k)
        parts.quad(strip[i][k], strip[i + 1][k], strip[i][k + 1], strip[i + 1][k + 1]);
  }
}

void add_eyes(HeadParts& parts, const HeadSurface& s, int detail) {
  struct Ring {
    float degrees;
    Colour colour;
  };
  const Colour pupil{16, 12, 12};
  const Colour white{236, 232, 228};
  const auto& iris = s.person.iris;
  // Rings around the line of sight: angle in degrees, and colour. From the middle: pupil, iris with
  // a dark edge, white, and a reddish edge.
  const std::array<Ring, 9> rings{{{0, pupil},
                                   {7.5F, pupil},
                                   {9, mix_colours(iris, white, 0.12F)},
                                   {17, iris},
                                   {21, mix_colours(iris, pupil, 0.65F)},
                                   {23.5F, white},
                                   {38, mix_colours(white, s.person.lip_colour, 0.08F)},
                                   {58, mix_colours(white, s.person.lip_colour, 0.25F)},
                                   {92, Colour{150, 110, 105}}}};
  const int around = 12 * detail;
  for (int e = 0; e < 2; ++e) {
    const auto right = s.eyeball();
    const Point centre{e == 0 ? -right.x : right.x, right.y, right.z};
    parts.eyes[e].first = parts.vertices.size();
    parts.eyes[e].centre = centre;
    std::vector<std::vector<std::uint32_t>> grid;
    for (const auto& ring : rings) {
      auto& row = grid.emplace_back();
      const float polar = ring.degrees * half_turn / 180;
      for (int j = 0; j < around; ++j) {
        // Clockwise as seen from in front.
        const float angle = 2 * half_turn * static_cast<float>(j) / static_cast<float>(around);
        row.push_back(
            parts.add({centre + Point{std::sin(polar) * std::sin(angle),
                                      std::sin(polar) * std::cos(angle), std::cos(polar)} *
                                    HeadSurface::eyeball_radius,
                       ring.colour, 1}));
      }
    }
    for (std::size_t i = 0; i + 1 < grid.size(); ++i)
      for (int j = 0; j < around; ++j)
        parts.quad(grid[i + 1][j], grid[i + 1][(j + 1) % around], grid[i][j],
                   grid[i][(j + 1) % around]);
    for (int j = 1; j < around; ++j) parts.twins.push_back({grid[0][0], grid[0][j]});
    parts.eyes[e].last = parts.vertices.size();
  }
}

void add_ears(HeadParts& parts, const HeadSurface& s, int detail) {
  const int around = 12 * detail;
  // Rings from the middle of the ear over its rim to the rear side: radius as a fraction of the
  // ear's radius, and distance from the head in decimetres.
  constexpr std::array<std::array<float, 2>, 7> rings{{{0, 0.01F},
                                                       {0.45F, 0.015F},
                                                       {0.68F, 0.05F},
                                                       {0.84F, 0.075F},
                                                       {0.96F, 0.07F},
                                                       {1.0F, 0.04F},
                                                       {0.8F, -0.06F}}};
  // Brightness of each ring. The middle and the rear side are dark.
  constexpr std::array<float, 7> ring_shades{0.62F, 0.62F, 0.85F, 1, 1, 1, 0.7F};
  // Hanging hair covers the ear. It is smaller then, so that it does not stick out of the hair.
  const float size = s.person.ears * (has_hanging_hair(s.person.hair_style) ? 0.55F : 1.0F);
  // The ear is attached just behind the middle of the head's side.
  const Point root = s.skull(98 * half_turn / 180, s.ring_at(98 * half_turn / 180, -0.1F));
  for (const float mirror : {-1.0F, 1.0F}) {
    std::vector<std::vector<std::uint32_t>> grid;
    for (std::size_t i = 0; i < rings.size(); ++i) {
      auto& row = grid.emplace_back();
      for (int j = 0; j < around; ++j) {
        const float angle =
            2 * half_turn * static_cast<float>(j) / static_cast<float>(around) * mirror;
        const float up = std::cos(angle);
        const float back = std::sin(angle);
        const float fraction = rings[i][0];
        const float narrow = 1 - 0.3F * std::max(0.0F, -up);
        const float protrusion = 0.25F + 0.75F * smooth_step(back, -0.9F, 0.9F);
        Point p{root.x - 0.005F +
                    (rings[i][1] + 0.11F * fraction * std::max(0.0F, back)) * size * protrusion,
                -0.09F + 0.185F * size * fraction * up,
                root.z - 0.02F - (0.115F * narrow * back + 0.03F * up) * size * fraction};
        p.x *= mirror;
        auto colour = mix_colours(s.person.skin, s.person.lip_colour, 0.22F);
        const float shade = ring_shades[i];
        for (auto& c : colour) c *= shade;
        row.push_back(parts.add({p, colour, 0.2F}));
      }
    }
    for (std::size_t i = 0; i + 1 < grid.size(); ++i)
      for (int j = 0; j < around; ++j)
        parts.quad(grid[i + 1][j], grid[i + 1][(j + 1) % around], grid[i][j],
                   grid[i][(j + 1) % around]);
    for (int j = 1; j < around; ++j) parts.twins.push_back({grid[0][0], grid[0][j]});
  }
}

HeadParts head_parts(const HeadSurface& surface, int detail) {
  HeadParts parts;
  add_skin_and_mouth(parts, surface, detail);
  add_eyes(parts, surface, detail);
  add_ears(parts, surface, detail);
  add_brows(parts, surface, detail);
  add_landmarks(parts, surface);
  // Hair is an open sheet, so its triangles are drawn from both sides. They must come last, because
  // two_sided_from marks all triangles from that index on.
  parts.two_sided_from = parts.triangles.size();
  add_hair(parts, surface, detail);
  return parts;
}

}  // namespace reprise::datasets
