// Triangle mesh of a procedural head, one per person, with a displacement per movement of the face.
//
// A face with any expression is rest + sum over k of w_k * move_k, for positions and normals. This
// linear model costs a few multiplications per vertex and frame. Landmarks are vertices and stay
// exact. Rows of the mesh follow lids and lips, so that both stay sharp at any detail. Detail 1 has
// about 4500 triangles, half of them facing away from the camera; detail k has about k^2 times as
// many.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "datasets/scene/head_parts.h"
#include "datasets/scene/renderer.h"

namespace reprise::datasets {

/// Number of linear movements; gaze rotates the eyeballs instead.
inline constexpr int face_moves = 4;  // mouth_open, smile, blink, brow_raise

struct HeadMesh {
  struct Move {
    std::vector<float> x;
    std::vector<float> y;
    std::vector<float> z;
    std::vector<float> nx;
    std::vector<float> ny;
    std::vector<float> nz;
  };
  Mesh rest;  ///< head frame (head_surface.h)
  std::array<Move, face_moves> moves;
  std::vector<float> still;  ///< fraction of a vertex that stays with the body: 0 head, 1 shoulders
  std::array<std::uint32_t, 68> landmarks{};  ///< vertices, 300-W order
  std::array<Eye, 2> eyes;
};

/// Builds the mesh of a person. UsageError: detail below 1 or above 8.
std::shared_ptr<const HeadMesh> head_mesh(const Identity& identity, int detail);

}  // namespace reprise::datasets
