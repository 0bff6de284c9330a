#include "models/backbones/stages.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "models/backbones/pooling.h"
#include "models/layers/product.h"

namespace reprise::models {
namespace {

using torch::Tensor;
using Kind = StageOptions::Kind;

constexpr double momentum = 0.1;  // PyTorch's defaults of batch norm
constexpr double epsilon = 1e-5;
constexpr std::int64_t bottleneck_expansion = 4;  // outputs over inner width; He et al. 2016

/// Returns the memory order of weights: channels-last for 2-D convolutions.
at::MemoryFormat memory_format_for(std::size_t dimensions) {
  return dimensions == 2 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
}

/// Finds the module at a dotted path, and creates missing modules on the way.
torch::nn::Module& module_at(torch::nn::Module& root, const std::string& path) {
  // "layer4.2.conv1": the parents first, so that names nest as in PyTorch's state dictionary.
  const auto dot = path.rfind('.');
  auto& parent = dot == std::string::npos ? root : module_at(root, path.substr(0, dot));
  const auto name = path.substr(dot == std::string::npos ? 0 : dot + 1);
  for (const auto& child : parent.named_children())
    if (child.key() == name) return *child.value();
  return *parent.register_module(name, std::make_shared<torch::nn::Module>());
}

}  // namespace

Window square_window(std::size_t dimensions, std::int64_t size, std::int64_t stride,
                     std::int64_t padding) {
  using Sides = std::vector<std::int64_t>;
  return {.size = Sides(dimensions, size),
          .stride = Sides(dimensions, stride),
          .padding = Sides(dimensions, padding)};
}

LinearMapImpl::LinearMapImpl(std::int64_t inputs, std::int64_t outputs, Window window,
                             bool with_bias)
    : window_(std::move(window)) {
  std::vector<std::int64_t> shape{outputs, inputs};
  shape.insert(shape.end(), window_.size.begin(), window_.size.end());
  weight = register_parameter("weight",
                              torch::empty(shape, at::TensorOptions().memory_format(
                                                      memory_format_for(window_.size.size()))));
  // An undefined bias keeps its place, but is no parameter that an optimiser sees.
  bias = register_parameter("bias", with_bias ? torch::zeros({outputs}) : Tensor(),
                            /*requires_grad=*/with_bias);
}

Tensor LinearMapImpl::forward(const Tensor& x) const {
  if (window_.size.empty()) return linear(x.dim() > 2 ? x.flatten(1) : x, weight, bias);
  const std::vector<std::int64_t> ones(window_.size.size(), 1);
  const std::vector<std::int64_t> zeros(window_.size.size(), 0);
  return at::convolution(x, weight, bias, window_.stride, window_.padding, ones,
                         /*transposed=*/false, zeros, /*groups=*/1);
}

BatchNormImpl::BatchNormImpl(std::int64_t channels) {
  weight = register_parameter("weight", torch::ones({channels}));
  bias = register_parameter("bias", torch::zeros({channels}));
  running_mean = register_buffer("running_mean", torch::zeros({channels}));
  running_var = register_buffer("running_var", torch::ones({channels}));
  num_batches_tracked = register_buffer("num_batches_tracked", torch::zeros({}, torch::kLong));
}

Tensor BatchNormImpl::forward(const Tensor& x) {
  const bool of_batch = is_training() && !fixed_;
  if (of_batch) num_batches_tracked.add_(1);
  return at::batch_norm(x, weight, bias, running_mean, running_var, of_batch, momentum, epsilon,
                        /*cudnn_enabled=*/true);
}

std::pair<Tensor, Tensor> BatchNormImpl::scale_and_shift() const {
  // B(x) = (x - m) / sqrt(v + epsilon) weight + bias, as one linear map per channel.
  const auto scale = weight / at::sqrt(running_var + epsilon);
  return {scale, bias - running_mean * scale};
}

Tensor StagePart::forward(const Tensor& x) const {
  const auto y = map->forward(x);
  return norm ? norm.ptr()->forward(y) : y;
}

void StagePart::copy_values(const StagePart& other) {
  const torch::NoGradGuard no_gradient;
  const auto copy = [](torch::nn::Module& to, const torch::nn::Module& from) {
    // Both modules register their tensors in the same order.
    auto parameters = to.parameters();
    auto buffers = to.buffers();
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].copy_(from.parameters()[i]);
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(from.buffers()[i]);
  };
  if (map && other.map) copy(*map, *other.map);
  if (norm && other.norm) copy(*norm, *other.norm);
}

Stage::Stage(torch::nn::Module& root, StageOptions options) : options_(std::move(options)) {
  const auto& o = options_;
  const auto make_part = [&](const std::string& at, const std::string& norm, std::int64_t in,
                             std::int64_t out, const Window& window, bool bias) {
    StagePart made{.map = LinearMap(in, out, window, bias),
                   .norm = norm.empty() ? BatchNorm(nullptr) : BatchNorm(out)};
    register_at(root, at, made.map.ptr());
    if (made.norm) register_at(root, norm, made.norm.ptr());
    return made;
  };
  if (o.kind == Kind::Linear) parts.push_back(make_part(o.path, "", o.inputs, o.outputs, {}, true));
  if (o.kind == Kind::Convolution)
    parts.push_back(make_part(o.path, o.norm, o.inputs, o.outputs, o.window, o.bias));
  if (o.kind != Kind::Bottleneck) return;
  // 1x1 to the inner width, 3x3 (with the stride), 1x1 to the outputs; batch norm after each.
  const auto width = o.outputs / bottleneck_expansion;
  const auto dimensions = o.window.stride.size();
  const auto through = square_window(dimensions, 1, 1, 0);
  auto middle = square_window(dimensions, 3, 1, 1);
  auto shortcut = through;
  middle.stride = shortcut.stride = o.window.stride;
  parts.push_back(make_part(o.path + ".conv1", o.path + ".bn1", o.inputs, width, through, false));
  parts.push_back(make_part(o.path + ".conv2", o.path + ".bn2", width, width, middle, false));
  parts.push_back(make_part(o.path + ".conv3", o.path + ".bn3", width, o.outputs, through, false));
  // The residual needs a projection if channels or sides change.
  if (o.inputs != o.outputs || shortcut.stride != through.stride)
    projection = make_part(o.path + ".downsample.0", o.path + ".downsample.1", o.inputs, o.outputs,
                           shortcut, false);
}

void Stage::check_input(const Tensor& x) const {
  const auto& o = options_;
  if (o.kind == Kind::Linear) {
    if (x.dim() < 2 || x[0].numel() != o.inputs)
      throw Error(
          fmt::format("{}: its input is {}", o.name, c10::str(x.sizes())),
          fmt::format(
              "give [N, {}], or maps of as many values (frames of the size that the network "
              "is made for)",
              o.inputs));
    return;
  }
  const auto dimensions = static_cast<std::int64_t>(
      o.kind == Kind::Bottleneck ? o.window.stride.size() : o.window.size.size());
  // Poolings take any number of channels. A padded side may be smaller than the window.
  bool fits =
      x.dim() == dimensions + 2 && x.size(0) > 0 && (parts.empty() || x.size(1) == o.inputs);
  for (std::int64_t d = 0; fits && d < dimensions; ++d) {
    const bool windowed = o.kind == Kind::Convolution || o.kind == Kind::MaxPool;
    fits = x.size(2 + d) >= (windowed ? o.window.size[d] - 2 * o.window.padding[d] : 1);
  }
  if (!fits)
    throw Error(fmt::format("{}: its input is {}", o.name, c10::str(x.sizes())),
                fmt::format("give [N, {}, {}], each side large enough for the window",
                            parts.empty() ? "channels" : std::to_string(o.inputs),
                            dimensions == 3 ? "frames, height, width" : "height, width"));
}

Tensor Stage::input_of_map(const Tensor& x) const {
  auto y = x;
  // All parts but the last have a ReLU; the last one's comes after the residual.
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) y = parts[i].forward(y).relu_();
  return y;
}

Tensor Stage::residual(const Tensor& x) const {
  if (options_.kind != Kind::Bottleneck) return {};
  return projection.map ? projection.forward(x) : x;
}

Tensor Stage::forward(const Tensor& x) const {
  check_input(x);
  if (options_.kind == Kind::MaxPool)
    return max_pool(x, options_.window.size, options_.window.stride, options_.window.padding);
  if (options_.kind == Kind::AveragePool) return average_pool(x, options_.window.size);
  // eq 4: y = H(B(W o x) + γ).
  auto y = parts.back().forward(input_of_map(x));
  if (const auto gamma = residual(x); gamma.defined()) y.add_(gamma);
  if (options_.activation == Activation::None) return y;
  if (options_.activation == Activation::Tanh) return y.tanh();
  // A linear stage's output is a view, which must not change in place.
  return options_.kind == Kind::Linear ? y.relu() : y.relu_();
}

Window Stage::window_of_map() const {
  // The last convolution of a bottleneck is 1x1; the options only have the middle one's stride.
  if (options_.kind == Kind::Bottleneck)
    return square_window(options_.window.stride.size(), 1, 1, 0);
  return options_.kind == Kind::Convolution ? options_.window : Window{};
}

void Stage::copy_values(const Stage& other) {
  // Parts that one of both lacks, such as a projection, are skipped.
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].copy_values(other.parts[i]);
  projection.copy_values(other.projection);
}

void Stage::fix_statistics() {
  for (auto& part : parts)
    if (part.norm) part.norm->fix_statistics();
  if (projection.norm) projection.norm->fix_statistics();
}

std::string Stage::weight_path() const {
  return options_.path + (options_.kind == Kind::Bottleneck ? ".conv3" : "");
}

bool Stage::is_global_pooling() const {
  return options_.kind == Kind::AveragePool &&
         options_.window.size == std::vector<std::int64_t>(options_.window.size.size(), 1);
}

void register_at(torch::nn::Module& root, const std::string& path,
                 std::shared_ptr<torch::nn::Module> child) {
  const auto dot = path.rfind('.');
  auto& parent = dot == std::string::npos ? root : module_at(root, path.substr(0, dot));
  parent.register_module(path.substr(dot == std::string::npos ? 0 : dot + 1), std::move(child));
}

}  // namespace reprise::models
