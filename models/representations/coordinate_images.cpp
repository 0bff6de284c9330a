#include "models/representations/coordinate_images.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "training/torch_generator.h"

namespace reprise::models {

CoordinateImages::CoordinateImages(const CoordinateImagesOptions& options)
    : LearnedRepresentation(options.fit), options_(options) {
  const auto& o = options_;
  if (o.images < 1 || o.channels < 1 || o.height < 1 || o.width < 1 || o.features < 1 ||
      o.hidden_layers < 1 || o.hidden_width < 1)
    throw UsageError(
        fmt::format(
            "{} coordinate images of {} x {} x {} with {} features and {} hidden layers of {}",
            o.images, o.channels, o.height, o.width, o.features, o.hidden_layers, o.hidden_width),
        "give at least 1 of each");
  if (!(std::isfinite(o.scale) && o.scale > 0))
    throw UsageError(fmt::format("Fourier features of scale {}", o.scale),
                     "give a number above 0, in cycles an image");
  const auto generator = training::torch_generator(o.seed);
  frequencies_ = register_buffer("frequencies", o.scale * at::randn({2, o.features}, generator));
  // Pixel centres in [0, 1].
  const auto y = (at::arange(o.height, at::kFloat) + 0.5) / o.height;
  const auto x = (at::arange(o.width, at::kFloat) + 0.5) / o.width;
  positions_ = register_buffer(
      "places",
      at::stack({x.expand({o.height, -1}), y.unsqueeze(1).expand({-1, o.width})}, 2).view({-1, 2}));
  auto in = 2 * o.features;
  for (std::int64_t layer = 0; layer <= o.hidden_layers; ++layer) {
    const auto out = layer < o.hidden_layers ? o.hidden_width : o.channels;
    const auto name = std::to_string(layer);
    // The mean square of gamma's values is 1 / 2. He's standard deviation then keeps the variance.
    // The last layer is small, so that images start near 0.
    const double gain = layer < o.hidden_layers ? std::numbers::sqrt2 : 0.1;
    const auto std_dev = gain / std::sqrt(static_cast<double>(in));
    weights_.push_back(
        register_parameter("weight" + name, std_dev * at::randn({o.images, in, out}, generator)));
    biases_.push_back(register_parameter("bias" + name, at::zeros({o.images, 1, out})));
    in = out;
  }
}

at::Tensor CoordinateImages::views(Random& /*random*/) const {
  return at::arange(options_.images, at::kDouble).unsqueeze(1);
}

at::Tensor CoordinateImages::render(const at::Tensor& psi) {
  const auto object = psi.select(1, 0).to(positions_.device(), at::kLong);
  const auto phase = 2 * std::numbers::pi * at::mm(positions_, frequencies_);
  auto h = at::cat({phase.cos(), phase.sin()}, 1).expand({object.size(0), -1, -1});
  // One batched product per layer computes all views.
  for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
    if (layer > 0) h = h.relu_();
    h = at::baddbmm(biases_[layer].index_select(0, object), h,
                    weights_[layer].index_select(0, object));
  }
  return h.transpose(1, 2).reshape(
      {object.size(0), options_.channels, options_.height, options_.width});
}

}  // namespace reprise::models
