// Work that a GPU records once and then does again as a whole: a CUDA graph. A small network's
// hundred kernels take the processor longer to ask for one by one than the GPU needs to compute
// them; recorded, they are one request.
//
// A recording reads and writes the memory that it saw, so that what changes from call to call is
// copied there and back. Nothing in recorded work may wait for a value of the GPU.
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
/// Does the work, at least once, and records it. An error of the work passes through.
using Recorder = std::function<std::unique_ptr<Recording>(const std::function<void()>& work)>;

/// That of the GPU in use; empty where there is none: LibTorch's lies in its CUDA half. Who loads
/// that, and with it models/diffusion/cuda, sets this before the first use
/// (experiments/run/device.cpp).
Recorder& gpu_recorder();

/// A denoiser that is recorded the first time it sees items, levels and labels of some shapes, and
/// replayed from then on. No gradient. Its weights stay where they are as long as it is used.
class RecordedDenoiser : public Denoiser {
 public:
  RecordedDenoiser(std::shared_ptr<Denoiser> D, Recorder recorder);
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

 private:
  struct Kept {
    at::Tensor x, sigma, labels, result;
    std::unique_ptr<Recording> recording = {};  ///< goes before the memory that it writes to
  };
  std::shared_ptr<Denoiser> D_;
  Recorder recorder_;
  std::map<std::vector<std::int64_t>, std::unique_ptr<Kept>> kept_;
};

}  // namespace reprise::models
