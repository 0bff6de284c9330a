// Sheets of clips: all frames of several clips in one picture.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace reprise::datasets {

/// Repeats pixels by a whole number until the shorter side has at least `least`: [..., H, W, 3].
at::Tensor enlarge(const at::Tensor& frames, std::int64_t least = 64);

/// Draws clips (uint8 [N, T, H, W, 3]) as a picture [height, width, 3], one row per clip. Frames
/// run from left to right, with a gray line after each. Labels, one per clip or none, stand left of
/// their rows; line feeds separate their lines. UsageError: the number of labels differs; clips
/// have another shape.
at::Tensor draw_strips(const at::Tensor& clips, const std::vector<std::string>& labels = {});

/// Draws up to sixteen pictures above their results, in four rows of pairs. Both are [N, 1 or 3, S,
/// S] from -1 to 1. Returns [height, width, 3], uint8, enlarged for viewing.
at::Tensor draw_pairs(const at::Tensor& pictures, const at::Tensor& results);

}  // namespace reprise::datasets
