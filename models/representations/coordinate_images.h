// Images as networks: each maps a position to a colour. phi of Algorithm 1 is the weights of a
// small MLP.
//
//     gamma(v) = [cos(2 pi F v), sin(2 pi F v)]     v: pixel centres in [0, 1]^2
//                                                   F: [features, 2], drawn once from N(0, scale^2)
//     x(v)     = W_L relu(... relu(W_1 gamma(v) + b_1) ...) + b_L
//
// `scale` is the bandwidth, in cycles per image. Too low a value blurs. Too high a value leaves
// noise between the target's pixels. All images share F and have separate weights. One batched
// matrix product per layer computes all images. Source: Tancik et al., Fourier Features Let
// Networks Learn High Frequency Functions in Low Dimensional Domains, 2020.
#pragma once
#include <vector>

#include "models/representations/representation.h"

namespace reprise::models {

struct CoordinateImagesOptions {
  std::int64_t images = 1;
  std::int64_t channels = 1;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t features = 64;  ///< frequencies; the MLP's input has twice as many values
  double scale = 4;
  std::int64_t hidden_layers = 2;
  std::int64_t hidden_width = 96;
  FitSteps fit = {};
  std::uint64_t seed = 0;  ///< seed of F and of the initial weights
};

/// Several images, each with its own MLP. psi: [V, 1], the number of the image.
class CoordinateImages : public LearnedRepresentation {
 public:
  /// Initial images are smooth noise around 0. UsageError: a size below 1; a scale that is not
  /// above 0.
  explicit CoordinateImages(const CoordinateImagesOptions& options);
  std::int64_t objects() const override { return options_.images; }
  at::Tensor views(Random& random) const override;
  /// [V, channels, height, width].
  at::Tensor render(const at::Tensor& psi) override;

 private:
  CoordinateImagesOptions options_;
  at::Tensor frequencies_;           ///< [2, features]
  at::Tensor positions_;             ///< [height * width, 2]: x, y
  std::vector<at::Tensor> weights_;  ///< [images, in, out]
  std::vector<at::Tensor> biases_;   ///< [images, 1, out]
};

}  // namespace reprise::models
