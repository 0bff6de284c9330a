// NCCL for training/nccl.h: a part of the library that needs LibTorch's CUDA half to link (cmake/cuda.cmake).
#include "training/nccl.h"

#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAFunctions.h>
#include <fmt/format.h>

#include <cstdlib>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace reprise::training {
namespace {

std::string this_gpu() {
  std::string name;
  for (const char byte : at::cuda::getDeviceProperties(c10::cuda::current_device())->uuid.bytes)
    name += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return name;
}

c10::intrusive_ptr<c10d::Backend> gpus(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size, std::chrono::milliseconds limit) {
  // That a rank has died is found out, and said by its name, in training/world.cpp; LibTorch would end this process without a word of it.
  ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", /*overwrite=*/0);
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = limit;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
}

}  // namespace
}  // namespace reprise::training

/// A plain name, to be found at run time.
extern "C" void reprise_nccl(reprise::training::Nccl& known) { known = {reprise::training::this_gpu, reprise::training::gpus}; }
