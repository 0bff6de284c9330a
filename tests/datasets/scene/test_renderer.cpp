#include <cmath>

#include "datasets/scene/renderer.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

// A flat square of side 2 * half at depth z, facing the camera, of one colour.
Mesh square(float z, float half, std::array<float, 3> colour, float x = 0) {
  Mesh mesh;
  mesh.resize(4);
  mesh.x = {x - half, x + half, x - half, x + half};
  mesh.y = {-half, -half, half, half};
  mesh.z = {z, z, z, z};
  mesh.nz = {-1, -1, -1, -1};
  mesh.r.assign(4, colour[0]), mesh.g.assign(4, colour[1]), mesh.b.assign(4, colour[2]);
  mesh.triangles = {{0, 1, 2}, {1, 3, 2}};
  return mesh;
}

// Colours come out as they are.
constexpr Light plain{.direction = {0, 0, -1}, .ambient = 1, .diffuse = 0, .specular = 0};
constexpr Camera camera{.focal = 32, .centre_x = 15.5, .centre_y = 15.5};

struct Picture {
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(32 * 32 * 3),
                            behind = std::vector<std::uint8_t>(32 * 32 * 3, 7);
  std::vector<float> depth = std::vector<float>(32 * 32);
  explicit Picture(const Renderer& renderer) {
    renderer.resolve(behind.data(), bytes.data());
    renderer.resolve_depth(depth.data());
  }
  std::array<int, 3> at(int x, int y) const {
    return {bytes[(y * 32 + x) * 3], bytes[(y * 32 + x) * 3 + 1], bytes[(y * 32 + x) * 3 + 2]};
  }
};

TEST(Renderer, DrawsASquareWhereItsCornersProject) {
  Renderer renderer(32, 32);
  renderer.draw(square(2, 0.5F, {200, 100, 50}), camera, plain);
  const Picture picture(renderer);
  // 15.5 +- 32 * 0.5 / 2 = 7.5 and 23.5: pixels 8 to 23 and no other, fully covered.
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      const bool inside = x >= 8 && x <= 23 && y >= 8 && y <= 23;
      EXPECT_EQ(picture.at(x, y), (inside ? std::array{200, 100, 50} : std::array{7, 7, 7}))
          << x << " " << y;
    }
}

TEST(Renderer, TheNearerHidesTheFartherInEitherOrder) {
  for (const bool near_first : {true, false}) {
    Renderer renderer(32, 32);
    const auto near = square(2, 0.25F, {10, 20, 30}), far = square(4, 2, {200, 200, 200});
    renderer.draw(near_first ? near : far, camera, plain);
    renderer.draw(near_first ? far : near, camera, plain);
    const Picture picture(renderer);
    EXPECT_EQ(picture.at(15, 15), (std::array{10, 20, 30}));
    EXPECT_EQ(picture.at(2, 2), (std::array{200, 200, 200}));
    EXPECT_NEAR(picture.depth[15 * 32 + 15], 2, 1e-4);
    EXPECT_NEAR(picture.depth[2 * 32 + 2], 4, 1e-4);
  }
}

TEST(Renderer, DepthOfASlantedPlaneIsExact) {
  auto mesh = square(2, 1, {255, 255, 255});
  mesh.z = {2, 4, 2, 4};  // z = 3 + x
  Renderer renderer(32, 32);
  renderer.draw(mesh, camera, plain);
  std::vector<float> depth(32 * 32);
  renderer.resolve_depth(depth.data());
  // At the nearest sample of pixel u, a quarter pixel to the left: x = s z and z = 3 + x, so z = 3
  // / (1 - s).
  const double s = (14.75 - 15.5) / 32;
  EXPECT_NEAR(depth[15 * 32 + 15], 3 / (1 - s), 1e-3);
}

TEST(Renderer, NeighboursShareTheirEdgeWithoutHoleOrOverlap) {
  // A fan round a point between pixels: every covered sample must be covered once.
  Mesh fan;
  const int spokes = 17;
  fan.resize(spokes + 1);
  fan.z.assign(spokes + 1, 1), fan.nz.assign(spokes + 1, -1);
  fan.r.assign(spokes + 1, 255), fan.g.assign(spokes + 1, 255), fan.b.assign(spokes + 1, 255);
  fan.x[spokes] = 0.013F, fan.y[spokes] = -0.021F;
  for (int i = 0; i < spokes; ++i)
    fan.x[i] = 0.4F * std::cos(2 * 3.14159265F * i / spokes),
    fan.y[i] = 0.4F * std::sin(2 * 3.14159265F * i / spokes);
  int whole = 0, parts = 0;
  for (std::uint32_t i = 0; i < spokes; ++i) fan.triangles.push_back({spokes, i, (i + 1) % spokes});
  const auto covered = [](const Mesh& mesh) {
    Renderer renderer(32, 32);
    renderer.draw(mesh, camera, plain);
    const std::vector<std::uint8_t> black(32 * 32 * 3);
    std::vector<std::uint8_t> image(32 * 32 * 3);
    renderer.resolve(black.data(), image.data());
    int samples = 0;
    for (std::size_t i = 0; i < image.size(); i += 3)
      samples += static_cast<int>(std::lround(image[i] / 63.75));
    return samples;
  };
  whole = covered(fan);
  for (const auto& triangle : std::vector(fan.triangles)) {
    fan.triangles = {triangle};
    parts += covered(fan);
  }
  EXPECT_EQ(whole, parts);
  EXPECT_NEAR(whole, 4 * 17 / 2.0 * std::sin(2 * 3.14159265 / 17) * 12.8 * 12.8, 40);
}

TEST(Renderer, BackFacesAreHiddenUnlessTwoSided) {
  auto mesh = square(2, 0.5F, {200, 100, 50});
  for (auto& [a, b, c] : mesh.triangles) std::swap(b, c);
  Renderer renderer(32, 32);
  renderer.draw(mesh, camera, plain);
  EXPECT_EQ(Picture(renderer).at(15, 15), (std::array{7, 7, 7}));
  mesh.two_sided_from = 0;
  renderer.draw(mesh, camera, plain);
  EXPECT_EQ(Picture(renderer).at(15, 15), (std::array{100, 50, 25}));
}

TEST(Renderer, EdgesAreTheMeanOfFourSamples) {
  Renderer renderer(32, 32);
  // The left edge at pixel 8 exactly: half of its samples are covered.
  renderer.draw(square(1, 0.5F, {207, 207, 207}, 8.0F / 32 - 15.5F / 32 + 0.5F), camera, plain);
  EXPECT_EQ(Picture(renderer).at(8, 15), (std::array{107, 107, 107}));
}

TEST(Renderer, ClearForgetsAndTrianglesBehindTheCameraAreLeftOut) {
  Renderer renderer(32, 32);
  renderer.draw(square(2, 0.5F, {200, 100, 50}), camera, plain);
  renderer.clear();
  renderer.draw(square(-2, 0.5F, {200, 100, 50}), camera, plain);
  const Picture picture(renderer);
  EXPECT_EQ(picture.at(15, 15), (std::array{7, 7, 7}));
  EXPECT_TRUE(std::isinf(picture.depth[15 * 32 + 15]));
}

TEST(Renderer, LightFollowsItsFormula) {
  auto mesh = square(2, 0.5F, {100, 100, 100});
  Light light{
      .direction = {0, 0, -1}, .ambient = 0.3F, .diffuse = 0.5F, .specular = 0, .wrap = 0.25F};
  Renderer renderer(32, 32);
  renderer.draw(mesh, camera, light);
  EXPECT_EQ(Picture(renderer).at(15, 15)[0], 80);  // n.l = 1: 0.3 + 0.5
  light.direction = {1, 0, 0};
  renderer.clear();
  renderer.draw(mesh, camera, light);
  EXPECT_EQ(Picture(renderer).at(15, 15)[0], 40);  // n.l = 0: 0.3 + 0.5 * 0.25 / 1.25
}

TEST(Renderer, ALargeTriangleIsFilledLikeASmallOne) {
  Renderer renderer(32, 32);
  renderer.draw(square(2, 5000, {200, 100, 50}), camera, plain);
  const Picture picture(renderer);
  for (const int at : {0, 15, 31}) EXPECT_EQ(picture.at(at, 31 - at), (std::array{200, 100, 50}));
}

TEST(Renderer, RefusesSizesThatCannotBeDrawn) {
  EXPECT_THAT([] { Renderer(0, 10); },
              ThrowsUsageError(HasSubstr("0 x 10"), HasSubstr("1 to 4096")));
}

}  // namespace
}  // namespace reprise::datasets
