#include "models/translation/digit_unit.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "training/draw_indices.h"

namespace reprise::models {
namespace {

using training::AdaptationData;
using training::DiscriminatorOutput;
using training::Domain;
using training::Items;
using training::ScoredBatch;

constexpr std::int64_t at_a_time = 256;  // pictures per pass after training; bounds memory

/// Squares, summed over an image's values and averaged over images.
at::Tensor mean_squares(const at::Tensor& difference) {
  return difference.square().sum() / static_cast<double>(difference.size(0));
}

/// The terms of the KL in the standard deviation, summed over a code and averaged over images:
/// sd^2 - log sd^2.
at::Tensor mean_deviation_terms(const at::Tensor& sd) {
  const auto variance = sd.square();
  return (variance - variance.log()).sum() / static_cast<double>(sd.size(0));
}

}  // namespace

DigitNetworkOptions DigitAdversary::networks_for(const AdaptationData& data) const {
  const auto classes = training::count_classes(data);
  if (data.source.size(2) != data.source.size(3))
    throw UsageError(fmt::format("digits are learned from square pictures, and these are {} x {}",
                                 data.source.size(3), data.source.size(2)),
                     "crop or scale them");
  return {.side = data.source.size(2),
          .channels_1 = data.source.size(1),
          .channels_2 = data.target.size(1),
          .classes = std::max<std::int64_t>(2, classes),
          .width_G = options_.width_G,
          .width_D = options_.width_D,
          .own_front_D = options_.own_front_D};
}

/// Runs D's first layers once for logits, classes and features, and the shared layers once for both
/// domains.
DiscriminatorOutput DigitAdversary::discriminate(const Items& items, std::size_t pairs,
                                                 const std::vector<std::size_t>& seen) {
  std::vector<at::Tensor> fronts, of_seen;
  for (std::size_t k = 0; k < 2 * pairs; ++k)
    fronts.push_back(D_->front(items[k], k % 2 == 0 ? Domain::B : Domain::A));
  for (const auto k : seen) of_seen.push_back(fronts[k]);
  const auto all = at::cat(fronts);
  const auto top = D_->top(seen.size() == fronts.size() ? all : at::cat(of_seen), true);
  return {.logits = {D_->real_logits(top)}, .extra = {all, top}};
}

at::Tensor DigitAdversary::extra_loss_D(const ScoredBatch& real, const ScoredBatch& generated,
                                        std::size_t pairs) {
  const auto n = real.items[real_1].size(0);
  const auto classes =
      D_->class_logits(real.output.extra[top_at].slice(0, n));  // rows of x_1 follow those of x_2
  auto loss = options_.lambda_c * at::cross_entropy_loss(classes, real.items[labels_at]);
  if (options_.lambda_f == 0) return loss;
  // Features are compared without dropout. Pairs are adjacent: u_2, u_1.
  const auto features =
      D_->top(generated.output.extra[fronts_at], false).chunk(static_cast<std::int64_t>(2 * pairs));
  for (std::size_t k = 0; k < pairs; ++k)
    loss = loss + options_.lambda_f * mean_squares(features[2 * k] - features[2 * k + 1]);
  return loss;
}

void DigitAdversary::train_gan(const AdaptationData& data, const DigitNetworkOptions& networks,
                               const DigitGanTask& own, std::uint64_t seed,
                               training::Progress& progress) {
  D_ = DigitDiscriminator(networks);
  auto weights = Random(seed).split("weights of D");
  draw_digit_discriminator(*D_, options_.equal_start, weights);
  for (const auto* name : {"G", "D"})
    if (named_children().contains(name)) unregister_module(name);
  register_module("G", own.G);
  register_module("D", D_);
  to(data.source.device());
  training::GanTask task{.G = own.G, .D = D_.ptr()};
  task.draw_real = [&data, n = options_.batch](Random& random) {
    auto of_source = random.split("source"), of_target = random.split("target");
    const auto source =
        training::draw_indices(n, data.source.size(0), of_source, data.source.device());
    const auto target =
        training::draw_indices(n, data.target.size(0), of_target, data.target.device());
    return Items{data.target.index_select(0, target), data.source.index_select(0, source),
                 data.labels.index_select(0, source)};
  };
  task.generate = own.generate;
  task.discriminate = [this, &own](const Items& items, const at::Tensor&) {
    // Only batches of real pictures hold labels, [N].
    const bool real = items.size() > labels_at && items[labels_at].dim() == 1;
    return real ? discriminate(items, 1, {real_2, real_1})
                : discriminate(items, own.pairs, own.seen_by_D);
  };
  task.extra_loss_D = [this, &own](const ScoredBatch& real, const ScoredBatch& of_G) {
    return extra_loss_D(real, of_G, own.pairs);
  };
  task.extra_loss_G = own.extra_loss_G;
  if (watch)
    task.constrain = [this, G = own.G](std::int64_t step) {
      if (step % options_.evaluate_every != 0) return;
      watch(step);
      G->train();  // `watch` leaves the networks in evaluation mode
      D_->train();
    };
  auto training = options_.training;
  training.seed = seed;
  training.weight = options_.lambda0;
  report_ = training::fit_adversarial(task, training, progress);
  D_->eval();
}

at::Tensor DigitAdversary::probabilities(const at::Tensor& x, Domain of) {
  if (!D_) throw UsageError("this adapter was not fitted", "call fit() first");
  const torch::NoGradGuard no_grad;
  D_->eval();
  const auto device = D_->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(at_a_time))
    parts.push_back(D_->classes(part.to(device), of).softmax(1).to(x.device()));
  return at::cat(parts);
}

void DigitUnit::fit(const AdaptationData& data, std::uint64_t seed, training::Progress& progress) {
  auto networks = networks_for(data);
  networks.coordinates = own_.coordinates;
  networks.learned_deviation = own_.learned_deviation;
  G_ = DigitCoders(networks);
  auto weights = Random(seed).split("weights of G");
  draw_digit_coders(*G_, options_.equal_start, weights);
  DigitGanTask task{.G = G_.ptr(), .pairs = 2, .generate = {}};
  // Items of generate: x12, x11, x22, x21. Reconstructions are 1 and 2.
  task.seen_by_D = own_.discriminate_reconstructions ? std::vector<std::size_t>{0, 1, 2, 3}
                                                     : std::vector<std::size_t>{0, 3};
  task.generate = [this](const Items& real, Random&) {
    const auto s = G_->streams(real[real_1], real[real_2]);
    Items items{s.x12, s.x11, s.x22, s.x21, s.mu_1, s.mu_2};
    if (s.sd_1.defined()) items.insert(items.end(), {s.sd_1, s.sd_2});
    return items;
  };
  task.extra_loss_G = [this](const Items& real, const ScoredBatch& of_G) {
    const auto& items = of_G.items;
    auto loss = own_.lambda1 * (mean_squares(items[4]) + mean_squares(items[5])) +
                own_.lambda2 *
                    (mean_squares(items[1] - real[real_1]) + mean_squares(items[2] - real[real_2]));
    if (own_.learned_deviation)
      loss =
          loss + own_.lambda1 * (mean_deviation_terms(items[6]) + mean_deviation_terms(items[7]));
    // The loop adds the mean over two streams; a second mean makes it their sum.
    if (own_.sum_streams && own_.discriminate_reconstructions)
      loss = loss + options_.lambda0 * training::generator_loss(
                                           training::AdversarialLoss::NonSaturating, of_G.output);
    return loss;
  };
  train_gan(data, networks, task, seed, progress);
}

at::Tensor DigitUnit::translate(const at::Tensor& x, Domain from) {
  if (!G_) throw UsageError("this adapter was not fitted", "call fit() first");
  const torch::NoGradGuard no_grad;
  G_->eval();
  const auto device = G_->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(at_a_time))
    parts.push_back(G_->decode(G_->encode(part.to(device), from), other(from)).to(x.device()));
  return at::cat(parts);
}

std::vector<training::AdapterMethod> learned_adapters(const DigitUnitOptions& options) {
  using training::Role;
  const auto row = [](training::MethodInfo info, const DigitUnitOptions& of) {
    return training::AdapterMethod{.info = std::move(info),
                                   .make = [of] { return std::make_unique<DigitUnit>(of); }};
  };
  auto no_features = options, no_coordinates = options, no_reconstructions = options,
       one_front = options;
  no_features.common.lambda_f = 0;
  no_coordinates.coordinates = false;
  no_reconstructions.discriminate_reconstructions = false;
  one_front.common.own_front_D = false;
  const std::string cost = "one pass of D's classifier";
  return {
      row({"unit_digits", "UNIT", Role::Document, "paper, digit adaptation; the authors' release",
           cost},
          options),
      row({"unit_digits_no_features", "UNIT without feature matching", Role::Ablation,
           "the authors' release", cost},
          no_features),
      row({"unit_digits_no_coordinates", "UNIT without coordinates", Role::Ablation,
           "the authors' release", cost},
          no_coordinates),
      row({"unit_digits_no_reconstructions", "UNIT, D sees translations alone", Role::Ablation,
           "document, paragraph 51", cost},
          no_reconstructions),
      row({"unit_digits_one_front", "UNIT, one first layer of D", Role::Ablation,
           "claim 10, all layers shared", cost},
          one_front),
  };
}

}  // namespace reprise::models
