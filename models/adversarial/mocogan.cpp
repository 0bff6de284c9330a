#include "models/adversarial/mocogan.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <optional>

#include "core/error.h"
#include "training/windows.h"

namespace reprise::models {
namespace {

using training::DiscriminatorOutput;
using training::Examples;
using training::Items;
using training::ScoredBatch;

// Positions of items in a batch of the task.
constexpr std::size_t clips_at = 0;
constexpr std::size_t classes_at = 1;
constexpr std::size_t frames_at = 2;

/// Returns p_K; none if all clips have the length of their tensor, or no lengths are given.
/// Generation then draws no lengths, and all clips share one window.
std::optional<training::LengthHistogram> make_length_histogram(const Examples& examples) {
  const auto& lengths = examples.lengths;
  if (!lengths.defined() || lengths.eq(examples.x.size(1)).all().item<bool>()) return std::nullopt;
  const auto values = lengths.cpu().contiguous();
  return training::LengthHistogram({values.const_data_ptr<std::int64_t>(),
                                    values.const_data_ptr<std::int64_t>() + values.numel()});
}

/// Draws the lengths of generated clips from p_K.
at::Tensor draw_lengths(const training::LengthHistogram& histogram, std::int64_t count,
                        Random random) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < count; ++i) lengths.push_back(histogram.sample(random));
  return at::tensor(at::ArrayRef<std::int64_t>(lengths), at::kLong);
}

/// Returns d_A: 0 without actions, as set, or the number of classes of the examples.
std::int64_t count_actions(const MocoganOptions& options, const Examples& examples) {
  if (options.actions == Actions::None) return 0;
  if (options.actions == Actions::Discovered) return options.d_A;
  if (!examples.labels.defined())
    throw UsageError("MoCoGAN was asked to learn actions from labels, and the examples have none",
                     "give labels, or let it discover actions (Actions::Discovered)");
  return examples.labels.max().item<std::int64_t>() + 1;
}

}  // namespace

void Mocogan::fit(const Examples& examples, std::uint64_t seed, training::Progress& progress) {
  const auto& o = options_;
  require_clips(examples, o.batches.T, "MoCoGAN");
  const auto side = examples.x.size(4);
  const auto channels = examples.x.size(2);
  const auto d_A = count_actions(o, examples);
  frames_ = examples.x.size(1);
  G_ = MocoganNetwork(MocoganNetworkOptions{.side = side,
                                            .channels = channels,
                                            .width = o.width_G,
                                            .depth = o.depth_G,
                                            .grid = o.grid_G,
                                            .d_C = o.d_C,
                                            .d_M = o.d_M,
                                            .d_E = o.d_E,
                                            .d_A = d_A,
                                            .entry = o.entry});
  // D_I and D_V share their sizes. Only D_V has the outputs of Q; only D_I may be a patch network.
  DiscriminatorOptions image{.side = side,
                             .channels = channels,
                             .width = o.width_D,
                             .patch = o.patch,
                             .normalisation = o.normalisation};
  auto video = image;
  video.patch = false;
  video.frames = o.batches.T;
  video.outputs = 1 + d_A;
  D_ = VideoDiscriminators(video, o.batches.frames_per_clip > 0 ? &image : nullptr);
  Random random = Random(seed).split("weights");
  draw_adversarial_weights(*G_, random);
  draw_adversarial_weights(*D_, random);
  // The rotation replaces the drawn weights of R_M.
  if (o.rotation_frames > 0) G_->start_rotating(o.rotation_frames, random);
  // A second fit() replaces the network of the first.
  if (named_children().contains("G")) unregister_module("G");
  register_module("G", G_);
  to(examples.x.device());
  D_->to(examples.x.device());
  auto training = o.training;
  training.seed = seed;
  learn(make_task(examples), training, progress);
}

training::GanTask Mocogan::make_task(const Examples& examples) {
  const bool classes = G_->options().d_A > 0;
  const bool labelled = options_.actions == Actions::Labels;
  const bool noisy = options_.training.noise.sigma > 0 || options_.training.noise.target > 0;
  const auto& batches = options_.batches;
  const auto histogram = make_length_histogram(examples);
  // The views of the discriminators: T consecutive frames for D_V and single frames for D_I.
  const auto seen = [&batches](const at::Tensor& clips, const at::Tensor& lengths,
                               const at::Tensor& actions, Random& random) {
    Items items{draw_consecutive_frames(clips, batches.T, random, lengths), actions};
    if (batches.frames_per_clip > 0)
      items.push_back(draw_single_frames(clips, batches.frames_per_clip, random, lengths));
    return items;
  };
  const auto error_of_Q = [](const ScoredBatch& batch) {
    return at::cross_entropy_loss(batch.output.extra[0], batch.items[classes_at]);
  };
  training::GanTask task{
      .G = G_.ptr(), .D = D_.ptr(), .discriminators = batches.frames_per_clip > 0 ? 2 : 1};
  task.draw_real = [&examples, &batches, seen, differ = histogram.has_value()](Random& random) {
    const auto real = draw_clips(examples, batches.batch, random);
    return seen(real.clips, differ ? real.lengths : at::Tensor(),
                real.labels.defined() ? real.labels : at::zeros({batches.batch}, at::kLong),
                random);
  };
  // Lengths, content and motion have separate streams, as in sample_clips().
  task.generate = [this, seen, histogram, device = examples.x.device()](const Items& real,
                                                                        Random& random) {
    const auto count = real[0].size(0);
    const auto lengths =
        histogram ? draw_lengths(*histogram, count, random.split("lengths")) : at::Tensor();
    const auto frames = lengths.defined() ? lengths.max().item<std::int64_t>() : frames_;
    const auto codes = transform_codes(
        draw_codes(G_->options(), count, frames, random.split("content"), random.split("motion")),
        [&](const at::Tensor& code) { return code.to(device); });
    const auto actions = codes.z_A.defined() ? codes.z_A.argmax(1) : at::zeros({count}, at::kLong);
    return seen(G_->forward(codes), lengths, actions, random);
  };
  // D_V's first output is its logit; the others are Q's.
  task.discriminate = [this, classes, noisy](const Items& items, const at::Tensor& noise) {
    const auto of = [&](std::int64_t k) { return noisy ? noise[k] : at::Tensor(); };
    const auto video = D_->video->forward(items[clips_at], of(0));
    DiscriminatorOutput output{.logits = {video.slice(1, 0, 1)}, .extra = {}};
    if (classes) output.extra.push_back(video.slice(1, 1));
    if (D_->image) output.logits.push_back(D_->image->forward(items[frames_at], of(1)));
    return output;
  };
  if (!classes) return task;
  // Q learns from real labels, from generated actions, or from both.
  task.extra_loss_D = [this, labelled, error_of_Q](const ScoredBatch& real,
                                                   const ScoredBatch& generated) {
    if (labelled && !options_.Q_sees_generated) return error_of_Q(real);
    const auto bound = options_.lambda * error_of_Q(generated);
    return labelled ? bound + error_of_Q(real) : bound;
  };
  task.extra_loss_G = [this, error_of_Q](const Items&, const ScoredBatch& generated) {
    return options_.lambda * error_of_Q(generated);
  };
  return task;
}

at::Tensor Mocogan::sample(const training::SampleRequest& request) {
  return sample_clips(ClipRequest{.count = request.count,
                                  .content_seed = request.seed,
                                  .motion_seed = request.seed,
                                  .labels = request.labels,
                                  .frames = request.frames});
}

at::Tensor Mocogan::sample_clips(ClipRequest request) {
  if (!G_) throw UsageError("this generator was not fitted", "call fit() first");
  if (request.frames == 0) request.frames = frames_;
  return models::sample_clips(G_, request);
}

at::Tensor sample_clips(const MocoganNetwork& G, const ClipRequest& request) {
  if (request.frames < 1 || request.count < 1)
    throw UsageError(
        fmt::format("{} clips of {} frames were requested", request.count, request.frames),
        "request at least one of each");
  const auto labels = G->options().d_A > 0 ? request.labels : at::Tensor();
  return decode_clips(G, draw_codes(G->options(), request.count, request.frames,
                                    Random(request.content_seed).split("content"),
                                    Random(request.motion_seed).split("motion"), labels));
}

}  // namespace reprise::models
