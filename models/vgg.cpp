#include "models/vgg.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cmath>
#include <sstream>
#include <string>

#include "core/error.h"

namespace reprise::models {
namespace {

/// He et al. 2015: deviation sqrt(2 / fan in), drawn from `random` so that no global generator is touched.
void start_he_normal(torch::nn::Module& module, Random& random) {
  const torch::NoGradGuard no_gradient;
  for (auto& item : module.named_parameters()) {
    auto& tensor = item.value();
    if (tensor.dim() < 2) continue;
    const auto deviation = std::sqrt(2.0 / static_cast<double>(tensor[0].numel()));
    auto* values = tensor.data_ptr<float>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = static_cast<float>(deviation * random.normal());
  }
}

}  // namespace

VggImpl::VggImpl(VggOptions options, Random& random) : options_(std::move(options)) {
  std::int64_t in = options_.channels(), size = options_.size();
  std::istringstream words(options_.trunk());
  for (std::string word; words >> word;) {
    if (word == "p") {
      trunk->push_back(torch::nn::MaxPool2d(2));
      size /= 2;
      continue;
    }
    const bool halves = word.ends_with("/2");
    const auto digits = halves ? word.substr(0, word.size() - 2) : word;
    if (digits.empty() || digits.size() > 5 || digits.find_first_not_of("0123456789") != std::string::npos || std::stoll(digits) < 1)
      throw UsageError(fmt::format("\"{}\" in the trunk \"{}\" is no layer", word, options_.trunk()),
                       "write channels (64), channels with stride 2 (64/2), or p for pooling, apart by spaces");
    const auto channels = std::stoll(digits);
    trunk->push_back(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(in, channels, 3).stride(halves ? 2 : 1).padding(1).bias(!options_.batch_norm())));
    if (options_.batch_norm()) trunk->push_back(torch::nn::BatchNorm2d(channels));
    trunk->push_back(torch::nn::ReLU(torch::nn::ReLUOptions(true)));
    in = channels;
    if (halves) size = (size + 1) / 2;
  }
  if (size < 1)
    throw UsageError(fmt::format("the trunk \"{}\" leaves no pixel of {}", options_.trunk(), options_.size()),
                     "take fewer poolings or a larger image");
  register_module("trunk", trunk);
  fc6 = register_module("fc6", torch::nn::Linear(in * size * size, options_.width()));
  fc7 = register_module("fc7", torch::nn::Linear(options_.width(), options_.width()));
  out = register_module("out", torch::nn::Linear(options_.width(), options_.outputs()));
  start_he_normal(*this, random);
  const torch::NoGradGuard no_gradient;
  for (auto& layer : {fc6, fc7, out}) layer->bias.zero_();
  for (auto& module : trunk->children())
    if (auto* convolution = module->as<torch::nn::Conv2d>()) {
      if (convolution->bias.defined()) convolution->bias.zero_();
      convolution->weight.set_data(convolution->weight.contiguous(at::MemoryFormat::ChannelsLast));
    }
}

std::int64_t VggImpl::feature_count() const { return fc6->options.in_features(); }

torch::Tensor VggImpl::features(const torch::Tensor& x) { return trunk->forward(x.contiguous(at::MemoryFormat::ChannelsLast)).flatten(1); }

torch::Tensor VggImpl::forward(const torch::Tensor& x) { return out(torch::relu(fc7(torch::relu(fc6(features(x)))))); }

}  // namespace reprise::models
