#include "datasets/scene/head_mesh.h"

#include <cmath>
#include <string>

#include "core/error.h"

namespace reprise::datasets {
namespace {

Point cross_product(const Point& a, const Point& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Returns smooth unit normals: sums over neighbouring triangles, weighted by area, shared by twins.
std::vector<Point> compute_normals(const HeadParts& parts) {
  std::vector<Point> n(parts.vertices.size());
  for (const auto& [a, b, c] : parts.triangles) {
    const auto& p = parts.vertices[a].place;
    const auto& q = parts.vertices[b].place;
    const auto& r = parts.vertices[c].place;
    const auto out = cross_product(r - p, q - p);  // clockwise from outside
    for (const auto i : {a, b, c}) n[i] = n[i] + out;
  }
  // Twins of one vertex are listed together: sum their normals first, then copy the sum.
  for (const auto& [a, b] : parts.twins) n[a] = n[a] + n[b];
  for (const auto& [a, b] : parts.twins) n[b] = n[a];
  for (auto& p : n) {
    const float length = std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
    // A vertex without triangles, such as a landmark, has no normal.
    p = length > 1e-12F ? p * (1 / length) : Point{0, 0, 1};
  }
  return n;
}

void store_mesh(const HeadParts& parts, const std::vector<Point>& normal, Mesh& mesh) {
  mesh.resize(parts.vertices.size());
  for (std::size_t i = 0; i < parts.vertices.size(); ++i) {
    const auto& v = parts.vertices[i];
    mesh.x[i] = v.place.x;
    mesh.y[i] = v.place.y;
    mesh.z[i] = v.place.z;
    mesh.nx[i] = normal[i].x;
    mesh.ny[i] = normal[i].y;
    mesh.nz[i] = normal[i].z;
    mesh.r[i] = v.colour[0];
    mesh.g[i] = v.colour[1];
    mesh.b[i] = v.colour[2];
    mesh.shine[i] = v.shine;
  }
  mesh.triangles = parts.triangles;
  mesh.two_sided_from = parts.two_sided_from;
}

HeadMesh::Move subtract_rest(const Mesh& rest, const HeadParts& parts,
                             const std::vector<Point>& normal) {
  HeadMesh::Move move;
  const auto count = rest.vertices();
  for (auto* array : {&move.x, &move.y, &move.z, &move.nx, &move.ny, &move.nz})
    array->resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& p = parts.vertices[i].place;
    move.x[i] = p.x - rest.x[i];
    move.y[i] = p.y - rest.y[i];
    move.z[i] = p.z - rest.z[i];
    move.nx[i] = normal[i].x - rest.nx[i];
    move.ny[i] = normal[i].y - rest.ny[i];
    move.nz[i] = normal[i].z - rest.nz[i];
  }
  return move;
}

}  // namespace

std::shared_ptr<const HeadMesh> head_mesh(const Identity& identity, int detail) {
  if (detail < 1 || detail > 8)
    throw UsageError("a head of detail " + std::to_string(detail) + " cannot be built",
                     "choose a detail from 1 to 8");
  auto head = std::make_shared<HeadMesh>();
  const auto rest = head_parts(HeadSurface(identity, {}), detail);
  store_mesh(rest, compute_normals(rest), head->rest);
  const std::array<Expression, face_moves> extremes{
      {{.mouth_open = 1}, {.smile = 1}, {.blink = 1}, {.brow_raise = 1}}};
  // Each movement is stored as the difference to the face at rest; the renderer adds weighted ones.
  for (int k = 0; k < face_moves; ++k) {
    auto moved = head_parts(HeadSurface(identity, extremes[k]), detail);
    // Twins are found by position at rest; an open mouth would separate them.
    moved.twins = rest.twins;
    head->moves[k] = subtract_rest(head->rest, moved, compute_normals(moved));
  }
  head->still.reserve(rest.vertices.size());
  for (const auto& vertex : rest.vertices) head->still.push_back(vertex.still);
  head->landmarks = rest.landmarks;
  head->eyes = rest.eyes;
  return head;
}

}  // namespace reprise::datasets
