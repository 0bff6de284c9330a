#include "docs/examples/running_mean.h"

#include <torch/torch.h>

namespace reprise::baselines {
namespace {

torch::nn::Linear copy_of(const torch::nn::Linear& layer) {
  torch::nn::Linear same(layer->options);
  const torch::NoGradGuard no_gradient;
  same->weight.copy_(layer->weight);
  same->bias.copy_(layer->bias);
  return same;
}

class RunningMean : public training::SequenceNetwork {
 public:
  explicit RunningMean(const models::TrainedLayers& trained)
      : fc6_(register_module("fc6", copy_of(trained.fc6))),
        fc7_(register_module("fc7", copy_of(trained.fc7))),
        out_(register_module("out", copy_of(trained.out))),
        w_(register_parameter("w", torch::full({trained.fc7->options.out_features()}, -2.0))) {}

  /// x: [B, T, n] -> [B, T, outputs]
  torch::Tensor forward(const torch::Tensor& x) override {
    const auto frames = torch::relu(fc7_(torch::relu(fc6_(x))));
    const auto a = torch::sigmoid(w_);
    std::vector<torch::Tensor> h{frames.select(1, 0)};
    for (std::int64_t t = 1; t < frames.size(1); ++t) h.push_back(a * h.back() + (1 - a) * frames.select(1, t));
    return out_(torch::stack(h, 1));
  }
  std::vector<torch::Tensor> fresh() const override { return {w_}; }
  std::int64_t recurrent_parameters(std::int64_t /*features*/, std::int64_t width) const override { return width; }

 private:
  torch::nn::Linear fc6_, fc7_, out_;
  torch::Tensor w_;
};

}  // namespace

models::Method running_mean() {
  return {.name = "running_mean", .title = "Running mean", .make = [](const models::TrainedLayers& trained, Random&) {
            return std::make_unique<RunningMean>(trained);
          }};
}

}  // namespace reprise::baselines
