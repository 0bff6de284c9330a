// Skin, lids and mouth: the parts on the head's surface.
#include <algorithm>
#include <cmath>

#include "datasets/scene/head_parts.h"

namespace reprise::datasets {
namespace {

// A row of the mesh follows a curve on the face, or a ring of the skull.
struct Row {
  enum Course { Ring, Face, Eye, Nose, Lip } course;
  // Ring: v; Face: y; Eye: distance from the lids' slit; Nose: way down the nose; Lip: fraction of
  // the lip's thickness (+ upper, - lower).
  float at;
  float beyond = 0;  // Lip: distance past it
  Side side = Side::Upper;
  bool slit = false;  // an opening follows this row
};

constexpr Side low = Side::Lower;
// From the crown to the shoulders. Rows are dense where the surface bends: lids, nose and lips.
constexpr std::array rows{Row{Row::Ring, 0},
                          Row{Row::Ring, 0.5F},
                          Row{Row::Ring, 1},
                          Row{Row::Ring, 1.7F},
                          Row{Row::Ring, 2.4F},
                          Row{Row::Ring, 3},
                          Row{Row::Ring, 3.5F},
                          Row{Row::Ring, 4},
                          Row{Row::Face, 0.34F},
                          Row{Row::Face, 0.26F},
                          Row{Row::Eye, 0.18F},
                          Row{Row::Eye, 0.12F},
                          Row{Row::Eye, 0.075F},
                          Row{Row::Eye, 0.04F},
                          Row{Row::Eye, 0.015F},
                          Row{Row::Eye, 0, 0, Side::Upper, true},
                          Row{Row::Eye, 0, 0, low},
                          Row{Row::Eye, -0.014F, 0, low},
                          Row{Row::Eye, -0.05F, 0, low},
                          Row{Row::Eye, -0.1F, 0, low},
                          Row{Row::Nose, 0.22F},
                          Row{Row::Nose, 0.3F},
                          Row{Row::Nose, 0.37F},
                          Row{Row::Nose, 0.42F},
                          Row{Row::Nose, 0.46F},
                          Row{Row::Nose, 0.495F},
                          Row{Row::Nose, 0.515F},
                          Row{Row::Nose, 0.54F},
                          Row{Row::Lip, 1, 0.04F},
                          Row{Row::Lip, 1, 0.018F},
                          Row{Row::Lip, 1, 0.006F},
                          Row{Row::Lip, 0.55F, 0.003F},
                          Row{Row::Lip, 0, 0, Side::Upper, true},
                          Row{Row::Lip, 0, 0, low},
                          Row{Row::Lip, -0.5F, -0.003F, low},
                          Row{Row::Lip, -1, -0.006F, low},
                          Row{Row::Lip, -1, -0.02F, low},
                          Row{Row::Lip, -1, -0.06F, low},
                          Row{Row::Ring, 10.7F},
                          Row{Row::Ring, 11.2F},
                          Row{Row::Ring, 11.6F},
                          Row{Row::Ring, 12},
                          Row{Row::Ring, 12.5F},
                          Row{Row::Ring, 13.2F},
                          Row{Row::Ring, 14},
                          Row{Row::Ring, 15},
                          Row{Row::Ring, 15.8F},
                          Row{Row::Ring, 16.3F},
                          Row{Row::Ring, 17},
                          Row{Row::Ring, 18},
                          Row{Row::Ring, 19},
                          Row{Row::Ring, 20}};

// Columns of one half, by x at the eyes' height (the skull is 0.735 wide there) and then by angle.
// The eye's corners fall on columns, and nearly so the corners of the mouth and the wings of the
// nose.
std::vector<float> half_column_angles(const HeadSurface& s) {
  const float eye = s.eye_x();
  const float half = s.eye_half();
  std::vector<float> angles;
  for (const float x : {0.0F, 0.03F, 0.065F, 0.1F, eye - half - 0.03F, eye - half,
                        eye - 0.7F * half, eye - 0.36F * half, eye, eye + 0.36F * half,
                        eye + 0.72F * half, eye + half, eye + half + 0.06F, eye + half + 0.14F})
    angles.push_back(std::asin(std::min(x / (0.735F * s.person.width), 0.9F)));
  // From here the column's angle, degrees, replaces x: towards the ear x hardly changes.
  for (const float degrees : {68.0F, 80.0F, 96.0F, 116.0F, 138.0F, 160.0F, 180.0F})
    angles.push_back(degrees * half_turn / 180);
  return angles;
}

// Angles from just past -half_turn to half_turn, subdivided; column 0 is at the back.
std::vector<float> column_angles(const HeadSurface& s, int detail) {
  const auto half = half_column_angles(s);
  std::vector<float> right;
  for (std::size_t i = 0; i + 1 < half.size(); ++i)
    for (int k = 0; k < detail; ++k)
      right.push_back(half[i] +
                      (half[i + 1] - half[i]) * static_cast<float>(k) / static_cast<float>(detail));
  // The other half is the mirror image without the first and last column, which both halves share.
  std::vector<float> all{half_turn};
  for (auto i = right.size() - 1; i > 0; --i) all.push_back(-right[i]);
  all.insert(all.end(), right.begin(), right.end());
  return all;
}

// Returns the height of a row's curve at x.
float row_height(const HeadSurface& s, const Row& row, float x) {
  switch (row.course) {
    case Row::Eye: {
      const float lid = s.lid(x, row.side) - s.lid_line(x);
      const float reach = row.side == Side::Upper ? 0.24F : 0.2F;
      // Rows near the lids follow them. The influence fades to 0 at `reach`, decimetres.
      return s.lid_line(x) + row.at + lid * std::max(0.0F, 1 - std::abs(row.at) / reach);
    }
    case Row::Nose:
      return 0.05F - row.at * s.person.nose_length;
    case Row::Lip:
      return s.mouth_line(x) + row.at * s.lip(x, row.side) + row.beyond;
    default:
      return row.at;
  }
}

// Returns v where a row crosses a column. `height` and `v` are those of the row in the middle of
// the face.
float find_ring(const HeadSurface& s, const Row& row, float height, float v, float angle) {
  const Bearing at(angle);
  const auto p = s.skull(at, v);
  const float wanted = row_height(s, row, p.x);
  const float facing = smooth_step(at.cosine, 0, 0.4F);
  // In front the row follows its curve. Towards the sides it rises with the rings of the skull and
  // the jaw.
  const float side =
      row.course == Row::Lip
          ? smooth_step(std::abs(p.x), 1.05F * s.mouth_half_width(), 2 * s.mouth_half_width())
          : 1 - facing;
  const float y = wanted * (1 - side) + (p.y + (wanted - height) * facing) * side;
  // The search covers 2.5 rings on both sides of the row's ring in the middle of the face.
  return s.ring_at(at, y, std::max(0.0F, v - 2.5F), std::min(13.0F, v + 2.5F));
}

struct Grid {
  std::vector<std::vector<std::uint32_t>> index;  // [row][column]
  std::vector<bool> slit;                         // an opening follows
  std::vector<float> mouth_x;                     // of the lips' slit, at rest
};

Grid build_skin_grid(HeadParts& parts, const HeadSurface& s, const std::vector<float>& angles,
                     int detail) {
  // First the ring coordinate v of each given row at each column.
  std::vector<std::vector<float>> ring;
  for (const auto& row : rows) {
    auto& across = ring.emplace_back(angles.size(), row.at);
    if (row.course == Row::Ring) continue;
    const float height = row_height(s, row, 0);
    const float v = s.ring_at(0, height, 0, 13);
    std::transform(angles.begin(), angles.end(), across.begin(),
                   [&](float angle) { return find_ring(s, row, height, v, angle); });
  }
  Grid grid;
  // Rows down to the mouth's slit get the upper side, all others the lower one (moved()).
  std::size_t upper_lip = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].slit && rows[i].course == Row::Lip) upper_lip = i;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // `detail` subdivides each strip of rows, but not the openings of eyes and mouth.
    const bool divided = i + 1 < rows.size() && !rows[i].slit;
    for (int k = 0; k < (divided ? detail : 1); ++k) {
      const float f = static_cast<float>(k) / static_cast<float>(detail);
      const Side side = i <= upper_lip ? Side::Upper : Side::Lower;
      const bool at_slit = k == 0 && (rows[i].slit || (i > 0 && rows[i - 1].slit));
      auto& line = grid.index.emplace_back();
      for (std::size_t j = 0; j < angles.size(); ++j) {
        const float v = divided ? ring[i][j] + f * (ring[i + 1][j] - ring[i][j]) : ring[i][j];
        const auto p = s.features(s.skull(angles[j], v), angles[j]);
        // Points behind the head get an x that is outside of any mouth.
        if (i == upper_lip) grid.mouth_x.push_back(p.z > 0 ? p.x : 10);
        line.push_back(parts.add({s.moved(p, side), skin_tone(s, p, angles[j], v, at_slit),
                                  v > 16.2F ? 0.0F : 0.35F, smooth_step(v, 12.9F, 16.2F)}));
      }
      grid.slit.push_back(rows[i].slit && k == 0);
    }
  }
  return grid;
}

void add_mouth(HeadParts& parts, const HeadSurface& s, const std::vector<float>& rest_x,
               const std::vector<std::uint32_t>& upper, const std::vector<std::uint32_t>& lower) {
  // Each column has five points: gums, edge of the teeth, its rear side, back of the mouth, lower
  // lip.
  const Colour dark{58, 20, 22};
  const Colour teeth{226, 220, 205};
  std::vector<std::array<std::uint32_t, 5>> strips;
  for (std::size_t j = 0; j < upper.size(); ++j) {
    const auto a = parts.vertices[upper[j]].place;
    const auto b = parts.vertices[lower[j]].place;
    // Every expression must have the same vertices, so choice and colour depend on the position at
    // rest.
    const float t = std::abs(rest_x[j]) / s.mouth_half_width();
    if (t > 1.12F) continue;
    const auto tooth = mix_colours(teeth, dark, smooth_step(t, 0.6F, 0.85F));
    strips.push_back(
        {parts.add({a + Point{0, 0.02F, -0.035F}, tooth, 0.4F}),
         parts.add({a + Point{0, -0.045F * (1 - std::min(t * t, 1.0F)), -0.045F}, tooth, 0.4F}),
         parts.add({a + Point{0, -0.045F * (1 - std::min(t * t, 1.0F)), -0.05F}, dark}),
         parts.add({(a + b) * 0.5F + Point{0, 0, -0.28F}, dark}),
         parts.add({b + Point{0, -0.01F, -0.02F}, dark})});
  }
  for (std::size_t j = 0; j + 1 < strips.size(); ++j)
    for (std::size_t k = 0; k < 4; ++k)
      // The edge of the teeth and its rear side differ only in colour; no quad joins them.
      if (k != 1)
        parts.quad(strips[j][k], strips[j + 1][k], strips[j][k + 1], strips[j + 1][k + 1]);
}

// Inner sides of the lids, which close the gap between an eyeball and the head.
void add_lid_rims(HeadParts& parts, const HeadSurface& s, const std::vector<float>& angles,
                  const std::vector<std::uint32_t>& upper,
                  const std::vector<std::uint32_t>& lower) {
  // Lids are redder than skin.
  const auto flesh = mix_colours(s.person.skin, Colour{150, 60, 55}, 0.45F);
  for (const float mirror : {-1.0F, 1.0F}) {
    std::vector<std::array<std::uint32_t, 4>> strips;
    for (std::size_t j = 0; j < angles.size(); ++j) {
      // Every expression must have the same vertices, so the choice depends on the column alone.
      const float x = 0.735F * s.person.width * std::sin(angles[j]) * mirror;
      if (std::cos(angles[j]) < 0 || std::abs(x - s.eye_x()) > 1.08F * s.eye_half()) continue;
      const auto a = parts.vertices[upper[j]].place;
      const auto b = parts.vertices[lower[j]].place;
      const Point back{0, 0, -0.09F};
      strips.push_back({parts.add({a, flesh}), parts.add({a + back, flesh}),
                        parts.add({b + back, flesh}), parts.add({b, flesh})});
    }
    for (std::size_t j = 0; j + 1 < strips.size(); ++j)
      for (std::size_t k = 0; k < 3; ++k)
        parts.quad(strips[j][k], strips[j + 1][k], strips[j][k + 1], strips[j + 1][k + 1]);
  }
}

}  // namespace

void add_skin_and_mouth(HeadParts& parts, const HeadSurface& s, int detail) {
  const auto angles = column_angles(s, detail);
  const auto grid = build_skin_grid(parts, s, angles, detail);
  const auto around = angles.size();
  // The slits come in the order of the rows: first the eyes, then the mouth.
  std::vector<std::size_t> slits;
  for (std::size_t i = 0; i + 1 < grid.index.size(); ++i) {
    const auto& above = grid.index[i];
    const auto& below = grid.index[i + 1];
    if (grid.slit[i]) {
      slits.push_back(i);
      // Outside eye and mouth the slit is always closed, and both of its rows are one line.
      for (std::size_t j = 0; j < around; ++j) {
        const auto& p = parts.vertices[above[j]].place;
        const float past = slits.size() == 1 ? std::abs(std::abs(p.x) - s.eye_x()) - s.eye_half()
                                             : std::abs(p.x) - s.mouth_half_width();
        if (past > -1e-4F || p.z < 0) parts.twins.push_back({above[j], below[j]});
      }
      continue;
    }
    // Column 0 follows the last one, so the strip closes behind the head.
    for (std::size_t j = 0; j < around; ++j)
      parts.quad(above[j], above[(j + 1) % around], below[j], below[(j + 1) % around]);
  }
  // The first row is the crown, where all columns meet in one point.
  for (std::size_t j = 1; j < around; ++j)
    parts.twins.push_back({grid.index[0][0], grid.index[0][j]});
  add_lid_rims(parts, s, angles, grid.index[slits[0]], grid.index[slits[0] + 1]);
  add_mouth(parts, s, grid.mouth_x, grid.index[slits[1]], grid.index[slits[1] + 1]);
}

}  // namespace reprise::datasets
