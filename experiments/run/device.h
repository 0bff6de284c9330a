// The device of all tensors. One binary serves machines with and without a GPU: libtorch_cuda.so is
// loaded at run time from the folder of libtorch_cpu.so, before the first torch call.
#pragma once
#include <cstdint>
#include <string>

namespace reprise::reproduce {

/// Returns "cpu" or "cuda" for "auto", "cpu" or "cuda", and loads CUDA; auto is CUDA if it works.
/// `local_rank`: number of the GPU.
/// UsageError: another word; "cuda" without library or GPU (says which).
std::string choose_device(const std::string& requested, std::int64_t local_rank = 0);

/// Returns the model of the GPU by its driver; "" for the CPU.
std::string gpu_model(const std::string& device);

}  // namespace reprise::reproduce
