#include "training/scripted_pictures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "core/error.h"
#include "core/text.h"
#include "training/torch_script.h"

namespace reprise::training {
namespace {

/// Describes inputs by the shapes of tensors and the values of integers: "[2, 3, 16, 16], 2".
std::string inputs_text(const std::vector<c10::IValue>& inputs) {
  std::vector<std::string> parts;
  for (const auto& input : inputs)
    if (input.isTensor())
      parts.push_back(shape_text(input.toTensor().sizes()));
    else
      parts.push_back(input.isInt() ? std::to_string(input.toInt()) : "?");
  return join(parts, ", ");
}

}  // namespace

struct ScriptedPictures::Script {
  torch::jit::Module module;
};

ScriptedPictures::ScriptedPictures(const std::filesystem::path& file)
    : script_(std::make_unique<Script>(Script{read_script(file)})),
      name_(file.filename().string()) {
  script_->module.eval();
}

ScriptedPictures::~ScriptedPictures() = default;

std::size_t ScriptedPictures::arguments() const {
  return script_->module.get_method("forward").function().getSchema().arguments().size() -
         1;  // without self
}

at::Tensor ScriptedPictures::operator()(std::vector<c10::IValue> inputs,
                                        const std::vector<std::int64_t>& expected) {
  constexpr float rounding = 1e-4F;  // tolerated excess over 1, clamped below
  const torch::NoGradGuard no_gradient;
  // Described before the call takes the inputs.
  const auto given = inputs_text(inputs);
  const auto contract =
      fmt::format("forward({}) must give float32 {}, from -1 to 1", given, shape_text(expected));
  at::Tensor y;
  try {
    y = call_script(script_->module, std::move(inputs), name_);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(
        fmt::format("{}: forward fails on {}: {}", name_, given, torchscript_reason(error)),
        contract);
  }
  if (y.sizes() != at::IntArrayRef(expected) || y.scalar_type() != at::kFloat)
    throw UsageError(
        fmt::format("{}: forward({}) gives {} {}, expected float {}", name_, given,
                    c10::toString(y.scalar_type()), shape_text(y.sizes()), shape_text(expected)),
        contract);
  // The comparison is false for values that are not finite too.
  if (!(y.abs().max().item<float>() <= 1 + rounding))
    throw UsageError(fmt::format("{}: forward({}) gives values from {} to {}, expected -1 to 1",
                                 name_, given, y.min().item<float>(), y.max().item<float>()),
                     contract);
  return y.clamp(-1, 1).contiguous();
}

}  // namespace reprise::training
