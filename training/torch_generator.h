// Randomness for torch functions that take a generator: made once from a seed and passed down, like
// reprise::Random.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace reprise::training {

/// A CPU generator of its own (Mersenne Twister); the default generator is not touched. torch keeps
/// the low 32 bits of the seed.
at::Generator torch_generator(std::uint64_t seed);

/// Standard normal values from torch's default generator, drawn in the order of x's memory.
/// at::randn_like() draws a tensor whose channels come last value by value, nine times as slowly.
at::Tensor normals_like(const at::Tensor& x);

/// torch's default generator of a device, which feeds layers such as dropout: seeded here, and
/// given back as it was at the end.
class DefaultGenerator {
 public:
  DefaultGenerator(at::Device device, std::uint64_t seed);
  ~DefaultGenerator();
  DefaultGenerator(const DefaultGenerator&) = delete;
  DefaultGenerator& operator=(const DefaultGenerator&) = delete;
  at::Tensor state();
  void set_state(const at::Tensor& state);

 private:
  at::Generator generator_;
  at::Tensor before_;
};

}  // namespace reprise::training
