#include "models/adversarial/decoder.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "models/adversarial/discriminator.h"

namespace reprise::models {
namespace {

/// Appends batch norm and ReLU.
void push_norm_relu(torch::nn::Sequential& network, std::int64_t channels, bool clips) {
  if (clips)
    network->push_back(torch::nn::BatchNorm3d(channels));
  else
    network->push_back(torch::nn::BatchNorm2d(channels));
  network->push_back(torch::nn::ReLU(torch::nn::ReLUOptions().inplace(true)));
}

/// Maps [N, C, 1, 1(, 1)] to [N, C + D, (T',) 4, 4]: the code and the coordinates of each position.
class PlacesImpl : public torch::nn::Module {
 public:
  explicit PlacesImpl(const std::vector<std::int64_t>& sides) : sides_(sides) {
    std::vector<at::Tensor> axes;
    for (const auto side : sides) axes.push_back(at::linspace(-1, 1, side));
    coordinates_ = register_buffer("coordinates",
                                   at::stack(at::meshgrid(axes, "ij")).unsqueeze(0).contiguous());
  }
  at::Tensor forward(const at::Tensor& z) {
    std::vector<std::int64_t> everywhere = coordinates_.sizes().vec();
    auto of_code = everywhere;
    everywhere[0] = z.size(0);
    of_code[0] = z.size(0);
    of_code[1] = z.size(1);
    return at::cat({z.expand(of_code), coordinates_.expand(everywhere)}, 1);
  }

 private:
  std::vector<std::int64_t> sides_;
  at::Tensor coordinates_;
};
TORCH_MODULE(Places);

}  // namespace

torch::nn::Sequential make_decoder(const DecoderOptions& o) {
  const auto n = count_halvings(o.side);
  if (o.inputs < 1 || o.channels < 1 || o.width < 1)
    throw UsageError(
        fmt::format("a decoder: {} inputs, {} channels, width {}", o.inputs, o.channels, o.width),
        "use counts of at least 1");
  if (o.depth != 0 && o.depth < n)
    throw UsageError(fmt::format("a decoder: a depth of {}, and {} doublings", o.depth, n),
                     "use 0, or at least as many steps as doublings");
  if (o.frames < 0 || o.frames % (1 << n) != 0)
    throw UsageError(
        fmt::format("a decoder: clips of {} frames do not halve {} times", o.frames, n),
        fmt::format("give clips of a multiple of {} frames", 1 << n));
  const bool clips = o.frames > 0;
  const std::size_t dimensions = clips ? 3 : 2;
  // A transposed convolution with kernel 4: stride 1 maps 1 to 4 positions, stride 2 doubles a
  // side.
  const auto step = [&](std::int64_t in, std::int64_t out, std::int64_t stride) {
    ConvolutionOptions convolution{.in = in, .out = out, .transposed = true};
    convolution.kernel.assign(dimensions, 4);
    convolution.stride.assign(dimensions, stride);
    convolution.padding.assign(dimensions, stride - 1);
    return convolution;
  };
  torch::nn::Sequential network;
  auto inputs = o.inputs;
  // With a grid the code is copied to all 4 x 4 positions, next to their coordinates.
  if (o.grid) {
    std::vector<std::int64_t> sides{4, 4};
    if (clips) sides.insert(sides.begin(), o.frames >> n);
    network->push_back(Places(sides));
    inputs += static_cast<std::int64_t>(dimensions);
  }
  // The extra steps of 1 x 1 combine the values of the code before positions differ.
  for (std::int64_t i = n; i < o.depth; ++i) {
    const auto out = o.width << n;
    ConvolutionOptions alone{.in = inputs, .out = out, .transposed = true};
    alone.kernel.assign(dimensions, 1);
    alone.stride.assign(dimensions, 1);
    alone.padding.assign(dimensions, 0);
    network->push_back(Convolution(alone));
    push_norm_relu(network, out, clips);
    inputs = out;
  }
  // The first step makes 4 x 4 values, of clips T / 2^n frames. With a grid they exist already.
  auto width = o.width << (n - 1);
  auto first = step(inputs, width, 1);
  if (clips) first.kernel[0] = o.frames >> n;
  if (o.grid) first.kernel.assign(dimensions, 1);
  network->push_back(Convolution(first));
  for (std::int64_t i = 1; i < n; ++i, width /= 2) {
    push_norm_relu(network, width, clips);
    network->push_back(Convolution(step(width, width / 2, 2)));
  }
  push_norm_relu(network, width, clips);
  network->push_back(Convolution(step(width, o.channels, 2)));
  return network;
}

}  // namespace reprise::models
