#include "training/rounding.h"

#include <ATen/ATen.h>

#include <limits>

#include "core/random.h"
#include "training/torch_generator.h"

namespace reprise::training {

void round_otherwise(const std::vector<at::Tensor>& parameters, std::uint64_t seed, std::int64_t k) {
  if (k == 0) return;
  auto generator = torch_generator(seed_of({"rounding", std::to_string(seed), std::to_string(k)}));
  for (const auto& parameter : parameters) {
    const auto up = at::randint(2, parameter.sizes(), generator, at::kFloat).to(parameter.device());
    parameter.mul_(1 + (2 * up - 1) * std::numeric_limits<float>::epsilon());
  }
}

}  // namespace reprise::training
