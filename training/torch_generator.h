// Randomness for torch functions that take a generator: made once from a seed and passed down, like reprise::Random.
#pragma once
#include <ATen/core/Generator.h>

#include <cstdint>

namespace reprise::training {

/// A CPU generator of its own (Mersenne Twister); the default generator is not touched. torch keeps the low 32 bits of the seed.
at::Generator torch_generator(std::uint64_t seed);

}  // namespace reprise::training
