// Pictures and clips that a TorchScript file makes, trained elsewhere: a generator or a translator
// of images.
//
// It is used as it is in evaluation mode, on the CPU, and never trained. Calling what is in such a
// file runs its author's code: use only files that you trust (training/script.h says what is
// refused).
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
  /// UsageError: no TorchScript file, or one without a method `forward`.
  explicit ScriptedPictures(const std::filesystem::path& file);
  ~ScriptedPictures();

  /// How many arguments forward takes.
  std::size_t arguments() const;

  /// What forward gives for `inputs`: float32 of shape `expected`, from -1 to 1, no gradient.
  /// UsageError: forward fails, or gives something else; what it got, gave and was to give is
  /// named.
  at::Tensor operator()(std::vector<c10::IValue> inputs, const std::vector<std::int64_t>& expected);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
};

}  // namespace reprise::training
