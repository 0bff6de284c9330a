// Shape motion, generated: a disc or a square of one colour crosses a black picture along a Bézier
// curve. It follows the shape-motion set of MoCoGAN (Tulyakov et al. 2018), whose released files
// read_shape_motion() reads (action_videos.h).
//
// Classes: right, down. With side S of the picture and half-width h of the shape, the centre in
// frame t of T is
//
//     q_t = Σ_{i=0}^{4} C(4, i) u^i (1 - u)^(4 - i) P_i,    u = t / (T - 1)
//
// Along the axis of motion, P_0 lies at h + 1.5 S / 64, and P_4 equally far from the opposite edge.
// Both share one coordinate across it, so a clip crosses the whole picture and ends on its own
// line. That coordinate, and both coordinates of P_1, P_2 and P_3, are uniform in [h, S - h]: a
// shape never leaves the picture.
//
// Drawn alike for both classes:
//
// - disc or square
// - h: uniform in [S / 16, 7 S / 64], times `scale`, which the document does not have
// - colour: uniform in all three channels
//
// Colours whose brightest channel is below 64 are drawn again, because masks do not separate them
// from black. These are 1.6 % of uniform colours.
//
// The model was fitted to 300 released strips with S = 64:
//
// - A curve of degree 4 through whole pixels fits every path to 0.28 pixels, which rounding
//   explains. Degree 3 leaves 0.88 pixels.
// - The three inner points are uniform over [h, S - h].
// - h is a whole number of pixels from 4 to 7.
// - Colours are uniform.
// - The distance travelled is 61 - 2 h pixels.
// - Edges are hard.
// - Class 0 moves from bottom to top, and class 1 from right to left. These are the clips of this
//   file, rotated by half a turn.
#pragma once
#include <cstdint>

#include "datasets/clips.h"

namespace reprise::datasets {

struct ShapeMotion {
  /// Two consecutive clips are one of each class, in random order; each clip is its own person;
  /// items "shape_motion000017"
  LabelledClips clips;
  /// [N, T, 2], float64: centre in pixels (x, y), with the centre of the first pixel at 0.5.
  at::Tensor path;
  at::Tensor half;          ///< [N], float64: h in pixels
  at::Tensor square;        ///< [N], bool: a square, else a disc
  at::Tensor shape_colour;  ///< [N, 3], uint8: colour of the shape
  bool hard_edges;          ///< as in the options
  /// Returns the fraction of each pixel that the shape covers: [N, T, S, S], float32.
  at::Tensor mask() const;
};

struct ShapeMotionOptions {
  std::int64_t frames = 16;
  int size = 64;
  /// Factor on the document's sizes. At 16 x 16 pixels those are half-widths of 1 to 1.75 pixels.
  double scale = 1;
  /// Draws edges as in the released strips: pixels have the colour of the shape or the background,
  /// and the centre is rounded to whole pixels. Otherwise edges are smooth over a pixel, so that
  /// small pictures show motion by less than a pixel.
  bool hard_edges = false;
};

/// Renders n clips. Clip i depends on the seed and i alone, not on n or the number of threads. Its
/// curve depends on neither the size nor the number of frames. UsageError: n or frames too small.
/// UsageError: a size outside 8 to 1024, or a scale outside 0.5 to 3.
ShapeMotion generate_shape_motion(std::int64_t n, const ShapeMotionOptions& options,
                                  std::uint64_t seed);

}  // namespace reprise::datasets
