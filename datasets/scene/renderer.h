// A small CPU rasteriser: triangles with smooth shading, a z-buffer, perspective, 2x2 samples per
// pixel. It is independent of heads and hands.
//
// Space: camera coordinates, x right, y down, z forward; only z > 0 is visible. A point is
// projected to
//
//     u = centre_x + focal * x / z,   v = centre_y + focal * y / z
//
// in pixels with centres at whole numbers: (0, 0) is the centre of the top left pixel.
//
// Shading of a vertex with unit normal n (l to the light, h = unit(l + (0, 0, -1)); no shadows):
//
//     colour = albedo * (ambient + diffuse * max(0, (n.l + wrap) / (1 + wrap))) * tint
//              + 255 * specular * shine * max(0, n.h)^16
//
// is interpolated over the triangle. Depth is exact: 1/z is linear on the screen.
//
// Edge functions are integers on a grid of 1/16 sample, with the top-left rule. Triangles that
// share an edge neither leave a hole nor overlap. Pictures agree on all machines up to the rounding
// of the shading. Nothing is allocated after the first frame of a size.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace reprise::datasets {

struct Camera {
  double focal = 100;                 ///< pixels
  double centre_x = 0, centre_y = 0;  ///< pixels
};

struct Light {
  std::array<float, 3> direction{
      0, -0.6F, -0.8F};  ///< from the surface to the light, unit length, camera coordinates
  float ambient = 0.45F;
  float diffuse = 0.65F;
  float specular = 0.25F;
  float wrap = 0.25F;  ///< extent of the light beyond the terminator; soft on skin
  std::array<float, 3> tint{1, 1, 1};
};

/// Vertices as a structure of arrays of equal length, camera coordinates.
struct Mesh {
  std::vector<float> x, y, z;     ///< position
  std::vector<float> nx, ny, nz;  ///< unit normal
  std::vector<float> r, g, b;     ///< albedo, 0 to 255
  std::vector<float> shine;       ///< 0 to 1
  /// Corners run clockwise on the screen, seen from outside. Back faces are not drawn, except for
  /// two-sided triangles.
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// First triangle drawn from both sides; their backs have half brightness.
  std::size_t two_sided_from = SIZE_MAX;

  std::size_t vertices() const { return x.size(); }
  void resize(std::size_t vertices);
};

class Renderer {
 public:
  /// UsageError: a side below 1 or above 4096 pixels.
  Renderer(int width, int height);

  /// Clears the picture.
  void clear();
  /// Draws a mesh with depth test, so that the order of meshes does not matter. Triangles with a
  /// corner nearer than z = 0.05 are left out.
  void draw(const Mesh& mesh, const Camera& camera, const Light& light);
  /// Composites everything drawn since clear() over a background. Both are [height, width, 3], row
  /// by row. Edges are the mean of four samples.
  void resolve(const std::uint8_t* background, std::uint8_t* image) const;
  /// Writes z of the nearest sample per pixel, [height, width]; infinity where nothing was drawn.
  void resolve_depth(float* depth) const;

  int width() const { return width_; }
  int height() const { return height_; }

 private:
  using Lane4 = float __attribute__((vector_size(16)));
  struct Corner {
    Lane4 colour;  ///< r, g, b, 1/z
    std::int32_t x;
    std::int32_t y;
    bool seen;
  };
  void place_corners(const Mesh& mesh, const Camera& camera, const Light& light);
  template <typename Whole>
  void fill(const Corner& a, const Corner& b, const Corner& c, float brightness);

  int width_;
  int height_;
  std::size_t stride_ = 0;  ///< samples per row, plus some spare ones that are never shown
  std::vector<Corner> corners_;
  std::vector<std::uint32_t> colour_;  ///< per sample: r, g, b, and 255 if drawn
  std::vector<float> nearness_;        ///< per sample: 1/z; 0 if not drawn
};

}  // namespace reprise::datasets
