#include "baselines/adversarial/clip_gan.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"

namespace reprise::baselines {

using training::Examples;
using training::Items;
using training::ScoredBatch;

void ClipGan::fit(const Examples& examples, std::uint64_t seed, training::Progress& progress) {
  const auto& o = options_;
  const bool tgan = o.kind == ClipNetworkKind::Tgan;
  // Without T, clips are as long as the examples. Other shapes are refused below.
  auto T = o.T;
  if (T <= 0) T = examples.x.defined() && examples.x.dim() == 5 ? examples.x.size(1) : 1;
  models::require_clips(examples, T, tgan ? "TGAN" : "VGAN");
  const auto& x = examples.x;
  sizes_ = {.kind = o.kind,
            .side = x.size(4),
            .channels = x.size(2),
            .frames = T,
            .width = o.width_G,
            .temporal_width = o.temporal_width,
            .d_z = o.d_z,
            .depth = o.depth_G,
            .grid = o.grid_G};
  G_ = make_clip_network(sizes_);
  D_ = models::VideoDiscriminators(models::DiscriminatorOptions{.side = sizes_.side,
                                                                .channels = sizes_.channels,
                                                                .frames = sizes_.frames,
                                                                .width = o.width_D,
                                                                .time = models::ClipTime::Halved},
                                   nullptr);
  // G and D draw their weights from one stream, G first.
  Random random = Random(seed).split("weights");
  models::draw_adversarial_weights(*G_, random);
  models::draw_adversarial_weights(*D_, random);
  // A second fit() replaces the network of the first.
  if (named_children().contains("G")) unregister_module("G");
  register_module("G", G_);
  to(x.device());
  D_->to(x.device());
  auto training = o.training;
  training.seed = seed;
  // TGAN is a Wasserstein GAN with clipped singular values; VGAN keeps the loss of the options.
  if (tgan) training.loss = training::AdversarialLoss::Wasserstein;
  learn(make_task(examples), training, progress);
}

training::GanTask ClipGan::make_task(const Examples& examples) {
  const auto& training = options_.training;
  training::GanTask task{.G = G_, .D = D_.ptr(), .discriminators = 1};
  task.draw_real = [this, &examples](Random& random) {
    const auto real = models::draw_clips(examples, options_.batch, random);
    // Clips that have the right length need no random window.
    if (real.clips.size(1) == sizes_.frames) return Items{real.clips.transpose(1, 2)};
    return Items{models::draw_consecutive_frames(real.clips, sizes_.frames, random, real.lengths)};
  };
  // VGAN's mask travels with the clips, because the loss of G penalises it.
  task.generate = [this, device = examples.x.device()](const Items& real, Random& random) {
    const auto made = G_->forward(
        draw_z(sizes_, real[0].size(0), static_cast<std::uint64_t>(random.below(INT64_MAX)))
            .to(device));
    return made.mask.defined() ? Items{made.clips, made.mask} : Items{made.clips};
  };
  task.discriminate = [this, noisy = training.noise.sigma > 0 || training.noise.target > 0](
                          const Items& items, const at::Tensor& noise) {
    return training::DiscriminatorOutput{
        .logits = {D_->video->forward(items[0], noisy ? noise[0] : at::Tensor())}, .extra = {}};
  };
  if (sizes_.kind == ClipNetworkKind::Vgan)
    task.extra_loss_G = [this](const Items&, const ScoredBatch& generated) {
      return options_.weight_of_mask * generated.items[1].mean();
    };
  if (sizes_.kind == ClipNetworkKind::Tgan)
    // A singular value decomposition is slow, so it does not follow every step.
    task.constrain = [this](std::int64_t step) {
      if (step % options_.clip_every == 0) clip_singular_values(*D_);
    };
  return task;
}

at::Tensor ClipGan::sample(const training::SampleRequest& request) {
  if (!G_) throw UsageError("this generator was not fitted", "call fit() first");
  if (request.frames != 0 && request.frames != sizes_.frames)
    throw UsageError(
        fmt::format("{} frames were requested, and the clips that this generator learned have {}",
                    request.frames, sizes_.frames),
        "request as many, or use a generator of any length");
  if (request.count < 1)
    throw UsageError(fmt::format("{} clips were requested", request.count), "request at least one");
  G_->eval();  // batch norm uses its running statistics
  // All codes are drawn at once, so that the parts do not change them.
  const auto z = draw_z(sizes_, request.count, request.seed).to(G_->parameters().front().device());
  return models::generate_in_parts(request.count, [&](std::int64_t first, std::int64_t count) {
    return G_->forward(z.slice(0, first, first + count)).clips.transpose(1, 2).contiguous();
  });
}

}  // namespace reprise::baselines
