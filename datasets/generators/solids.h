// Coloured solids on white, each picture with a short text: "a red cube", "two blue balls". They
// serve three-dimensional models, which need exact camera poses.
//
// World frame: z is up; every solid lies within the ball of radius 1 around the origin. The camera
// looks at the origin from the distance solid_distance. Its azimuth a is counted in degrees from
// the x axis towards the y axis, its elevation e above the horizontal plane:
//
//     position = solid_distance (cos e cos a, cos e sin a, sin e)
//     right    = (-sin a, cos a, 0)
//     down     = (sin e cos a, sin e sin a, -cos e)
//     forward  = -position / solid_distance = right x down
//
// A picture of S x S pixels has the focal length f = 1.8 S pixels. Its principal point is its
// centre, c = (S - 1) / 2 for x and y, because pixel centres are whole numbers. The ray of pixel
// (u, v) starts at `position` in direction
//
//     (u - c) / f right + (v - c) / f down + forward
//
// Light comes from one direction of the world, without specular reflection: a point of a solid has
// the same colour from every viewpoint.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::datasets {

enum class SolidShape { Cube, Ball, Cone, Cylinder, Ring };
enum class SolidColour { Red, Green, Blue, Yellow, Purple, Cyan };

/// A solid whose centre lies in the plane z = 0.
///
/// `size` is the radius of the ball, and about that of the other shapes. No shape extends farther
/// than 1.4 sizes from its centre. In sizes:
///
/// - cube: half an edge is 0.8
/// - cone: upright, height 2, base of radius 0.95
/// - cylinder: upright, height 1.7, base of radius 0.8
/// - ring: a tube of radius 0.3 around a flat circle of radius 0.75
struct PlacedSolid {
  double size = 0.5;
  double x = 0;
  double y = 0;
  double turn = 0;  ///< about the upright axis, degrees
};

struct SolidScene {
  SolidShape shape = SolidShape::Cube;
  SolidColour colour = SolidColour::Red;
  int count = 1;                        ///< 1 or 2
  std::array<PlacedSolid, 2> placed{};  ///< the first `count` are used
};

/// Returns all 60 combinations of shape, colour and count: singles first, then by shape, then by
/// colour.
const std::vector<SolidScene>& solid_combinations();

/// Returns the text of a scene, unique per combination: "a red cube", "two blue balls".
std::string describe_scene(const SolidScene& scene);

/// Returns all words of the texts; number 0 is "", the padding.
const std::vector<std::string>& solid_words();
inline constexpr std::int64_t solid_text_length = 4;
/// Returns the numbers of the words, [solid_text_length], int64, padded with 0. UsageError: a word
/// is unknown (the nearest is named); too many words.
at::Tensor solid_tokens(const std::string& text);

inline constexpr double solid_distance = 4;
inline double solid_focal(int size) { return 1.8 * size; }

/// Returns the camera-to-world matrix: [3, 4], float64, with the columns right, down, forward,
/// position.
at::Tensor solid_pose(double azimuth, double elevation);

/// Renders a scene: [size, size, 3], uint8, white where no solid is. UsageError: the count is
/// neither 1 nor 2. UsageError: a solid extends out of the ball of radius 1 (size and place named).
/// UsageError: an elevation outside -90 to 90. UsageError: a size outside 8 to 1024.
at::Tensor render_solid(const SolidScene& scene, double azimuth, double elevation, int size);

struct SolidViews {
  at::Tensor images;              ///< [N, S, S, 3], uint8
  at::Tensor tokens;              ///< [N, solid_text_length], int64
  at::Tensor combination;         ///< [N], int64: index in solid_combinations()
  at::Tensor azimuth, elevation;  ///< [N], float64, degrees
  std::int64_t size() const { return combination.defined() ? combination.size(0) : 0; }
};

/// Renders n scenes, each from one viewpoint.
///
/// Combinations rotate in an order drawn per round. Two solids stand on opposite sides of the
/// origin. Seen from above, their line makes at least 40 degrees with the line of sight, so that
/// neither hides the other. Drawn per scene:
///
/// - places and turns of the solids
/// - azimuth: 0 to 360 degrees
/// - elevation: 10 to 50 degrees
/// - size of a single solid: 0.45 to 0.6
/// - sizes of a pair: 0.22 to 0.31
///
/// View i depends on neither n nor the number of threads. UsageError: n < 0; no combination, or one
/// out of range; a size that render_solid() refuses.
SolidViews render_solid_views(std::int64_t n, int size, std::uint64_t seed,
                              const std::vector<std::int64_t>& combinations);

}  // namespace reprise::datasets
