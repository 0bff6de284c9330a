// A toy problem for the training loop: y = A x + b with a network that can hold it exactly.
#pragma once
#include <torch/torch.h>

#include "training/fit.h"
#include "training/progress.h"

namespace reprise::training {

struct ToyNetImpl : torch::nn::Module {
  explicit ToyNetImpl(std::uint64_t seed, double dropout = 0) : dropout_rate(dropout) {
    register_module("hidden", hidden);
    register_module("norm", norm);
    register_module("out", out);
    const torch::NoGradGuard no_grad;
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
    for (auto& parameter : hidden->parameters()) parameter.uniform_(-0.5, 0.5, generator);
    for (auto& parameter : out->parameters()) parameter.uniform_(-0.5, 0.5, generator);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return out(torch::dropout(norm(torch::relu(hidden(x))), dropout_rate, is_training()));
  }
  torch::nn::Linear hidden{3, 16}, out{16, 2};
  torch::nn::BatchNorm1d norm{16};
  double dropout_rate;
};
TORCH_MODULE(ToyNet);

struct Toy {
  // The work is far too small to be shared between threads.
  explicit Toy(double dropout = 0) : network(7, dropout) { torch::set_num_threads(1); }

  ToyNet network;
  Progress silent{nullptr};
  torch::Tensor validation_x = torch::linspace(-1, 1, 48).reshape({16, 3});

  static torch::Tensor truth(const torch::Tensor& x) {
    return torch::stack({x.select(1, 0) - 2 * x.select(1, 1), x.select(1, 2) + 0.5}, 1);
  }

  Task task() {
    return {.batches_per_epoch = 10,
            .batch =
                [](std::int64_t, std::int64_t, Random& random) {
                  torch::Tensor x = torch::empty({32, 3});
                  for (auto* value = x.data_ptr<float>(); value != x.data_ptr<float>() + x.numel();
                       ++value)
                    *value = static_cast<float>(random.uniform(-1, 1));
                  return Batch{x, truth(x)};
                },
            .forward = [this](const torch::Tensor& x) { return network->forward(x); },
            .loss = [](const torch::Tensor& prediction,
                       const torch::Tensor& y) { return torch::mse_loss(prediction, y); },
            .validate =
                [this] {
                  return torch::mse_loss(network->forward(validation_x), truth(validation_x))
                      .item<double>();
                }};
  }
  std::vector<ParameterGroup> all(double learning_rate = 1e-2) {
    return {{network->parameters(), learning_rate}};
  }
};

}  // namespace reprise::training
