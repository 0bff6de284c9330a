#include "datasets/scene/tubes.h"

#include <algorithm>
#include <numbers>
#include <vector>

namespace reprise::datasets {
namespace {

struct Turn {
  float c;
  float s;
};

/// Returns cos and sin of the angles of a ring, cached: figures use few different counts.
const Turn* ring_angles(int around) {
  constexpr int most = 32;
  static const auto all = [] {
    std::vector<std::vector<Turn>> table(most + 1);
    for (int count = 3; count <= most; ++count)
      for (int k = 0; k < count; ++k) {
        const float angle =
            2 * std::numbers::pi_v<float> * static_cast<float>(k) / static_cast<float>(count);
        table[static_cast<std::size_t>(count)].push_back({std::cos(angle), std::sin(angle)});
      }
    return table;
  }();
  return all.at(static_cast<std::size_t>(around)).data();
}

}  // namespace

std::uint32_t add_tube(Mesh& mesh, std::uint32_t& vertices, int rings, int around) {
  const auto count = static_cast<std::uint32_t>(around);
  const auto first = vertices;
  vertices += static_cast<std::uint32_t>(rings) * count;
  for (std::uint32_t ring = 0; ring + 1 < static_cast<std::uint32_t>(rings); ++ring)
    for (std::uint32_t k = 0; k < count; ++k) {
      // Corner k and its neighbour; the last corner joins the first.
      const std::uint32_t a = first + ring * count + k;
      const std::uint32_t b = first + ring * count + (k + 1) % count;
      mesh.triangles.push_back({a, a + count, b});
      mesh.triangles.push_back({b, a + count, b + count});
    }
  return first;
}

void place_ring(Mesh& mesh, std::uint32_t first, int around, const Ring& ring) {
  const Point across = cross(ring.axis, ring.side);
  const Turn* turn = ring_angles(around);
  // The normal keeps unit length: flat^2 + lean^2 = 1.
  const float flat = std::sqrt(std::max(0.0F, 1 - ring.lean * ring.lean));
  // A ring without extent is the tip of a cap, whose normal is the axis.
  const float wide = std::max(ring.wide, 1e-6F);
  const float deep = std::max(ring.deep, 1e-6F);
  for (int k = 0; k < around; ++k) {
    const auto [c, s] = turn[k];
    const Point place = ring.centre + ring.side * (ring.wide * c) + across * (ring.deep * s);
    // Gradient of the ellipse (u / wide)^2 + (v / deep)^2, up to a factor.
    const Point outward = unit(ring.side * (c * deep) + across * (s * wide));
    const Point normal = outward * flat + ring.axis * ring.lean;
    const auto i = static_cast<std::size_t>(first) + static_cast<std::size_t>(k);
    mesh.x[i] = place.x;
    mesh.y[i] = place.y;
    mesh.z[i] = place.z;
    mesh.nx[i] = normal.x;
    mesh.ny[i] = normal.y;
    mesh.nz[i] = normal.z;
  }
}

void paint(Mesh& mesh, std::uint32_t vertex, const Colour& colour, float shine) {
  mesh.r[vertex] = colour[0];
  mesh.g[vertex] = colour[1];
  mesh.b[vertex] = colour[2];
  mesh.shine[vertex] = shine;
}

}  // namespace reprise::datasets
