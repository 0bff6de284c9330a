// Clips of faces as methods see them: features of the frozen trunk and true landmarks; some test
// frames for pictures.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "training/sequence_network.h"

namespace reprise::reproduce::prernn_study {

/// Clips of one part.
struct ClipSet {
  at::Tensor features;   ///< [N, T, n] float16, to store several versions
  at::Tensor landmarks;  ///< [N, T, 68, 2] float32, pixels of the crop
};

/// Clips of all parts.
struct ClipSets {
  std::vector<ClipSet> train;  ///< versions of the synthetic training clips, used in turn
  ClipSet validation, test;
  at::Tensor test_damaged;  ///< [N, T] bool, frames in a gap (datasets/scene/gaps.h)
  at::Tensor test_frames;   ///< [M, T, S, S, 3] uint8, frames of the first test clips
  std::int64_t size = 0;    ///< S, side of a frame in pixels
};

/// Writes a safetensors file, completely or not at all.
void write_clips(const std::filesystem::path& path, const ClipSets& sets);
ClipSets read_clips(const std::filesystem::path& path);

/// Makes each frame a clip: [N, T, ...] -> [N T, 1, ...].
ClipSet split_into_frames(const ClipSet& set);

/// Returns the loss of all methods: the mean distance between predicted and true points as a
/// fraction of the crop's side. Both: [..., 136].
at::Tensor point_distance(const at::Tensor& prediction, const at::Tensor& target);

/// Replaces the landmarks of damaged frames by those of clear frames: an oracle that knows which
/// frames are damaged. predicted: [N, T, 68, 2]; damaged: [N, T]. causal: linear extrapolation of
/// the last two clear frames. Otherwise: linear interpolation between the nearest clear frames; the
/// same extrapolation after the last one, a copy before the first one. A clip without clear frames
/// stays as predicted.
at::Tensor bridge_gaps(const at::Tensor& predicted, const at::Tensor& damaged, bool causal);

/// Predicts the landmarks of all clips in batches: [N, T, 68, 2] pixels, on the CPU.
at::Tensor predict_landmarks(training::SequenceNetwork& network, const at::Tensor& features,
                             std::int64_t size);

}  // namespace reprise::reproduce::prernn_study
