// Landmarks drawn on frames: pictures for a person to look at.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>

namespace reprise::datasets {

/// One clip as a strip of its frames, left to right, each enlarged to at least 160 pixels: true landmarks in green, predicted ones in red.
/// frames: [T, S, S] uint8, gray; predicted, truth: [T, 68, 2] pixels. PNG; the same input gives the same bytes. At most `most` frames,
/// evenly spread over the clip.
void write_landmark_strip(const std::filesystem::path& path, const at::Tensor& frames, const at::Tensor& predicted, const at::Tensor& truth,
                          std::int64_t most = 4);

}  // namespace reprise::datasets
