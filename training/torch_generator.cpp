#include "training/torch_generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>

#include <mutex>

namespace reprise::training {

at::Generator torch_generator(std::uint64_t seed) { return at::detail::createCPUGenerator(seed); }

at::Tensor normals_like(const at::Tensor& x) {
  if (!x.is_non_overlapping_and_dense()) return at::randn_like(x);
  // Drawn in the order of the memory, then viewed with the strides of x.
  return at::randn({x.numel()}, x.options()).as_strided(x.sizes(), x.strides());
}

DefaultGenerator::DefaultGenerator(at::Device device, std::uint64_t seed)
    : generator_(at::globalContext().defaultGenerator(device)), before_(state()) {
  const std::lock_guard lock(generator_.mutex());
  generator_.set_current_seed(seed);
}

DefaultGenerator::~DefaultGenerator() { set_state(before_); }

at::Tensor DefaultGenerator::state() {
  const std::lock_guard lock(generator_.mutex());
  return generator_.get_state();
}

void DefaultGenerator::set_state(const at::Tensor& state) {
  const std::lock_guard lock(generator_.mutex());
  generator_.set_state(state);
}

}  // namespace reprise::training
