// Scores of clips that show one bright shape on a dark ground: the colour and the position of the
// shape in each frame, and what follows from them.
//
//   - Does a clip keep its content (ACD), and does the set vary (diversity)?
//   - Do the shapes move (step, still), and how smoothly (jerk)?
//   - Are they visible at all (empty)?
//
// No single score shows that a set is good: frozen and black clips have the best ACD
// (clip_scores.h).
//
// Clips are [N, T, 3, H, W] with values from -1 to 1; colours use the scale 127.5 (x + 1). The
// brightness b of a pixel is its largest channel, and M is the largest b of the frame.
//
//   - colour, [3]: mean colour of the pixels with b > 0.9 M; 0 for a black frame.
//   - centre, [2]: Σ b p / Σ b over the pixels with b > 0.25 M, at positions p.
//   - visible: M >= 32; a darker frame has no shape.
//
// The first pixel has its centre at (0.5, 0.5).
//
//   - ACD: mean |c_s - c_t| over all pairs of frames of a clip, mean over clips.
//   - diversity: mean |C_i - C_j| over all pairs of clips, with C the mean colour of a clip.
//   - step: mean |q_t+1 - q_t| over consecutive frames, pixels.
//   - jerk: mean |q_t+2 - 2 q_t+1 + q_t| over three consecutive frames, pixels.
//   - still: fraction of clips whose centres all lie within S / 8 of each other.
//   - empty: fraction of frames without a shape.
//
// S = (H + W) / 2. ACD 0: no colour changes. Diversity 0: all clips have one colour; both use every
// frame. Step and jerk use frames with a shape, and are 0 without such neighbours. A clip with
// fewer than two visible shapes is still.
//
// Noise moves the colour mask to pixels that happen to be bright, and inflates ACD. The ACD of
// shape motion with added noise of standard deviation 0.1:
//
//   - 32 x 32 pixels: 11 instead of 1.2.
//   - 16 x 16 pixels: 21 instead of 3.1.
//
// The values without noise come from smooth edges; hard edges give 0.
// Sources: Tulyakov et al. 2018 (ACD). Colour scale, mask and pairs are this project's.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

struct ShapeTracks {
  at::Tensor colour;   ///< [N, T, 3], float64, 0 to 255
  at::Tensor centre;   ///< [N, T, 2], float64, x and y in pixels; the frame's centre if no shape
  at::Tensor visible;  ///< [N, T], bool
  double side = 0;     ///< S, pixels
};

/// Tracks the shape of each clip. UsageError: another shape or no clip; a value that is not finite
/// or outside [-1, 1] (names the clip).
ShapeTracks track_shapes(const at::Tensor& clips);
/// Cuts frames [first, first + frames) out of each clip. UsageError: frames outside the clips.
ShapeTracks cut_window(const ShapeTracks& tracks, std::int64_t first, std::int64_t frames);

/// ACD, 0 to 255. UsageError: clips of one frame.
double average_content_distance(const ShapeTracks& tracks);
/// Diversity, 0 to 255. UsageError: fewer than two clips.
double content_diversity(const ShapeTracks& tracks);

struct ShapeMotionScores {
  double step = 0, jerk = 0;    ///< pixels
  double still = 0, empty = 0;  ///< fractions
};
/// Scores of the motion. UsageError: clips of fewer than three frames.
ShapeMotionScores shape_motion_scores(const ShapeTracks& tracks);

/// Mean distance of two paths, pixels: 1 / (N T) Σ |q - p|. predicted, truth: [N, T, 2].
/// UsageError: other or empty shapes.
double path_error(const at::Tensor& predicted, const at::Tensor& truth);

struct WindowScores {
  std::int64_t first = 0;  ///< first frame of the window
  double average_content_distance = 0;
  ShapeMotionScores motion;
};
/// Scores each window [0, T), [T, 2 T), ... of clips that are longer than the training clips.
/// ACD and step decrease over time in clips that come to rest, which a mean over all frames hides.
/// An incomplete window at the end is ignored.
/// UsageError: frames < 3, or clips shorter than that.
std::vector<WindowScores> score_windows(const ShapeTracks& tracks, std::int64_t frames);

/// Name of average_content_distance() in records.
inline constexpr const char* acd_protocol = "acd/mask>0.9max,0..255,all-pairs";

}  // namespace reprise::metrics
