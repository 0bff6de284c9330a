// A denoiser from a TorchScript file that was trained elsewhere:
//     forward(x [N, C, H, W], sigma [N]) -> D(x; sigma), like x; all float32
//
// It is unconditional, stays in evaluation mode, and is never trained. Its output must be
// differentiable in x. Calling it runs its author's code: use only files that you trust
// (training/torch_script.h).
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "training/denoiser.h"

namespace reprise::training {

class ScriptedDenoiser : public Denoiser {
 public:
  /// Reads the file. UsageError: as read_script().
  explicit ScriptedDenoiser(const std::filesystem::path& file, at::Device device = at::kCPU);
  ~ScriptedDenoiser() override;

  /// D(x; sigma). UsageError: labels are given. Error: a result that is not finite (names the file
  /// and the first such item).
  at::Tensor forward(const at::Tensor& x, const at::Tensor& sigma,
                     const at::Tensor& labels) override;

  /// Calls forward on items of this shape ([C, H, W]). UsageError: it fails; its result is not one
  /// float tensor like x, or has no gradient in x (names inputs, result and expectation).
  void check_items(const std::vector<std::int64_t>& item);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
};

}  // namespace reprise::training
