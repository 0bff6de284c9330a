// Work that a GPU records once and replays as a whole: a CUDA graph. Launching the hundred kernels
// of a small network takes the CPU longer than the GPU needs to compute them. A graph is one
// launch.
//
// A recording reads and writes fixed memory, so inputs and results are copied. Recorded work must
// not wait for a value from the GPU.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "models/diffusion/denoiser.h"

namespace reprise::models {

class Recording {
 public:
  virtual ~Recording() = default;
  virtual void replay() = 0;
};
/// Runs the work at least once and records it. An error of the work passes through.
using Recorder = std::function<std::unique_ptr<Recording>(const std::function<void()>& work)>;

/// The recorder of the GPU in use; empty without one. LibTorch's is in its CUDA library. Code that
/// loads that library and models/diffusion/cuda sets this before the first use
/// (experiments/run/device.cpp).
Recorder& gpu_recorder();

/// A denoiser that is recorded at the first call with given shapes and replayed from then on.
/// Without gradient. Its weights must not move while it is in use.
class RecordedDenoiser : public Denoiser {
 public:
  RecordedDenoiser(std::shared_ptr<Denoiser> D, Recorder recorder);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  struct Entry {
    at::Tensor x;
    at::Tensor sigma;
    at::Tensor labels;
    at::Tensor result;
    std::unique_ptr<Recording> recording = {};  ///< destroyed before the memory that it writes to
  };
  std::shared_ptr<Denoiser> D_;
  Recorder recorder_;
  std::map<std::vector<std::int64_t>, std::unique_ptr<Entry>> entries_;
};

}  // namespace reprise::models
