// The triangles of a procedural head: one mesh a person, with the differences that each movement of
// the face makes to it.
//
// A face at any expression is rest + sum over k of w_k * move_k, positions and normals alike:
// linear, so that a frame costs a few multiplications a vertex, and the landmarks, which are
// vertices too, stay exact. Rows of the mesh follow the lids and lips, so that both stay sharp at
// any detail. Detail 1 has about 4500 triangles (half of them face away from the camera), detail k
// about k^2 times as many.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "datasets/scene/head_parts.h"
#include "datasets/scene/renderer.h"

namespace reprise::datasets {

/// The movements that are linear; gaze turns the eyeballs.
inline constexpr int face_moves = 4;  // mouth_open, smile, blink, brow_raise

struct HeadMesh {
  struct Move {
    std::vector<float> x, y, z, nx, ny, nz;
  };
  Mesh rest;  ///< head frame (head_surface.h)
  std::array<Move, face_moves> moves;
  std::vector<float> still;  ///< share of a vertex that stays with the body: 0 head, 1 shoulders
  std::array<std::uint32_t, 68> landmarks{};  ///< vertices, 300-W order
  std::array<Eye, 2> eyes;
};

/// UsageError: detail below 1 or above 8.
std::shared_ptr<const HeadMesh> head_mesh(const Identity& identity, int detail);

}  // namespace reprise::datasets
