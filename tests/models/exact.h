// What the tests on exact denoisers share: the golden cases, a generator, a mixture in many
// dimensions.
#pragma once
#include <torch/torch.h>

#include <cmath>
#include <string>
#include <vector>

#include "models/diffusion/exact_denoisers.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::models {

constexpr auto f64 = torch::kFloat64;

inline const nlohmann::json& golden_case(const std::string& name) {
  for (const auto& c : fixture_json("langevin.json").at("vectors"))
    if (c.at("name") == name) return c;
  throw Error("langevin.json has no case " + name, "look at its names");
}

/// A number, a list, or a list of lists.
inline torch::Tensor tensor_of(const nlohmann::json& values) {
  if (values.is_number()) return torch::tensor(values.get<double>(), f64);
  std::vector<torch::Tensor> parts;
  for (const auto& part : values) parts.push_back(tensor_of(part));
  return torch::stack(parts);
}

/// Within the case's own tolerance, of the largest value.
inline void expect_golden(const torch::Tensor& value, const nlohmann::json& expected,
                          const nlohmann::json& c) {
  const auto truth = tensor_of(expected);
  const auto largest = truth.abs().max().item<double>();
  EXPECT_LE((value.view_as(truth) - truth).abs().max().item<double>(),
            c.at("rel_tol").get<double>() * largest)
      << c.at("name");
}

/// "mu" and "s" of a case.
inline GaussianDenoiser gaussian_of(const nlohmann::json& input) {
  return {tensor_of(input.at("mu")), tensor_of(input.at("s"))};
}

/// One item: [1, d].
inline torch::Tensor item(const nlohmann::json& input, const std::string& name) {
  return tensor_of(input.at(name)).unsqueeze(0);
}

inline torch::Tensor normal(at::IntArrayRef shape, at::Generator& generator) {
  return torch::randn(shape, generator, f64);
}

inline double variance(const torch::Tensor& x) { return x.var().item<double>(); }
inline double rms(const torch::Tensor& x) { return x.square().mean().sqrt().item<double>(); }

/// How far the variance of n normal numbers is from its expectation, relative to it: less than this
/// in all but one case in a million.
inline double variance_tolerance(double n) { return 5 * std::sqrt(2 / n); }

/// Eight clusters of deviation 0.1 in 64 dimensions, about one apart.
inline MixtureDenoiser clusters() {
  at::Generator generator = training::torch_generator(64);
  return {torch::rand({8}, generator, f64) + 0.5, 0.5 * normal({8, 64}, generator),
          torch::full({8}, 0.1, f64)};
}

}  // namespace reprise::models
