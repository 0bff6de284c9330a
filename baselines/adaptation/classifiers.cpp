#include "baselines/adaptation/classifiers.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "training/draw_indices.h"
#include "training/fit.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

using training::AdaptationData;
using training::Domain;

/// The head d, which predicts the domain.
torch::nn::Sequential domain_head(std::int64_t features, Random& random) {
  const torch::NoGradGuard no_grad;
  torch::nn::Sequential head(torch::nn::Linear(features, 100), torch::nn::ReLU(),
                             torch::nn::Linear(100, 1));
  const auto generator =
      training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
  for (auto& parameter : head->parameters())
    parameter.dim() > 1
        ? parameter.normal_(0, 1 / std::sqrt(static_cast<double>(parameter.size(1))), generator)
        : parameter.zero_();
  return head;
}

/// lambda of the header at this fraction of all iterations.
double reversal_strength(double done, double warm_up) {
  const double p = (done - warm_up) / (1 - warm_up);
  return p > 0 ? 2 / (1 + std::exp(-10 * p)) - 1 : 0;
}

/// Sum of both losses. prediction: [N, K + 2], logits of the source's classes, then of the domain
/// for the source picture and for the target picture.
at::Tensor dann_loss(const at::Tensor& prediction, const at::Tensor& labels) {
  const auto K = prediction.size(1) - 2;
  const auto domains =
      at::tensor({0.0F, 1.0F}, prediction.options()).expand({prediction.size(0), 2});
  return at::cross_entropy_loss(prediction.slice(1, 0, K), labels) +
         at::binary_cross_entropy_with_logits(prediction.slice(1, K), domains);
}

}  // namespace

at::Tensor reverse_gradient(const at::Tensor& x, double lambda) {
  // The value is x; the derivative is -lambda.
  return (1 + lambda) * x.detach() - lambda * x;
}

void SourceClassifier::draw_network(const AdaptationData& data, Random& random) {
  const auto classes = training::count_classes(data);
  const auto side = data.source.size(2), channels = data.source.size(1);
  if (side != data.source.size(3))
    throw UsageError(fmt::format("digits are learned from square pictures, and these are {} x {}",
                                 data.source.size(3), side),
                     "crop or scale them");
  network_ = models::DigitDiscriminator(
      models::DigitNetworkOptions{.side = side,
                                  .channels_1 = channels,
                                  .channels_2 = channels,
                                  .classes = std::max<std::int64_t>(2, classes),
                                  .width_D = options_.width,
                                  .own_front_D = false});
  models::draw_digit_discriminator(*network_, false, random);
  if (named_children().contains("network")) unregister_module("network");
  register_module("network", network_);
}

void SourceClassifier::fit(const AdaptationData& data, std::uint64_t seed,
                           training::Progress& progress) {
  Random random = Random(seed).split("weights");
  draw_network(data, random);
  // One module for both networks, so that fit() saves and restores them together.
  struct Both : torch::nn::Module {};
  Both learning;
  learning.register_module("network", network_);
  torch::nn::Sequential head;
  if (options_.adversarial)
    head = learning.register_module(
        "head", domain_head(network_->features(data.source.slice(0, 0, 1).cpu(), Domain::A).numel(),
                            random));
  const auto device = data.source.device();
  learning.to(device);

  const auto n = options_.batch,
             per_epoch = std::clamp<std::int64_t>(options_.evaluate_every, 1,
                                                  std::max<std::int64_t>(1, options_.iterations));
  const auto epochs = std::max<std::int64_t>(1, options_.iterations / per_epoch);
  training::Task task{.batches_per_epoch = per_epoch};
  double lambda = 0;
  std::int64_t epoch_now = 0;
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random& of_batch) {
    epoch_now = epoch;
    lambda = reversal_strength(
        static_cast<double>(epoch * per_epoch + index) / static_cast<double>(epochs * per_epoch),
        options_.warm_up);
    const auto source = training::draw_indices(n, data.source.size(0), of_batch, device);
    auto x = data.source.index_select(0, source);
    if (options_.adversarial) {
      const auto target = training::draw_indices(n, data.target.size(0), of_batch, device);
      x = at::stack({x, data.target.index_select(0, target)}, 1);
    }
    return training::Batch{x, data.labels.index_select(0, source)};
  };
  task.forward = [&](const at::Tensor& x) {
    if (!options_.adversarial) return network_->classes(x, Domain::A);
    const auto logits = network_->classes(x.select(1, 0).contiguous(), Domain::A);
    const auto both = x.transpose(0, 1).flatten(0, 1);
    const auto domain_logits =
        head->forward(reverse_gradient(network_->features(both, Domain::A).flatten(1), lambda))
            .flatten();
    return at::cat({logits, domain_logits.view({2, x.size(0)}).t()}, 1);
  };
  task.loss = [&](const at::Tensor& prediction, const at::Tensor& labels) {
    return options_.adversarial ? dann_loss(prediction, labels)
                                : at::cross_entropy_loss(prediction, labels);
  };
  // The result is the last epoch: without labels of the target nothing can be selected. fit() keeps
  // the lowest validation value, so it decreases with the epoch.
  task.validate = [&] {
    if (watch) watch((epoch_now + 1) * per_epoch);
    return -static_cast<double>(epoch_now);
  };
  training::fit(
      learning, {{.parameters = learning.parameters(), .learning_rate = options_.learning_rate}},
      task, {.epochs = epochs, .clip_norm = 0, .seed = seed, .checkpoint = options_.checkpoint},
      progress);
}

at::Tensor SourceClassifier::probabilities(const at::Tensor& x, Domain of) {
  if (!network_) throw UsageError("this adapter was not fitted", "call fit() first");
  constexpr std::int64_t at_a_time = 256;
  const torch::NoGradGuard no_grad;
  network_->eval();
  const auto device = network_->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(at_a_time))
    parts.push_back(network_->classes(part.to(device), of).softmax(1).to(x.device()));
  return at::cat(parts);
}

}  // namespace reprise::baselines
