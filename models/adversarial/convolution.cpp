#include "models/adversarial/convolution.h"

#include <torch/torch.h>

#include <cmath>

#include "training/torch_generator.h"

namespace reprise::models {
namespace {

/// Returns the kernel as a matrix with one row per output channel.
at::Tensor kernel_rows(const at::Tensor& weight, bool transposed) {
  return (transposed ? weight.transpose(0, 1) : weight).flatten(1);
}

/// Scales x to length 1.
at::Tensor unit(const at::Tensor& x) { return x / x.norm().clamp_min(1e-12); }

}  // namespace

ConvolutionImpl::ConvolutionImpl(const ConvolutionOptions& options) : options_(options) {
  std::vector<std::int64_t> shape{options.transposed ? options.in : options.out,
                                  options.transposed ? options.out : options.in};
  shape.insert(shape.end(), options.kernel.begin(), options.kernel.end());
  // Channels last: convolutions of clip discriminators take 0.7 times as long as in the default
  // layout.
  auto layout = at::MemoryFormat::Contiguous;
  if (shape.size() == 5) layout = at::MemoryFormat::ChannelsLast3d;
  if (shape.size() == 4) layout = at::MemoryFormat::ChannelsLast;
  weight = register_parameter("weight", torch::zeros(shape).contiguous(layout));
  if (!options.spectral) return;
  // u and v start as uniform unit vectors; power iteration improves them from the first pass on.
  const auto rows = kernel_rows(weight, options.transposed).sizes().vec();
  u_ = register_buffer("weight_u",
                       torch::full({rows[0]}, 1 / std::sqrt(static_cast<double>(rows[0]))));
  v_ = register_buffer("weight_v",
                       torch::full({rows[1]}, 1 / std::sqrt(static_cast<double>(rows[1]))));
}

at::Tensor ConvolutionImpl::kernel() {
  if (!options_.spectral) return weight;
  const auto W = kernel_rows(weight, options_.transposed);
  if (is_training()) {
    // One step of power iteration per training pass, as in Miyato et al. 2018, algorithm 1.
    const torch::NoGradGuard no_grad;
    v_.copy_(unit(at::mv(W.t(), u_)));
    u_.copy_(unit(at::mv(W, v_)));
  }
  // Clones, because a later pass changes u and v before this pass's backward.
  return weight / at::dot(u_.clone(), at::mv(W, v_.clone()));
}

// These functions have autocast rules by name; at::convolution has none.
at::Tensor ConvolutionImpl::forward(const at::Tensor& x) {
  const auto& [in, out, size, stride, padding, transposed, spectral] = options_;
  const at::IntArrayRef s(stride), p(padding);
  switch (size.size()) {
    case 1:
      return transposed ? at::conv_transpose1d(x, kernel(), {}, s, p)
                        : at::conv1d(x, kernel(), {}, s, p);
    case 2:
      return transposed ? at::conv_transpose2d(x, kernel(), {}, s, p)
                        : at::conv2d(x, kernel(), {}, s, p);
    default:
      return transposed ? at::conv_transpose3d(x, kernel(), {}, s, p)
                        : at::conv3d(x, kernel(), {}, s, p);
  }
}

at::Tensor InstanceNoiseImpl::forward(const at::Tensor& x) {
  // Noise belongs to training alone; a task without noise leaves sigma undefined.
  if (!is_training() || !sigma.defined()) return x;
  // mul_ in place: saves one tensor of the size of x.
  return x + training::normals_like(x).mul_(sigma);
}

void draw_adversarial_weights(torch::nn::Module& network, Random& random) {
  const torch::NoGradGuard no_grad;
  const auto generator =
      training::torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)));
  for (auto& module : network.modules()) {
    // Batch norm keeps its start, the identity.
    if (module->as<torch::nn::BatchNorm2d>() || module->as<torch::nn::BatchNorm3d>() ||
        module->as<torch::nn::BatchNorm1d>())
      continue;
    const auto* gru = module->as<torch::nn::GRUCell>();
    for (auto& parameter : module->parameters(/*recurse=*/false)) {
      // PyTorch bounds all weights of a GRU by the hidden size.
      const auto fan_in = gru ? gru->options.hidden_size() : parameter[0].numel();
      const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
      parameter.copy_(torch::empty(parameter.sizes()).uniform_(-bound, bound, generator));
    }
  }
}

}  // namespace reprise::models
