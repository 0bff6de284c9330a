// Tubes: chains of elliptic rings with closed ends, for limbs, fingers, palms and trunks.
//
// A ring has a centre, an axis along the chain, a direction `side` and half-widths: `wide` along
// `side`, `deep` along axis x side. Its vertices are
//
//     centre + wide cos(a) side + deep sin(a) (axis x side),   a = 0, 1/k, ... of a turn
//
// A vertex has the normal of the ellipse, tilted by the ring's `lean` towards the axis, so that
// caps are round. A lean of 1 is along the axis, 0 across it, and -1 against it. Quads join
// consecutive rings. The first and last ring close on themselves when their widths are 0.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "datasets/scene/head_surface.h"
#include "datasets/scene/renderer.h"

namespace reprise::datasets {

inline float dot(const Point& a, const Point& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point cross(const Point& a, const Point& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Point unit(const Point& a) { return a * (1 / std::sqrt(dot(a, a) + 1e-20F)); }

struct Ring {
  Point centre, axis, side;  ///< axis and side: unit length, at right angles
  float wide = 0;
  float deep = 0;
  float lean = 0;
};

/// Adds `rings` rings of `around` vertices each, and the quads between them, clockwise on a screen
/// whose y points down. `vertices` counts the vertices so far and is increased. Returns the tube's
/// first vertex. Positions are set later by place_ring(), so that a moving figure keeps its
/// triangles.
std::uint32_t add_tube(Mesh& mesh, std::uint32_t& vertices, int rings, int around);

/// Writes the positions and normals of the vertices first, ..., first + around - 1.
void place_ring(Mesh& mesh, std::uint32_t first, int around, const Ring& ring);

/// Sets the colour and shine of a vertex.
void paint(Mesh& mesh, std::uint32_t vertex, const Colour& colour, float shine);

}  // namespace reprise::datasets
