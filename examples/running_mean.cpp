#include "examples/running_mean.h"

#include <torch/torch.h>

namespace reprise::baselines {
namespace {

/// Copies a trained fully connected layer.
models::LinearMap copy_layer(const models::Backbone& trained, const std::string& layer) {
  const auto& map = trained->stages()[trained->index_of(layer)].parts.back().map;
  models::LinearMap same(map->weight.size(1), map->weight.size(0), map->window(),
                         /*with_bias=*/true);
  const torch::NoGradGuard no_gradient;
  same->weight.copy_(map->weight);
  same->bias.copy_(map->bias);
  return same;
}

class RunningMean : public training::SequenceNetwork {
 public:
  RunningMean(const models::Backbone& trained, const models::MethodStart& start, Random& random)
      : fc6_(register_module("fc6", copy_layer(trained, "fc6"))),
        fc7_(register_module("fc7", copy_layer(trained, "fc7"))),
        out_(register_module("out", models::start_output_layer(trained, start, random))),
        w_(register_parameter("w", torch::full({fc7_->weight.size(0)}, -2.0))),
        output_drawn_(start.draw_output) {}

  /// Applies the network: x [B, T, n] -> [B, T, outputs].
  torch::Tensor forward(const torch::Tensor& x) override {
    const auto frames =
        torch::relu(fc7_(torch::relu(fc6_(x.flatten(0, 1))))).unflatten(0, {x.size(0), x.size(1)});
    const auto a = torch::sigmoid(w_);
    std::vector<torch::Tensor> h{frames.select(1, 0)};
    for (std::int64_t t = 1; t < frames.size(1); ++t)
      h.push_back(a * h.back() + (1 - a) * frames.select(1, t));
    return out_(torch::cat(h)).unflatten(0, {x.size(1), x.size(0)}).transpose(0, 1);
  }
  std::vector<torch::Tensor> untrained_parameters() const override {
    if (!output_drawn_) return {w_};
    return {w_, out_->weight, out_->bias};
  }
  std::int64_t recurrent_parameters(std::int64_t /*features*/, std::int64_t width) const override {
    return width;
  }

 private:
  models::LinearMap fc6_, fc7_, out_;
  torch::Tensor w_;
  bool output_drawn_;
};

}  // namespace

models::Method running_mean() {
  return {
      .info = {.id = "running_mean",
               .title = "Running mean",
               .role = training::Role::User,
               .source = "exponential smoothing, Brown 1956",
               .cost = "one product of vectors per frame more than the CNN"},
      .traits = {.kind = models::MethodTraits::Kind::Own},
      .make = [](const models::Backbone& trained, const models::MethodStart& start,
                 Random& random) { return std::make_unique<RunningMean>(trained, start, random); }};
}

}  // namespace reprise::baselines
