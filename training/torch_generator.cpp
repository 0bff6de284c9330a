#include "training/torch_generator.h"

#include <ATen/CPUGeneratorImpl.h>

namespace reprise::training {

at::Generator torch_generator(std::uint64_t seed) { return at::detail::createCPUGenerator(seed); }

}  // namespace reprise::training
