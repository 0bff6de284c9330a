#include "models/adversarial/video_gan.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "training/windows.h"

namespace reprise::models {

RealClips draw_clips(const training::Examples& examples, std::int64_t count, Random& random) {
  auto chosen = at::empty({count}, at::kLong);
  for (std::int64_t i = 0; i < count; ++i)
    chosen.data_ptr<std::int64_t>()[i] = random.below(examples.x.size(0));
  const auto of = [](const at::Tensor& values, const at::Tensor& places) {
    return values.defined() ? values.index_select(0, places.to(values.device())) : values;
  };
  return {of(examples.x, chosen), of(examples.labels, chosen), of(examples.lengths, chosen)};
}

at::Tensor draw_consecutive_frames(const at::Tensor& clips, std::int64_t T, Random& random,
                                   const at::Tensor& lengths) {
  if (lengths.defined())
    return training::draw_windows(clips, {.frames = T}, random, lengths).transpose(1, 2);
  // One window for the whole batch, which needs no copy.
  const auto first = random.below(clips.size(1) - T + 1);
  return clips.slice(1, first, first + T).transpose(1, 2);
}

at::Tensor draw_single_frames(const at::Tensor& clips, std::int64_t count, Random& random,
                              const at::Tensor& lengths) {
  const auto B = clips.size(0);
  const auto K = clips.size(1);
  // Row i of `chosen` holds the frames of clip i; adding i K makes them rows of the flattened
  // clips.
  auto chosen = at::empty({B, count}, at::kLong);
  for (std::int64_t i = 0; i < chosen.numel(); ++i)
    chosen.data_ptr<std::int64_t>()[i] =
        random.below(lengths.defined() ? lengths[i / count].item<std::int64_t>() : K);
  const auto places = (chosen + at::arange(0, B * K, K).unsqueeze(1)).flatten();
  return clips.flatten(0, 1).index_select(0, places.to(clips.device()));
}

VideoDiscriminatorsImpl::VideoDiscriminatorsImpl(const DiscriminatorOptions& of_video,
                                                 const DiscriminatorOptions* of_image) {
  video = register_module("video", Discriminator(of_video));
  if (of_image) image = register_module("image", Discriminator(*of_image));
}

void require_clips(const training::Examples& examples, std::int64_t T, const std::string& who) {
  const auto& x = examples.x;
  if (!x.defined() || x.size(0) == 0)
    throw UsageError("there are no examples to learn from",
                     "give x as [N, T, C, H, W], N at least 1");
  if (x.dim() != 5)
    throw UsageError(fmt::format("{} learns clips, and the examples are pictures", who),
                     "give x as [N, T, C, H, W]");
  if (x.size(3) != x.size(4))
    throw UsageError(
        fmt::format("{} learns square frames, and these are {} x {}", who, x.size(3), x.size(4)),
        "crop or scale the frames");
  count_halvings(x.size(3));  // refuses other sides
  if (x.size(1) < T)
    throw UsageError(fmt::format("{} sees {} frames, and the examples have {}", who, T, x.size(1)),
                     "give longer clips, or set T lower");
  if (const auto& lengths = examples.lengths; lengths.defined()) {
    if (lengths.dim() != 1 || lengths.size(0) != x.size(0))
      throw UsageError(fmt::format("{} lengths for {} examples", lengths.numel(), x.size(0)),
                       "give one length per example");
    // A clip must have a whole window, and no more frames than its tensor.
    const auto wrong = (lengths.lt(T) | lengths.gt(x.size(1))).nonzero();
    if (wrong.size(0) > 0) {
      const auto i = wrong[0].item<std::int64_t>();
      throw UsageError(
          fmt::format("example {} has a length of {} frames, {} sees {}, and {} are there", i,
                      lengths[i].item<std::int64_t>(), who, T, x.size(1)),
          "leave out clips that are shorter, or set T lower");
    }
  }
  if (examples.labels.defined() && examples.labels.size(0) != x.size(0))
    throw UsageError(fmt::format("{} labels for {} examples", examples.labels.size(0), x.size(0)),
                     "give one label per example");
}

at::Tensor generate_in_parts(std::int64_t count,
                             const std::function<at::Tensor(std::int64_t, std::int64_t)>& make) {
  constexpr std::int64_t at_a_time = 64;  // clips; bounds the memory of activations
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> parts;
  for (std::int64_t first = 0; first < count; first += at_a_time)
    parts.push_back(make(first, std::min(at_a_time, count - first)).cpu());
  return at::cat(parts);
}

}  // namespace reprise::models
