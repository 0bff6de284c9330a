#include "datasets/generators/solid_mesh.h"

#include <cmath>
#include <numbers>

namespace reprise::datasets {
namespace {

constexpr float full_turn = 2 * std::numbers::pi_v<float>;
/// Corners of a circle.
constexpr int around = 40;

/// Builds the mesh of a shape, vertex by vertex.
class SolidBuilder {
 public:
  explicit SolidBuilder(SolidShape shape) {
    switch (shape) {
      case SolidShape::Cube:
        add_cube(0.8F);
        break;
      case SolidShape::Ball:
        // The curve is a half circle from the lower to the upper pole; its normal is the point
        // itself.
        sweep(16, [](float t) {
          const float a = std::numbers::pi_v<float> * (t - 0.5F);
          return Profile{std::cos(a), std::sin(a), std::cos(a), std::sin(a)};
        });
        break;
      case SolidShape::Cone:
        // The side runs from the base (height -1) to the tip (height 1). Its normal is at right
        // angles to the step (-0.95, 2).
        sweep(8, [](float t) {
          return Profile{0.95F * (1 - t), 2 * t - 1, 2 / std::hypot(2.0F, 0.95F),
                         0.95F / std::hypot(2.0F, 0.95F)};
        });
        add_disc(0.95F, -1);
        break;
      case SolidShape::Cylinder:
        sweep(1, [](float t) { return Profile{0.8F, 0.85F * (2 * t - 1), 1, 0}; });
        add_disc(0.8F, -0.85F);
        add_disc(0.8F, 0.85F);
        break;
      case SolidShape::Ring:
        // The tube's circle: radius 0.3 around a centre that is 0.75 from the axis.
        sweep(20, [](float t) {
          const float a = full_turn * t;
          return Profile{0.75F + 0.3F * std::cos(a), 0.3F * std::sin(a), std::cos(a), std::sin(a)};
        });
        break;
    }
  }
  SolidMesh mesh() const { return mesh_; }

 private:
  /// Point of a curve that is rotated about the upright axis: distance, height and normal.
  struct Profile {
    float out;
    float up;
    float normal_out;
    float normal_up;
  };

  std::uint32_t add_corner(const Point& place, const Point& facing) {
    mesh_.at.push_back(place);
    mesh_.normal.push_back(facing);
    return static_cast<std::uint32_t>(mesh_.at.size() - 1);
  }
  /// Adds a triangle, clockwise seen from where the normals point to: so the renderer draws it.
  void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    // Normals point outwards, so the sign of this product tells the order of the corners.
    const auto& at = mesh_.at;
    const auto& normal = mesh_.normal;
    const bool clockwise =
        dot(cross(at[b] - at[a], at[c] - at[a]), normal[a] + normal[b] + normal[c]) < 0;
    mesh_.triangles.push_back(clockwise ? std::array{a, b, c} : std::array{a, c, b});
  }

  /// Adds the surface that a curve sweeps when it rotates about the upright axis.
  template <typename Curve>
  void sweep(int rows, const Curve& curve) {
    // Each row is one position along the curve, with `around` corners on its circle.
    const auto first = static_cast<std::uint32_t>(mesh_.at.size());
    for (int row = 0; row <= rows; ++row) {
      const Profile p = curve(static_cast<float>(row) / static_cast<float>(rows));
      for (int k = 0; k < around; ++k) {
        const float a = full_turn * static_cast<float>(k) / around;
        const float c = std::cos(a);
        const float s = std::sin(a);
        add_corner({p.out * c, p.out * s, p.up}, {p.normal_out * c, p.normal_out * s, p.normal_up});
      }
    }
    // Two triangles join each pair of corners to the row above. The last corner joins the first.
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < around; ++k) {
        const auto a = first + static_cast<std::uint32_t>(row * around + k);
        const auto b = first + static_cast<std::uint32_t>(row * around + (k + 1) % around);
        add_triangle(a, b, a + around);
        add_triangle(b, b + around, a + around);
      }
  }
  /// Adds a flat base. It shares no corners with the side, because their normals differ.
  void add_disc(float radius, float up) {
    const Point facing{0, 0, up < 0 ? -1.0F : 1.0F};
    const auto middle = add_corner({0, 0, up}, facing);
    for (int k = 0; k < around; ++k) {
      const float a = full_turn * static_cast<float>(k) / around;
      add_corner({radius * std::cos(a), radius * std::sin(a), up}, facing);
    }
    for (std::uint32_t k = 0; k < around; ++k)
      add_triangle(middle, middle + 1 + k, middle + 1 + (k + 1) % around);
  }
  /// Adds six faces of four corners each. Corners are not shared, so that shading is flat.
  void add_cube(float half) {
    for (const float side : {-1.0F, 1.0F})
      for (int axis = 0; axis < 3; ++axis) {
        // Rotating the coordinates cyclically keeps the orientation of a face for all three axes.
        const auto turned_to = [axis](float along, float one, float other) {
          if (axis == 0) return Point{along, one, other};
          if (axis == 1) return Point{other, along, one};
          return Point{one, other, along};
        };
        std::array<std::uint32_t, 4> face{};
        for (std::size_t k = 0; k < 4; ++k)
          face[k] = add_corner(
              turned_to(side, k == 1 || k == 2 ? 1.0F : -1.0F, k >= 2 ? 1.0F : -1.0F) * half,
              turned_to(side, 0, 0));
        add_triangle(face[0], face[1], face[2]);
        add_triangle(face[0], face[2], face[3]);
      }
  }

  SolidMesh mesh_;
};

}  // namespace

const SolidMesh& solid_mesh(SolidShape shape) {
  // Meshes do not depend on the scene, so each is built once. The order is that of SolidShape.
  static const std::array<SolidMesh, 5> all{
      SolidBuilder(SolidShape::Cube).mesh(), SolidBuilder(SolidShape::Ball).mesh(),
      SolidBuilder(SolidShape::Cone).mesh(), SolidBuilder(SolidShape::Cylinder).mesh(),
      SolidBuilder(SolidShape::Ring).mesh()};
  return all[static_cast<std::size_t>(shape)];
}

}  // namespace reprise::datasets
