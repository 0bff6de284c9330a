// CUDA graphs for models/diffusion/recorded.h. This file alone needs LibTorch's CUDA half to link;
// it becomes a library of its own, which experiments/run/device.cpp loads behind it.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include "models/diffusion/recorded.h"

namespace reprise::models {
namespace {

/// cuDNN and cuBLAS make their plans and workspaces in the first calls; a capture must find them
/// made.
constexpr int warm_up = 3;

class CudaRecording : public Recording {
 public:
  explicit CudaRecording(const std::function<void()>& work) {
    // A capture has to have a stream to itself.
    at::cuda::getCurrentCUDAStream().synchronize();
    const auto own = at::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard on(own);
    for (int i = 0; i < warm_up; ++i) work();
    own.synchronize();
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      // The allocator serves the capture until it ends; that it cannot end well is known.
      try {
        graph_.capture_end();
      } catch (const c10::Error&) {  // NOLINT(bugprone-empty-catch)
      }
      throw;
    }
    graph_.capture_end();
  }
  void replay() override { graph_.replay(); }

 private:
  at::cuda::CUDAGraph graph_;
};

}  // namespace
}  // namespace reprise::models

/// A plain name, to be found at run time. `made` becomes the recording.
extern "C" void reprise_record(const std::function<void()>& work,
                               std::unique_ptr<reprise::models::Recording>& made) {
  made = std::make_unique<reprise::models::CudaRecording>(work);
}
