// NCCL for training/data_parallel.h: a part of the library that needs LibTorch's CUDA half to link
// (cmake/cuda.cmake).
#include <chrono>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

namespace {
/// Ends NCCL's threads before LibTorch's CUDA half, which is older, is destroyed.
struct Gpus {
  c10::intrusive_ptr<c10d::ProcessGroupNCCL> backend;
  ~Gpus() { backend->abort(); }
};
}  // namespace

/// training::data_parallel::NcclBackend, by a plain name that is found at run time.
extern "C" c10d::Backend* reprise_nccl(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                       int size) {
  static const Gpus gpus{[&] {
    auto options = c10d::ProcessGroupNCCL::Options::create();
    options->timeout = std::chrono::minutes(30);  // as Gloo's
    return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
  }()};
  return gpus.backend.get();
}
