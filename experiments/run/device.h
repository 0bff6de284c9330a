// Where tensors are computed: one binary for machines with and without a GPU. libtorch_cuda.so is
// loaded at run time where it lies beside libtorch_cpu.so, and must be loaded before the first
// torch call.
#pragma once
#include <cstdint>
#include <string>

namespace reprise::reproduce {

/// `asked`: "auto", "cpu" or "cuda". Returns "cpu" or "cuda", with CUDA loaded when it is that;
/// auto is CUDA where it works. Of several GPUs the one of this number computes. UsageError:
/// another word; "cuda" where the library or the GPU is missing (says which).
std::string chosen_device(const std::string& asked, std::int64_t local_rank = 0);

/// Model of the GPU, as the driver names it; "" for the CPU.
std::string gpu_model(const std::string& device);

}  // namespace reprise::reproduce
