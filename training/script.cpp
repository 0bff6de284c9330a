#include "training/script.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>

#include "core/error.h"

namespace reprise::training {
namespace {

constexpr const char* how_a_script_is_made = "write it with torch.jit.script(module).save(FILE); docs/new_method.md shows one";

}  // namespace

torch::jit::Module read_script(const std::filesystem::path& file, at::Device device) {
  try {
    auto script = torch::jit::load(file.string(), device);
    if (!script.find_method("forward")) throw UsageError(file.string() + " has no method forward", how_a_script_is_made);
    return script;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(file.string() + " cannot be loaded as TorchScript: " + reason_of(error), how_a_script_is_made);
  }
}

at::Tensor call_script(torch::jit::Module& script, std::vector<c10::IValue> inputs, const std::string& name) {
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  const auto result = script.forward(std::move(inputs));
  if (!result.isTensor())
    throw UsageError(fmt::format("{}: forward gives a {}, expected one tensor", name, result.tagKind()), "return the outputs alone");
  return result.toTensor();
}

std::string reason_of(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace reprise::training
