// Random generators of torch, seeded once and passed on, like reprise::Random.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace reprise::training {

/// Makes a CPU generator (Mersenne Twister). torch uses the low 32 bits of the seed.
at::Generator torch_generator(std::uint64_t seed);

/// Draws standard normal values like x from torch's default generator, in the order of x's memory.
/// at::randn_like() is nine times slower for a tensor with channels last.
at::Tensor normals_like(const at::Tensor& x);

/// Seeds torch's default generator of a device, which feeds dropout, and restores it at the end.
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
