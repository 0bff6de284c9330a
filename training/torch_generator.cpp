#include "training/torch_generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>

namespace reprise::training {

at::Generator torch_generator(std::uint64_t seed) { return at::detail::createCPUGenerator(seed); }

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
