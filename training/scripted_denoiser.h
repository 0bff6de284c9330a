// A denoiser from a TorchScript file, trained elsewhere: forward(x [N, C, H, W] float32, sigma [N]
// float32) -> D(x; sigma), like x.
//
// It is conditioned on nothing, used as it is in evaluation mode, and never trained; what it
// computes must be differentiable in x. Calling what is in such a file runs its author's code: use
// only files that you trust (training/script.h says what is refused).
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "training/denoiser.h"

namespace reprise::training {

class ScriptedDenoiser : public Denoiser {
 public:
  /// UsageError: no TorchScript file, or one without a method `forward`.
  explicit ScriptedDenoiser(const std::filesystem::path& file, at::Device device = at::kCPU);
  ~ScriptedDenoiser() override;

  /// UsageError: labels are given. Error: values that are not finite (the file and the first item
  /// of the batch are named).
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

  /// UsageError: forward fails on items of this shape ([C, H, W]), gives something else than one
  /// float tensor like x, or nothing that has a gradient in x; what was given, got and expected is
  /// named.
  void check_items(const std::vector<std::int64_t>& item);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
};

}  // namespace reprise::training
