#include "docs/examples/running_mean.h"

#include <torch/torch.h>

namespace reprise::baselines {
namespace {

/// A trained fully connected layer of its own.
models::LinearMap copy_of(const models::Backbone& trained, const std::string& layer) {
  const auto& map = trained->stages()[trained->index_of(layer)].parts.back().map;
  models::LinearMap same(map->weight.size(1), map->weight.size(0), map->window(), /*with_bias=*/true);
  const torch::NoGradGuard no_gradient;
  same->weight.copy_(map->weight);
  same->bias.copy_(map->bias);
  return same;
}

class RunningMean : public training::SequenceNetwork {
 public:
  explicit RunningMean(const models::Backbone& trained)
      : fc6_(register_module("fc6", copy_of(trained, "fc6"))),
        fc7_(register_module("fc7", copy_of(trained, "fc7"))),
        out_(register_module("out", copy_of(trained, "out"))),
        w_(register_parameter("w", torch::full({fc7_->weight.size(0)}, -2.0))) {}

  /// x: [B, T, n] -> [B, T, outputs]
  torch::Tensor forward(const torch::Tensor& x) override {
    const auto frames = torch::relu(fc7_(torch::relu(fc6_(x.flatten(0, 1))))).unflatten(0, {x.size(0), x.size(1)});
    const auto a = torch::sigmoid(w_);
    std::vector<torch::Tensor> h{frames.select(1, 0)};
    for (std::int64_t t = 1; t < frames.size(1); ++t) h.push_back(a * h.back() + (1 - a) * frames.select(1, t));
    return out_(torch::cat(h)).unflatten(0, {x.size(1), x.size(0)}).transpose(0, 1);
  }
  std::vector<torch::Tensor> fresh() const override { return {w_}; }
  std::int64_t recurrent_parameters(std::int64_t /*features*/, std::int64_t width) const override { return width; }

 private:
  models::LinearMap fc6_, fc7_, out_;
  torch::Tensor w_;
};

}  // namespace

models::Method running_mean() {
  return {.info = {.id = "running_mean",
                   .title = "Running mean",
                   .role = training::Role::Baseline,
                   .source = "docs/new_method.md",
                   .cost = "one product of vectors per frame more than the CNN"},
          .facts = {.kind = models::MethodFacts::Kind::Own},
          .make = [](const models::Backbone& trained, Random&) { return std::make_unique<RunningMean>(trained); }};
}

}  // namespace reprise::baselines
