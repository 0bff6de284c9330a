// Small VGG16 weights, for tests of networks that start from them.
#pragma once
#include <ATen/ATen.h>

#include "weights/state_dict.h"

namespace reprise::reproduce {

/// Returns weights with torchvision's names for trunk "4 p 8 p", 16 pixels, and fc6 and fc7 of 6
/// units.
inline weights::StateDict small_vgg16() {
  const auto values = [](std::vector<std::int64_t> shape, double start) {
    std::int64_t count = 1;
    for (const auto n : shape) count *= n;
    return (at::arange(count, at::kFloat) * 0.37 + start).sin().mul(0.3).view(shape);
  };
  return {
      {"features.0.weight", values({4, 3, 3, 3}, 1)}, {"features.0.bias", values({4}, 2)},
      {"features.3.weight", values({8, 4, 3, 3}, 3)}, {"features.3.bias", values({8}, 4)},
      {"classifier.0.weight", values({6, 128}, 5)},   {"classifier.0.bias", values({6}, 6)},
      {"classifier.3.weight", values({6, 6}, 7)},     {"classifier.3.bias", values({6}, 8)},
      {"classifier.6.weight", values({1000, 6}, 9)},  {"classifier.6.bias", values({1000}, 10)}};
}

}  // namespace reprise::reproduce
