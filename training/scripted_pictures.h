// A generator or translator of pictures or clips from a TorchScript file, trained elsewhere.
//
// It stays in evaluation mode on the CPU and is never trained. Calling it runs its author's code:
// use only files that you trust (training/torch_script.h).
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace reprise::training {

class ScriptedPictures {
 public:
  /// Reads the file. UsageError: as read_script().
  explicit ScriptedPictures(const std::filesystem::path& file);
  ~ScriptedPictures();

  /// Number of arguments of forward.
  std::size_t arguments() const;

  /// Calls forward and returns float32 of shape `expected`, from -1 to 1, without gradient.
  /// UsageError: it fails, or returns something else (names inputs, result and expectation).
  at::Tensor operator()(std::vector<c10::IValue> inputs, const std::vector<std::int64_t>& expected);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
};

}  // namespace reprise::training
