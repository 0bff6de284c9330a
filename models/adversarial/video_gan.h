// What generative adversarial networks of clips have in common when they learn: batches, the
// judges, and sampling in parts.
//
// The judges are D_V, which sees T consecutive frames of a clip (S_T), and where asked for D_I,
// which sees single frames of it (S_1).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/adversarial/discriminator.h"
#include "training/adversarial.h"
#include "training/generator.h"

namespace reprise::models {

struct VideoBatchOptions {
  std::int64_t T = 16;               ///< frames that D_V sees
  std::int64_t batch = 32;           ///< clips per iteration
  std::int64_t frames_per_clip = 1;  ///< those that D_I sees; 0: there is no D_I
};

/// [batch, C, T, S, S] of clips [N, K, C, S, S]: which clip, and which T of its K frames, at
/// random.
struct RealClips {
  at::Tensor clips;    ///< [batch, K, C, S, S]
  at::Tensor labels;   ///< [batch], where the examples have any
  at::Tensor lengths;  ///< [batch], where the examples have any
};
RealClips draw_clips(const training::Examples& examples, std::int64_t count, Random& random);

/// S_T: T consecutive frames of each clip [B, K, ...], as D_V takes them: [B, C, T, S, S]. The same
/// frames of all clips; with lengths [B], how many frames of each count, they are drawn for each.
at::Tensor consecutive_frames(const at::Tensor& clips, std::int64_t T, Random& random,
                              const at::Tensor& lengths = {});
/// S_1: `count` frames of each clip [B, K, ...], drawn for each: [B count, C, S, S].
at::Tensor single_frames(const at::Tensor& clips, std::int64_t count, Random& random,
                         const at::Tensor& lengths = {});

/// The judges of a game: D_V as "video", D_I as "image".
struct VideoJudgesImpl : torch::nn::Module {
  VideoJudgesImpl(const DiscriminatorOptions& video, const DiscriminatorOptions* image);
  Discriminator video{nullptr}, image{nullptr};
};
TORCH_MODULE(VideoJudges);

/// Examples that networks of clips can learn from. UsageError: none; pictures; frames that are not
/// square or whose side is not a power of two from 8; fewer frames than T, or a length below T or
/// beyond the frames (the clip is named); labels or lengths of another number.
void require_clips(const training::Examples& examples, std::int64_t T, const std::string& who);

/// make(first, count) for at most 64 clips at a time, one after the other: [count, ...] without
/// gradient, on the CPU.
at::Tensor in_parts(std::int64_t count,
                    const std::function<at::Tensor(std::int64_t first, std::int64_t count)>& make);

}  // namespace reprise::models
