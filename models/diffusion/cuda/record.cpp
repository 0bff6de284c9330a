// CUDA graphs for models/diffusion/recorded.h. Only this file links LibTorch's CUDA library. It is
// built as a separate library, which experiments/run/device.cpp loads at run time.
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDAGuard.h>

#include "models/diffusion/recorded.h"

namespace reprise::models {
namespace {

/// Calls before the capture: cuDNN and cuBLAS create plans and workspaces in their first calls.
constexpr int warm_up = 3;

/// A CUDA graph of some work.
class CudaRecording : public Recording {
 public:
  explicit CudaRecording(const std::function<void()>& work) {
    // A capture needs a stream of its own.
    at::cuda::getCurrentCUDAStream().synchronize();
    const auto own = at::cuda::getStreamFromPool();
    const c10::cuda::CUDAStreamGuard on(own);
    for (int i = 0; i < warm_up; ++i) work();
    own.synchronize();
    graph_.capture_begin({0, 0}, cudaStreamCaptureModeThreadLocal);
    try {
      work();
    } catch (...) {
      // The capture must end before the allocator can serve others; its own error is of no
      // interest.
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

/// An unmangled name for the lookup at run time. Stores the recording in `made`.
extern "C" void reprise_record(const std::function<void()>& work,
                               std::unique_ptr<reprise::models::Recording>& made) {
  made = std::make_unique<reprise::models::CudaRecording>(work);
}
