// Meshes of the five solids of solids.h.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "datasets/generators/solids.h"
#include "datasets/scene/tubes.h"

namespace reprise::datasets {

/// Surface of a solid of size 1 at the origin of the world. Triangles are clockwise, seen from
/// outside.
struct SolidMesh {
  std::vector<Point> at;
  std::vector<Point> normal;
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// Returns the mesh of a shape. It is built once.
const SolidMesh& solid_mesh(SolidShape shape);

}  // namespace reprise::datasets
