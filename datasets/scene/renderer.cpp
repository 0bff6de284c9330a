#include "datasets/scene/renderer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"

namespace reprise::datasets {
namespace {

constexpr int samples = 2;     // along each axis of a pixel
constexpr int subsample = 16;  // steps of a sample's width
constexpr int lanes = 8;       // samples at a time
using Floats = float __attribute__((vector_size(lanes * sizeof(float))));
using Ints = std::int32_t __attribute__((vector_size(lanes * sizeof(std::int32_t))));

// g++ makes no vectors of a template's parameter.
template <typename Whole>
struct Vectors;
template <>
struct Vectors<std::int32_t> {
  using Four = std::int32_t __attribute__((vector_size(4 * sizeof(std::int32_t))));
  using Eight = Ints;
};
template <>
struct Vectors<std::int64_t> {
  using Four = std::int64_t __attribute__((vector_size(4 * sizeof(std::int64_t))));
  using Eight = std::int64_t __attribute__((vector_size(lanes * sizeof(std::int64_t))));
};
// Nearest visible distance, in the unit of the scene.
constexpr float nearest_z = 0.05F;
// Screen coordinates beyond this are not representable; no sensible picture has such triangles.
constexpr float farthest_step = 1e8F;

// Clamps eight values to bytes.
Ints clamp_to_bytes(const Floats& shade) {
  const Ints whole = __builtin_convertvector(shade, Ints);
  const Ints positive = whole > 0 ? whole : 0;
  return positive < 255 ? positive : 255;
}

// Returns x^16.
float power_16(float x) {
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
    throw UsageError("a picture of " + std::to_string(width) + " x " + std::to_string(height) +
                         " pixels cannot be drawn",
                     "choose sides from 1 to 4096 pixels");
  // Spare samples at the end of a row let the last eight be written without a test.
  stride_ = static_cast<std::size_t>(width) * samples + lanes;
  const auto count = stride_ * height * samples;
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
  // Half vector between the light and the viewer, who looks along +z (Blinn-Phong).
  float hx = lx;
  float hy = ly;
  float hz = lz - 1;
  const float length = std::max(1e-6F, std::sqrt(hx * hx + hy * hy + hz * hz));
  hx /= length;
  hy /= length;
  hz /= length;
  const auto step = static_cast<float>(samples * subsample);
  const auto focal = static_cast<float>(camera.focal) * step;
  // Pixel centres are whole numbers, so the picture begins half a pixel to the left of 0.
  const auto left = (static_cast<float>(camera.centre_x) + 0.5F) * step;
  const auto top = (static_cast<float>(camera.centre_y) + 0.5F) * step;
  for (std::size_t i = 0; i < count; ++i) {
    auto& corner = corners_[i];
    const float z = mesh.z[i];
    const float near = 1 / std::max(z, nearest_z);
    const float u = left + focal * mesh.x[i] * near;
    const float v = top + focal * mesh.y[i] * near;
    // A triangle with an invisible corner is dropped: it is not clipped at the near plane.
    corner.seen = z >= nearest_z && std::abs(u) < farthest_step && std::abs(v) < farthest_step;
    corner.x = corner.seen ? static_cast<std::int32_t>(std::lrintf(u)) : 0;
    corner.y = corner.seen ? static_cast<std::int32_t>(std::lrintf(v)) : 0;
    const float facing = mesh.nx[i] * lx + mesh.ny[i] * ly + mesh.nz[i] * lz;
    const float gloss = mesh.nx[i] * hx + mesh.ny[i] * hy + mesh.nz[i] * hz;
    // Diffuse light wraps around the terminator, which makes skin look soft.
    const float lit =
        light.ambient + light.diffuse * std::max(0.0F, (facing + light.wrap) / (1 + light.wrap));
    const float spot = 255 * light.specular * mesh.shine[i] * power_16(std::max(0.0F, gloss));
    const auto shade = [&](float albedo, float tint) {
      return std::clamp(albedo * lit * tint + spot, 0.0F, 255.0F);
    };
    corner.colour = Lane4{shade(mesh.r[i], light.tint[0]), shade(mesh.g[i], light.tint[1]),
                          shade(mesh.b[i], light.tint[2]), near};
  }
}

void Renderer::draw(const Mesh& mesh, const Camera& camera, const Light& light) {
  place_corners(mesh, camera, light);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const auto& [i, j, k] = mesh.triangles[t];
    const auto* a = &corners_[i];
    const auto* b = &corners_[j];
    const auto* c = &corners_[k];
    if (!(a->seen && b->seen && c->seen)) continue;
    // Twice the signed area on the screen; its sign tells front from back.
    const std::int64_t area = static_cast<std::int64_t>(b->x - a->x) * (c->y - a->y) -
                              static_cast<std::int64_t>(b->y - a->y) * (c->x - a->x);
    if (area == 0 || (area < 0 && t < mesh.two_sided_from)) continue;
    // A back face that is drawn needs its corners clockwise too.
    if (area < 0) std::swap(b, c);
    // Integers of 32 bits need half the registers of 64, so they are used where nothing overflows.
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

// Fills a triangle whose corners run clockwise on the screen (y down). The edge value e_i is
// positive on the inner side of the edge opposite corner i. Eight samples of a row are processed at
// a time. Samples beyond the triangle fail an edge test; those beyond the picture are the row's
// spare ones.
template <typename Whole>
void Renderer::fill(const Corner& a, const Corner& b, const Corner& c, float brightness) {
  using Wholes = typename Vectors<Whole>::Eight;
  using Wholes4 = typename Vectors<Whole>::Four;
  const int columns = width_ * samples;
  const int rows = height_ * samples;
  // First and last sample whose centre (k + 1/2) lies in the box.
  const auto first = [](std::int32_t edge) { return (edge - subsample / 2 + subsample - 1) >> 4; };
  const auto last = [](std::int32_t edge) { return (edge - subsample / 2) >> 4; };
  const int x0 = std::max(0, first(std::min({a.x, b.x, c.x})));
  const int x1 = std::min(columns - 1, last(std::max({a.x, b.x, c.x})));
  const int y0 = std::max(0, first(std::min({a.y, b.y, c.y})));
  const int y1 = std::min(rows - 1, last(std::max({a.y, b.y, c.y})));
  if (x0 > x1 || y0 > y1) return;
  constexpr Wholes lane{0, 1, 2, 3, 4, 5, 6, 7};
  const Whole px = x0 * subsample + subsample / 2;
  const Whole py = y0 * subsample + subsample / 2;
  // Three edges at once, each at the index of its opposite corner; the fourth lane is unused.
  const Wholes4 from_x{b.x, c.x, a.x, 0};
  const Wholes4 from_y{b.y, c.y, a.y, 0};
  const Wholes4 to_x{c.x, a.x, b.x, 0};
  const Wholes4 to_y{c.y, a.y, b.y, 0};
  const Wholes4 dx = to_x - from_x;
  const Wholes4 dy = to_y - from_y;
  // Top-left rule: a sample exactly on an edge belongs to one of the two triangles that share it.
  const Wholes4 top_left = (dy < 0) | ((dy == 0) & (dx > 0));  // -1 or 0
  // Subtracting 1, unless the edge is a top or left one, turns "> 0" into ">= 0" for all edges.
  const Wholes4 first_value = dx * (py - from_y) - dy * (px - from_x) - 1 - top_left;
  const Wholes4 edge_right = -dy * subsample;
  const Wholes4 edge_down = dx * subsample;
  Wholes va = first_value[0] + lane * edge_right[0];
  Wholes vb = first_value[1] + lane * edge_right[1];
  Wholes vc = first_value[2] + lane * edge_right[2];

  // Red, green, blue and nearness are planes: p(x, y) = p_a + (x - x_a) * gx + (y - y_a) * gy.
  const float abx = static_cast<float>(b.x - a.x);
  const float aby = static_cast<float>(b.y - a.y);
  const float acx = static_cast<float>(c.x - a.x);
  const float acy = static_cast<float>(c.y - a.y);
  // The gradients solve the two equations p_b - p_a and p_c - p_a.
  const float per_area = 1 / (abx * acy - aby * acx);
  const Lane4 dim{brightness, brightness, brightness, 1};
  const Lane4 db = (b.colour - a.colour) * dim;
  const Lane4 dc = (c.colour - a.colour) * dim;
  const Lane4 gx = (db * acy - dc * aby) * per_area;
  const Lane4 gy = (dc * abx - db * acx) * per_area;
  const Lane4 right = gx * static_cast<float>(subsample);
  const Lane4 down = gy * static_cast<float>(subsample);
  const Lane4 corner =
      a.colour * dim + gx * static_cast<float>(px - a.x) + gy * static_cast<float>(py - a.y);
  constexpr Floats ramp{0, 1, 2, 3, 4, 5, 6, 7};
  const auto plane = [&](int i) { return corner[i] + ramp * right[i]; };
  Floats red = plane(0);
  Floats green = plane(1);
  Floats blue = plane(2);
  Floats nearness = plane(3);

  auto* near_row = &nearness_[static_cast<std::size_t>(y0) * stride_ + x0];
  auto* colour_row = &colour_[static_cast<std::size_t>(y0) * stride_ + x0];
  for (int y = y0; y <= y1; ++y, near_row += stride_, colour_row += stride_) {
    Wholes edge_a = va;
    Wholes edge_b = vb;
    Wholes edge_c = vc;
    Floats r = red;
    Floats g = green;
    Floats l = blue;
    Floats here = nearness;
    for (int x = 0;;) {
      Floats nearest;
      Ints colour;
      std::memcpy(&nearest, near_row + x, sizeof nearest);
      std::memcpy(&colour, colour_row + x, sizeof colour);
      // A sample is inside if no edge value is negative, that is if the sign bit of their OR is 0.
      const Ints seen =
          __builtin_convertvector((edge_a | edge_b | edge_c) >= 0, Ints) & (here > nearest);
      // The highest byte marks a sample as covered; resolve() counts it.
      const Ints packed = clamp_to_bytes(r) | clamp_to_bytes(g) << 8 | clamp_to_bytes(l) << 16 |
                          static_cast<std::int32_t>(0xff000000U);
      nearest = seen ? here : nearest;
      colour = seen ? packed : colour;
      std::memcpy(near_row + x, &nearest, sizeof nearest);
      std::memcpy(colour_row + x, &colour, sizeof colour);
      x += lanes;
      if (x0 + x > x1) break;
      edge_a += edge_right[0] * lanes;
      edge_b += edge_right[1] * lanes;
      edge_c += edge_right[2] * lanes;
      r += right[0] * lanes;
      g += right[1] * lanes;
      l += right[2] * lanes;
      here += right[3] * lanes;
    }
    va += edge_down[0];
    vb += edge_down[1];
    vc += edge_down[2];
    red += down[0];
    green += down[1];
    blue += down[2];
    nearness += down[3];
  }
}

void Renderer::resolve(const std::uint8_t* background, std::uint8_t* image) const {
  for (int y = 0; y < height_; ++y) {
    const auto* above = &colour_[static_cast<std::size_t>(y) * samples * stride_];
    const auto* below = above + stride_;
    for (int x = 0; x < width_; ++x, background += 3, image += 3, above += 2, below += 2) {
      // No sample of this pixel is covered.
      if ((above[0] | above[1] | below[0] | below[1]) == 0) {
        std::copy_n(background, 3, image);
        continue;
      }
      // Sum two colours of a word at a time, because sums of four bytes need ten bits.
      constexpr std::uint32_t even = 0x00ff00ff;
      const std::uint32_t rb =
          (above[0] & even) + (above[1] & even) + (below[0] & even) + (below[1] & even);
      const std::uint32_t ga = (above[0] >> 8 & even) + (above[1] >> 8 & even) +
                               (below[0] >> 8 & even) + (below[1] >> 8 & even);
      // Each uncovered sample shows the background; adding 2 before the shift rounds.
      const std::uint32_t open = 4 - (ga >> 16) / 255;
      image[0] = static_cast<std::uint8_t>(((rb & 0xffff) + open * background[0] + 2) >> 2);
      image[1] = static_cast<std::uint8_t>(((ga & 0xffff) + open * background[1] + 2) >> 2);
      image[2] = static_cast<std::uint8_t>(((rb >> 16) + open * background[2] + 2) >> 2);
    }
  }
}

void Renderer::resolve_depth(float* depth) const {
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) {
      const auto* sample = &nearness_[static_cast<std::size_t>(y) * samples * stride_ +
                                      static_cast<std::size_t>(x) * samples];
      // The nearest of the four samples: 1 / z is largest there.
      const float near = std::max({sample[0], sample[1], sample[stride_], sample[stride_ + 1]});
      *depth++ = near > 0 ? 1 / near : std::numeric_limits<float>::infinity();
    }
}

}  // namespace reprise::datasets
