// Shape motion, generated: a disc or a square of one colour crosses a black picture along a Bézier
// curve, from left to right or from top to bottom. After the shape-motion set of MoCoGAN (Tulyakov
// et al. 2018), whose released files read_shape_motion() reads (action_videos.h).
//
// Classes: right, down. With the side S of the picture and the half-width h of the shape, its
// centre in frame t of T is
//     q_t = Σ_{i=0}^{4} C(4, i) u^i (1 - u)^(4 - i) P_i,    u = t / (T - 1)
// P_0 lies at h + 1.5 S / 64 along the way and P_4 as far from the other edge, both at the same
// place across it, so a clip goes the whole way and ends as far across as it began. That place, and
// both coordinates of P_1, P_2 and P_3, are uniform in [h, S - h]: a shape never leaves the
// picture. Drawn in the same way for both classes: disc or square; h, uniform in [S / 16, 7 S / 64]
// times the `scale` (1 is the document's); the colour, uniform in all three channels, and drawn
// again while its brightest channel is below 64, which no mask tells from black (1.6 % of uniform
// colours are).
//
// This is how the released strips are made, as far as 300 of them show: a curve of degree 4 through
// whole pixels fits every path to 0.28 pixels, which is what rounding leaves (degree 3: 0.88); the
// three inner points are spread evenly over [h, S - h]; h is 4, 5, 6 or 7 of S = 64; colours are
// uniform; a way along is 61 - 2 h pixels. There the ways are bottom to top (class 0) and right to
// left (class 1), which are these clips upside down, and edges are hard.
#pragma once
#include <cstdint>

#include "datasets/clips.h"

namespace reprise::datasets {

struct ShapeMotion {
  LabelledClips
      clips;  ///< each two clips are one of each class, in a drawn order; each is its own person; items "shape_motion000017"
  at::Tensor
      path;  ///< [N, T, 2], float64: x and y of the centre in pixels; the centre of the first pixel is at 0.5
  at::Tensor half;       ///< [N], float64: h in pixels
  at::Tensor square;     ///< [N], bool: a square, else a disc
  at::Tensor colour_of;  ///< [N, 3], uint8: the shape's colour
  bool hard_edges;       ///< as in the options
  /// [N, T, S, S], float32: how much of each pixel the shape covers, from 0 to 1.
  at::Tensor mask() const;
};

struct ShapeMotionOptions {
  std::int64_t frames = 16;
  int size = 64;
  double scale =
      1;  ///< how much larger than the document's the shapes are: at 16 x 16 pixels those have 2 to 3.5 a side
  /// Edges as in the released strips: a pixel has the shape's colour or the ground's, and the
  /// centre is rounded to whole pixels. Else edges are smooth over a pixel, so that motion by less
  /// than a pixel is seen, which small pictures need.
  bool hard_edges = false;
};

/// Clip i depends on the seed and i alone, not on n or the number of threads; its curve does not
/// depend on size or number of frames. UsageError: n < 0; frames < 1; a size outside 8 to 1024; a
/// scale outside 0.5 to 3.
ShapeMotion shape_motion(std::int64_t n, const ShapeMotionOptions& options, std::uint64_t seed);

}  // namespace reprise::datasets
