#include "datasets/scene/renderer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"

namespace reprise::datasets {
namespace {

constexpr int samples = 2;     // along each axis of a pixel
constexpr int subsample = 16;  // steps of a sample's width
constexpr float nearest_z = 0.05F;
constexpr float farthest_step = 1e8F;  // screen coordinates beyond this are not representable; such a triangle fills no sensible picture

// x^16
float sharpen(float x) {
  x *= x;
  x *= x;
  x *= x;
  return x * x;
}

}  // namespace

void Mesh::resize(std::size_t vertices) {
  for (auto* array : {&x, &y, &z, &nx, &ny, &nz, &r, &g, &b, &shine}) array->resize(vertices);
}

Renderer::Renderer(int width, int height) : width_(width), height_(height) {
  if (width < 1 || height < 1 || width > 4096 || height > 4096)
    throw UsageError("a picture of " + std::to_string(width) + " x " + std::to_string(height) + " pixels cannot be drawn",
                     "choose sides from 1 to 4096 pixels");
  const auto count = static_cast<std::size_t>(width) * height * samples * samples;
  colour_.resize(count);
  nearness_.resize(count);
}

void Renderer::clear() {
  std::fill(colour_.begin(), colour_.end(), 0);
  std::fill(nearness_.begin(), nearness_.end(), 0.0F);
}

void Renderer::place_corners(const Mesh& mesh, const Camera& camera, const Light& light) {
  const auto count = mesh.vertices();
  corners_.resize(count);
  const auto [lx, ly, lz] = light.direction;
  float hx = lx, hy = ly, hz = lz - 1;
  const float length = std::max(1e-6F, std::sqrt(hx * hx + hy * hy + hz * hz));
  hx /= length, hy /= length, hz /= length;
  const auto step = static_cast<float>(samples * subsample);
  const auto focal = static_cast<float>(camera.focal) * step;
  const auto left = (static_cast<float>(camera.centre_x) + 0.5F) * step, top = (static_cast<float>(camera.centre_y) + 0.5F) * step;
  for (std::size_t i = 0; i < count; ++i) {
    auto& corner = corners_[i];
    const float z = mesh.z[i], near = 1 / std::max(z, nearest_z);
    const float u = left + focal * mesh.x[i] * near, v = top + focal * mesh.y[i] * near;
    corner.seen = z >= nearest_z && std::abs(u) < farthest_step && std::abs(v) < farthest_step;
    corner.x = corner.seen ? static_cast<std::int32_t>(std::lrintf(u)) : 0;
    corner.y = corner.seen ? static_cast<std::int32_t>(std::lrintf(v)) : 0;
    const float facing = mesh.nx[i] * lx + mesh.ny[i] * ly + mesh.nz[i] * lz;
    const float gloss = mesh.nx[i] * hx + mesh.ny[i] * hy + mesh.nz[i] * hz;
    const float lit = light.ambient + light.diffuse * std::max(0.0F, (facing + light.wrap) / (1 + light.wrap));
    const float spot = 255 * light.specular * mesh.shine[i] * sharpen(std::max(0.0F, gloss));
    const auto shade = [&](float albedo, float tint) { return std::clamp(albedo * lit * tint + spot, 0.0F, 255.0F); };
    corner.colour = Lane4{shade(mesh.r[i], light.tint[0]), shade(mesh.g[i], light.tint[1]), shade(mesh.b[i], light.tint[2]), near};
  }
}

void Renderer::draw(const Mesh& mesh, const Camera& camera, const Light& light) {
  place_corners(mesh, camera, light);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [i, j, k] = mesh.triangles[t];
    const auto *a = &corners_[i], *b = &corners_[j], *c = &corners_[k];
    if (!(a->seen && b->seen && c->seen)) continue;
    const std::int64_t area =
        static_cast<std::int64_t>(b->x - a->x) * (c->y - a->y) - static_cast<std::int64_t>(b->y - a->y) * (c->x - a->x);
    if (area == 0 || (area < 0 && t < mesh.two_sided_from)) continue;
    if (area < 0) std::swap(b, c);
    const auto [left, right] = std::minmax({a->x, b->x, c->x});
    const auto [top, bottom] = std::minmax({a->y, b->y, c->y});
    // Products of two such extents, and their differences, fit 32 bits.
    const float brightness = area < 0 ? 0.5F : 1.0F;
    if (right - left < 1 << 14 && bottom - top < 1 << 14)
      fill<std::int32_t>(*a, *b, *c, brightness);
    else
      fill<std::int64_t>(*a, *b, *c, brightness);
  }
}

// Corners clockwise on the screen (y down), area > 0. Edge value e_i > 0 on the inner side of the edge opposite corner i.
template <typename Whole>
void Renderer::fill(const Corner& a, const Corner& b, const Corner& c, float brightness) {
  const int columns = width_ * samples, rows = height_ * samples;
  // First and last sample whose centre (k + 1/2) lies in the box.
  const auto first = [](std::int32_t edge) { return (edge - subsample / 2 + subsample - 1) >> 4; };
  const auto last = [](std::int32_t edge) { return (edge - subsample / 2) >> 4; };
  const int x0 = std::max(0, first(std::min({a.x, b.x, c.x}))), x1 = std::min(columns - 1, last(std::max({a.x, b.x, c.x})));
  const int y0 = std::max(0, first(std::min({a.y, b.y, c.y}))), y1 = std::min(rows - 1, last(std::max({a.y, b.y, c.y})));
  if (x0 > x1 || y0 > y1) return;
  const Whole px = x0 * subsample + subsample / 2, py = y0 * subsample + subsample / 2;
  struct Edge {
    Whole value, right, down;
  };
  const auto edge = [&](const Corner& from, const Corner& to) {
    const Whole dx = to.x - from.x, dy = to.y - from.y;
    const bool top_left = dy < 0 || (dy == 0 && dx > 0);
    const Whole value = dx * (py - from.y) - dy * (px - from.x) - (top_left ? 0 : 1);
    return Edge{value, static_cast<Whole>(-dy * subsample), static_cast<Whole>(dx * subsample)};
  };
  Edge ea = edge(b, c), eb = edge(c, a), ec = edge(a, b);

  // The colour plane, from the same differences: c(x, y) = c_a + (x - x_a) * gx + (y - y_a) * gy.
  const float abx = static_cast<float>(b.x - a.x), aby = static_cast<float>(b.y - a.y), acx = static_cast<float>(c.x - a.x),
              acy = static_cast<float>(c.y - a.y);
  const float per_area = 1 / (abx * acy - aby * acx);
  const Lane4 dim{brightness, brightness, brightness, 1};
  const Lane4 db = (b.colour - a.colour) * dim, dc = (c.colour - a.colour) * dim;
  const Lane4 gx = (db * acy - dc * aby) * per_area, gy = (dc * abx - db * acx) * per_area;
  const Lane4 right = gx * static_cast<float>(subsample), down = gy * static_cast<float>(subsample);
  Lane4 row_colour = a.colour * dim + gx * static_cast<float>(px - a.x) + gy * static_cast<float>(py - a.y);

  for (int y = y0; y <= y1; ++y) {
    Whole va = ea.value, vb = eb.value, vc = ec.value;
    Lane4 colour = row_colour;
    const auto row = static_cast<std::size_t>(y) * columns;
    for (int x = x0; x <= x1; ++x) {
      if ((va | vb | vc) >= 0 && colour[3] > nearness_[row + x]) {
        nearness_[row + x] = colour[3];
        using Whole4 = std::int32_t __attribute__((vector_size(16)));
        const Whole4 byte = __builtin_convertvector(colour, Whole4);
        const auto clamped = [&](int i) { return static_cast<std::uint32_t>(std::clamp(byte[i], 0, 255)); };
        colour_[row + x] = clamped(0) | clamped(1) << 8 | clamped(2) << 16 | 0xff000000U;
      }
      va += ea.right, vb += eb.right, vc += ec.right;
      colour += right;
    }
    ea.value += ea.down, eb.value += eb.down, ec.value += ec.down;
    row_colour += down;
  }
}

void Renderer::resolve(const std::uint8_t* background, std::uint8_t* image) const {
  const auto columns = static_cast<std::size_t>(width_) * samples;
  for (int y = 0; y < height_; ++y) {
    const auto* above = &colour_[static_cast<std::size_t>(y) * samples * columns];
    const auto* below = above + columns;
    for (int x = 0; x < width_; ++x, background += 3, image += 3, above += 2, below += 2) {
      // Two colours of a word at a time: sums of four bytes need ten bits.
      constexpr std::uint32_t even = 0x00ff00ff;
      const std::uint32_t rb = (above[0] & even) + (above[1] & even) + (below[0] & even) + (below[1] & even);
      const std::uint32_t ga = (above[0] >> 8 & even) + (above[1] >> 8 & even) + (below[0] >> 8 & even) + (below[1] >> 8 & even);
      const std::uint32_t open = 4 - (ga >> 16) / 255;
      image[0] = static_cast<std::uint8_t>(((rb & 0xffff) + open * background[0] + 2) >> 2);
      image[1] = static_cast<std::uint8_t>(((ga & 0xffff) + open * background[1] + 2) >> 2);
      image[2] = static_cast<std::uint8_t>(((rb >> 16) + open * background[2] + 2) >> 2);
    }
  }
}

void Renderer::resolve_depth(float* depth) const {
  const auto columns = static_cast<std::size_t>(width_) * samples;
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const auto* sample = &nearness_[static_cast<std::size_t>(y) * samples * columns + static_cast<std::size_t>(x) * samples];
      const float near = std::max({sample[0], sample[1], sample[columns], sample[columns + 1]});
      *depth++ = near > 0 ? 1 / near : std::numeric_limits<float>::infinity();
    }
}

}  // namespace reprise::datasets
