// Solids of one colour before white, each picture with a short text: "a red cube", "two blue
// balls". For three-dimensional models, which need to know exactly from where a picture was taken.
//
// World: z is up; every solid lies within the ball of radius 1 round the origin. The camera looks
// at the origin from the distance solid_distance at an azimuth a (degrees from the x axis towards
// the y axis) and an elevation e (above the horizontal plane):
//     position = solid_distance (cos e cos a, cos e sin a, sin e)
//     right    = (-sin a, cos a, 0)
//     down     = (sin e cos a, sin e sin a, -cos e)
//     forward  = -position / solid_distance = right x down
// A picture of S x S pixels has focal length f = 1.8 S pixels and its principal point at c = (S -
// 1) / 2, pixels having their centres at whole numbers: pixel (u, v) looks from `position` along
//     (u - c) / f right + (v - c) / f down + forward
//
// The light comes from one direction of the world, and nothing shines: a point of a solid has the
// same colour from wherever it is seen.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

enum class SolidShape { Cube, Ball, Cone, Cylinder, Ring };
enum class SolidColour { Red, Green, Blue, Yellow, Purple, Cyan };

/// Its centre lies in the plane z = 0. `size`: the radius of the ball, and about that of the other
/// shapes: half an edge of the cube is 0.8 of it; cone and cylinder stand upright, 2 and 1.7 times
/// it high, with a base of radius 0.95 and 0.8 of it; the ring lies flat, its tube of radius 0.3 of
/// it round a circle of 0.75. None reaches farther than 1.4 sizes from its centre.
struct PlacedSolid {
  double size = 0.5;
  double x = 0, y = 0;
  double turn = 0;  ///< about the upright axis, degrees
};

struct SolidScene {
  SolidShape shape = SolidShape::Cube;
  SolidColour colour = SolidColour::Red;
  int count = 1;                        ///< 1 or 2
  std::array<PlacedSolid, 2> placed{};  ///< the first `count` are there
};

/// Shape, colour and count of every combination, 60 in all; singles first, then by shape, then by
/// colour.
const std::vector<SolidScene>& solid_combinations();

/// "a red cube", "two blue balls": different for every combination.
std::string text(const SolidScene& scene);

/// Every word of the texts; number 0 is "", no word.
const std::vector<std::string>& solid_words();
inline constexpr std::int64_t solid_text_length = 4;
/// The numbers of the words, [solid_text_length], int64, padded with 0. UsageError: a word that is
/// not in the list (the nearest is named); too many words.
at::Tensor solid_tokens(const std::string& text);

inline constexpr double solid_distance = 4;
inline double solid_focal(int size) { return 1.8 * size; }

/// Camera to world: [3, 4], float64, the columns right, down, forward, position.
at::Tensor solid_pose(double azimuth, double elevation);

/// [size, size, 3], uint8, white where no solid is. UsageError: a count other than 1 or 2; a solid
/// that reaches out of the ball of radius 1 (size and place named); an elevation outside -90 to 90;
/// a size outside 8 to 1024.
at::Tensor render_solid(const SolidScene& scene, double azimuth, double elevation, int size);

struct SolidViews {
  at::Tensor images;              ///< [N, S, S, 3], uint8
  at::Tensor tokens;              ///< [N, solid_text_length], int64
  at::Tensor combination;         ///< [N], int64: its number in solid_combinations()
  at::Tensor azimuth, elevation;  ///< [N], float64, degrees
  std::int64_t size() const { return combination.defined() ? combination.size(0) : 0; }
};

/// n scenes, each seen once. The combinations go round, in an order drawn for each round. Drawn
/// once a scene: sizes (0.45 to 0.6 alone,
/// 0.22 to 0.31 in pairs), places, turns, an azimuth of 0 to 360 degrees and an elevation of 10 to 50. Two solids stand on opposite sides
/// of the origin, and seen from above the line through them makes 40 degrees or more with that of
/// sight, so that neither hides the other. View i depends on neither n nor the number of threads.
/// UsageError: n < 0; no combination, or a number that is not there; a size as render_solid()
/// refuses.
SolidViews solid_views(std::int64_t n, int size, std::uint64_t seed,
                       const std::vector<std::int64_t>& combinations);

}  // namespace reprise::datasets
