#include "training/torch_script.h"

#include <c10/util/Exception.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/script.h>
#include <torch/version.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "core/error.h"
#include "core/regular_file.h"

namespace reprise::training {
namespace {

constexpr const char* how_a_script_is_made =
    "write it with torch.jit.script(module).save(FILE), by a torch up to " TORCH_VERSION
    "; docs/new_method.md shows one";

/// Checks the archive before anything is loaded. Objects with __setstate__ would run code of the
/// file during loading.
void check_archive(const std::filesystem::path& file) {
  const auto name = file.string();
  // A zip archive starts with these four bytes; RegularFile refuses pipes and devices.
  std::array<char, 4> magic{};
  if (std::filesystem::exists(file)) RegularFile(file).read(magic.data(), magic.size());
  if (std::string_view(magic.data(), magic.size()) != "PK\x03\x04")
    throw UsageError(name + " cannot be loaded as TorchScript: it is missing, or no zip archive",
                     how_a_script_is_made);
  caffe2::serialize::PyTorchStreamReader archive(name);
  const auto records = archive.getAllRecords();
  const auto is_code = [](const std::string& record) {
    return record.starts_with("code/") && record.ends_with(".py");
  };
  if (std::ranges::none_of(records, is_code))
    throw UsageError(
        name +
            " was written by torch.save: it contains weights or an object, but no code, so it "
            "cannot be loaded as TorchScript",
        how_a_script_is_made);
  for (const auto& record : records) {
    if (!is_code(record)) continue;
    // A search in the text: a comment with this name is refused too, which does no harm.
    const auto [data, size] = archive.getRecord(record);
    if (std::string_view(static_cast<const char*>(data.get()), size).find("__setstate__") !=
        std::string_view::npos)
      throw UsageError(
          fmt::format("{}: {} has a method __setstate__, which would run when the file is loaded",
                      name, record),
          "remove it: keep the module's state in parameters, buffers and attributes");
  }
}

/// Returns whether an operator accesses files, or is not plain arithmetic (other processes, the
/// network, the profiler).
bool is_refused(std::string_view op) {
  constexpr std::array<std::string_view, 3> known{"aten::", "prim::", "quantized::"};
  constexpr std::array<std::string_view, 2> files{"aten::save", "aten::from_file"};
  const bool foreign =
      std::ranges::none_of(known, [&](auto space) { return op.starts_with(space); });
  return foreign || std::ranges::find(files, op) != files.end() || op.starts_with("prim::rpc");
}

void check_block(const torch::jit::Block& block, const std::string& where) {
  for (const auto* node : block.nodes()) {
    if (const std::string op = node->kind().toQualString(); is_refused(op))
      throw UsageError(
          fmt::format(
              "{} calls {}, which is not allowed: only aten and prim operators, and none on files",
              where, op),
          "compute from the inputs, parameters and buffers alone");
    // A branch or a loop has inner blocks.
    for (const auto* inner : node->blocks()) check_block(*inner, where);
  }
}

/// Checks every function of the file, used or not, without running any.
void check_operators(const torch::jit::Module& script, const std::string& name) {
  for (auto* function : script._ivalue()->compilation_unit()->get_functions()) {
    // Compiles a function that no call has needed yet.
    function->ensure_defined();
    if (auto* graph_function = torch::jit::tryToGraphFunction(*function))
      check_block(*graph_function->graph()->block(), fmt::format("{}: {}", name, function->name()));
  }
}

}  // namespace

torch::jit::Module read_script(const std::filesystem::path& file, at::Device device) {
  try {
    check_archive(file);
    auto script = torch::jit::load(file.string(), device);
    check_operators(script, file.string());
    if (!script.find_method("forward"))
      throw UsageError(file.string() + " has no method forward", how_a_script_is_made);
    return script;
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(
        file.string() + " cannot be loaded as TorchScript: " + torchscript_reason(error),
        how_a_script_is_made);
  }
}

at::Tensor call_script(torch::jit::Module& script, std::vector<c10::IValue> inputs,
                       const std::string& name) {
  // The optimiser would replace the code after the first calls, and change the last bits.
  const torch::jit::GraphOptimizerEnabledGuard as_written(false);
  const auto result = script.forward(std::move(inputs));
  if (!result.isTensor())
    throw UsageError(
        fmt::format("{}: forward gives a {}, expected one tensor", name, result.tagKind()),
        "return the outputs alone");
  return result.toTensor();
}

std::string torchscript_reason(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error ? torch_error->what_without_backtrace() : error.what();
  // The last line has the reason; the lines before it trace the calls in the script.
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace reprise::training
