// Parts of a head, built vertex by vertex. head_mesh() turns them into a mesh.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "datasets/scene/head_surface.h"

namespace reprise::datasets {

struct Vertex {
  Point place;
  Colour colour{};
  float shine = 0;
  float still = 0;
};

/// An eyeball, which rotates independently.
struct Eye {
  std::size_t first = 0, last = 0;  ///< vertices [first, last)
  Point centre;
};

struct HeadParts {
  std::vector<Vertex> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< clockwise seen from outside
  /// Pairs of vertices at one place that share a normal.
  std::vector<std::array<std::uint32_t, 2>> twins;
  std::size_t two_sided_from = 0;
  std::array<std::uint32_t, 68> landmarks{};
  std::array<Eye, 2> eyes;

  std::uint32_t add(const Vertex& vertex) {
    vertices.push_back(vertex);
    return static_cast<std::uint32_t>(vertices.size() - 1);
  }
  /// Adds two triangles; corners as seen from outside.
  void quad(std::uint32_t top_left, std::uint32_t top_right, std::uint32_t bottom_left,
            std::uint32_t bottom_right);
};

/// Builds all parts. Vertices and triangles have the same order for every expression of a person.
HeadParts head_parts(const HeadSurface& surface, int detail);

void add_skin_and_mouth(HeadParts& parts, const HeadSurface& surface, int detail);
void add_brows(HeadParts& parts, const HeadSurface& surface, int detail);
void add_eyes(HeadParts& parts, const HeadSurface& surface, int detail);
void add_ears(HeadParts& parts, const HeadSurface& surface, int detail);
void add_hair(HeadParts& parts, const HeadSurface& surface, int detail);
void add_landmarks(HeadParts& parts, const HeadSurface& surface);

/// Returns the colour of the skin at a point of the surface; `v` is its ring.
Colour skin_tone(const HeadSurface& surface, Point p, float angle, float v, bool at_slit);
/// Returns the lowest height of the hair at an angle around the head.
float hairline(const Identity& person, float angle);

}  // namespace reprise::datasets
