// Where the shape of a clip is and which colour it has, frame by frame, and what is read off that:
// whether a generated clip keeps its content (ACD) and whether the set varies (diversity), whether
// its shapes move (step, still), how smoothly (jerk), and whether they are there at all (empty). No
// one of these numbers says that a set is good: frozen clips have the best ACD, and black ones too
// (see clip_verdict.h).
//
// Clips are [N, T, 3, H, W], real numbers from -1 to 1 as generators give them. Colours are on the
// scale 0 to 255: 127.5 (x + 1). A pixel's brightness b is its largest channel, M the largest b of
// the frame.
//     colour   mean colour of the pixels with b > 0.9 M                         [3]
//     centre   Σ b p / Σ b over the pixels with b > 0.25 M, p the pixel's place; the centre of the first pixel is at (0.5, 0.5)
//     shown    M >= 32                                                          a frame below has no shape
// These are for one bright shape on a dark ground. Noise draws the mask to pixels that happen to be
// bright, and so inflates ACD: standard deviation 0.1 takes that of shape motion from 1.2 to 11 at
// 32 x 32 pixels, from 3.1 to 21 at 16 x 16 (what real clips have comes from smooth edges; with
// hard ones it is 0). A frame that is black all over has the colour (0, 0, 0).
//
//     ACD        mean over clips of the mean of |c_s - c_t| over all K (K - 1) / 2 pairs of a clip's K frames     0: no colour changes
//     diversity  mean over all pairs of clips of |C_i - C_j|, C the mean of a clip's colours                      0: one colour for all
//     step       mean over neighbouring frames of |q_t+1 - q_t|                                                   pixels
//     jerk       mean over three frames on end of |q_t+2 - 2 q_t+1 + q_t|                                         pixels
//     still      fraction of clips whose centres all lie within S / 8 of one another, S = (H + W) / 2
//     empty      fraction of frames without a shape
// Step and jerk leave out frames without a shape; a clip with a shape in fewer than two frames is
// still. Where no neighbours have shapes step and jerk are 0. ACD and diversity take every frame.
// Sources: Tulyakov et al. 2018 (ACD; colour scale, mask and pairs are not given there and are
// ours).
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reprise::metrics {

struct ShapeTracks {
  at::Tensor colour;  ///< [N, T, 3], float64, 0 to 255
  at::Tensor
      centre;  ///< [N, T, 2], float64, x and y in pixels; of frames without a shape: the picture's centre
  at::Tensor shown;  ///< [N, T], bool
  double side = 0;   ///< S
};

/// UsageError: not such clips, or none; a value that is not finite or outside [-1, 1] (the clip is
/// named).
ShapeTracks track_shapes(const at::Tensor& clips);
/// Frames [first, first + frames) of each clip. UsageError: not in the clips.
ShapeTracks window_of(const ShapeTracks& tracks, std::int64_t first, std::int64_t frames);

/// UsageError: clips of one frame.
double average_content_distance(const ShapeTracks& tracks);
/// UsageError: fewer than 2 clips.
double content_diversity(const ShapeTracks& tracks);

struct ShapeMotionScores {
  double step = 0, jerk = 0;
  double still = 0, empty = 0;
};
/// UsageError: clips of fewer than 3 frames.
ShapeMotionScores shape_motion_scores(const ShapeTracks& tracks);

/// Mean distance of two paths, pixels: 1 / (N T) Σ |q - p|. predicted, truth: [N, T, 2].
/// UsageError: other shapes; nothing in them.
double path_error(const at::Tensor& predicted, const at::Tensor& truth);

struct WindowScores {
  std::int64_t first = 0;
  double average_content_distance = 0;
  ShapeMotionScores motion;
};
/// Clips longer than those that a generator was trained on, scored window by window: frames [0, T),
/// [T, 2 T), ... A clip that stops has an ever better ACD, and a step that falls: neither shows in
/// a mean over all frames. What is left at the end is not scored. UsageError: frames < 3, or clips
/// shorter than that.
std::vector<WindowScores> scores_by_window(const ShapeTracks& tracks, std::int64_t frames);

/// What records keep for average_content_distance().
inline constexpr const char* acd_protocol = "acd/mask>0.9max,0..255,all-pairs";

}  // namespace reprise::metrics
