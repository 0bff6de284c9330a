// A set of clips as the methods see it: features of the frozen trunk, true landmarks, and some test
// frames for pictures.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "training/sequence_network.h"

namespace reprise::reproduce::prernn_study {

struct ClipSet {
  at::Tensor features;   ///< [N, T, n] float16: many films of training clips are kept
  at::Tensor landmarks;  ///< [N, T, 68, 2] float32, pixels of the crop
};

struct ClipSets {
  std::vector<ClipSet> train;  ///< films: so many times the training faces were filmed
  ClipSet validation, test;
  at::Tensor test_damaged;  ///< [N, T] bool: frames within a gap (datasets/scene/gaps.h)
  at::Tensor test_frames;   ///< of the first clips, [M, T, S, S, 3] uint8
  std::int64_t size = 0;    ///< S, pixels a side
};

/// One safetensors file; written whole or not at all.
void write_clips(const std::filesystem::path& path, const ClipSets& sets);
ClipSets read_clips(const std::filesystem::path& path);

/// Every frame its own clip: [N, T, ...] -> [N T, 1, ...].
ClipSet without_memory(const ClipSet& set);

/// The loss of every method: the mean distance of a predicted point from the true one, in shares of
/// the crop's side. Both: [..., 136].
at::Tensor point_distance(const at::Tensor& prediction, const at::Tensor& target);

/// What whoever knows which frames are damaged makes of predictions: a damaged frame's landmarks
/// from those of clear frames of its clip. By what came before alone: those of the last clear one,
/// moved on as from the one before it to it. Else: on the line between the nearest clear ones to
/// both sides. Where there is none to a side the other side's, and where there is none at all the
/// prediction. predicted: [N, T, 68, 2]; damaged: [N, T].
at::Tensor bridge_gaps(const at::Tensor& predicted, const at::Tensor& damaged, bool causal);

/// Predicted landmarks of all clips, [N, T, 68, 2] pixels, on the CPU; in inference mode, in
/// pieces.
at::Tensor predict(training::SequenceNetwork& network, const at::Tensor& features,
                   std::int64_t size);

}  // namespace reprise::reproduce::prernn_study
