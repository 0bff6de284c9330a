// Common parts of adversarial training on clips: batches, discriminators, and generation in parts.
//
// D_V sees T consecutive frames of a clip (S_T). The optional D_I sees single frames (S_1).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/adversarial/discriminator.h"
#include "training/adversarial.h"
#include "training/generator.h"

namespace reprise::models {

struct VideoBatchOptions {
  std::int64_t T = 16;               ///< consecutive frames per clip for D_V
  std::int64_t batch = 32;           ///< clips per iteration
  std::int64_t frames_per_clip = 1;  ///< single frames per clip for D_I; 0: no D_I
};

/// A batch of real clips with what the examples know about them.
struct RealClips {
  at::Tensor clips;    ///< [batch, K, C, S, S]
  at::Tensor labels;   ///< [batch]; undefined: examples without labels
  at::Tensor lengths;  ///< frames of each clip, [batch]; undefined: all frames count
};
/// Draws `count` clips of the examples with replacement.
RealClips draw_clips(const training::Examples& examples, std::int64_t count, Random& random);

/// S_T: draws T consecutive frames of clips [B, K, ...] for D_V: [B, C, T, S, S].
/// All clips share the first frame; with lengths [B], it is drawn for each clip within its length.
at::Tensor draw_consecutive_frames(const at::Tensor& clips, std::int64_t T, Random& random,
                                   const at::Tensor& lengths = {});
/// S_1: draws `count` frames of each clip [B, K, ...]: [B count, C, S, S].
at::Tensor draw_single_frames(const at::Tensor& clips, std::int64_t count, Random& random,
                              const at::Tensor& lengths = {});

/// The discriminators of a task: D_V is named "video", D_I "image".
struct VideoDiscriminatorsImpl : torch::nn::Module {
  VideoDiscriminatorsImpl(const DiscriminatorOptions& video, const DiscriminatorOptions* image);
  Discriminator video{nullptr}, image{nullptr};
};
TORCH_MODULE(VideoDiscriminators);

/// Checks that networks of clips can learn from the examples. UsageError: no clips; pictures;
/// frames that are not square with a power of two from 8 as side; fewer frames than T; a length
/// below T or above the frames (the clip is named); another number of labels or lengths than of
/// clips.
void require_clips(const training::Examples& examples, std::int64_t T, const std::string& who);

/// Calls make(first, count) for at most 64 clips at a time and concatenates: [count, ...] on the
/// CPU, without gradient.
at::Tensor generate_in_parts(
    std::int64_t count,
    const std::function<at::Tensor(std::int64_t first, std::int64_t count)>& make);

}  // namespace reprise::models
