// Clips on paper: a picture of all frames of several clips.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace reprise::datasets {

/// Each pixel as a square of as many as bring the shorter side to `least` or more, times being a
/// whole number: [..., H, W, 3].
at::Tensor enlarged(const at::Tensor& frames, std::int64_t least = 64);

/// clips: uint8 [N, T, H, W, 3] -> [height, width, 3]: a row per clip, its frames from left to
/// right, a gray line after each frame. Labels, one per clip or none, stand to the left of their
/// rows, on lines of their own where they hold line feeds. UsageError: another number of labels;
/// clips of another shape.
at::Tensor strips(const at::Tensor& clips, const std::vector<std::string>& labels = {});

/// Up to sixteen pictures above what became of each, both [N, 1 or 3, S, S] from -1 to 1, large
/// enough to see: [height, width, 3], uint8, four rows of pairs.
at::Tensor pairs(const at::Tensor& pictures, const at::Tensor& results);

}  // namespace reprise::datasets
