// TorchScript files from outside: how they are read, and what is told when they fail.
//
// Loading such a file, and calling what is in it, runs its code: load only files that you trust.
#pragma once
#include <torch/csrc/jit/api/module.h>

#include <exception>
#include <filesystem>
#include <string>

namespace reprise::training {

/// UsageError: no TorchScript file, or one without a method `forward`.
torch::jit::Module read_script(const std::filesystem::path& file, at::Device device = at::kCPU);

/// The one tensor that forward gives for these inputs. Without TorchScript's optimiser, so that the same code runs from the first call on: it
/// would otherwise change after it has watched a few. UsageError: it gives something else; `name` says whose forward it is.
at::Tensor call_script(torch::jit::Module& script, std::vector<c10::IValue> inputs, const std::string& name);

/// The part of TorchScript's error that says what is wrong: its last line.
std::string reason_of(const std::exception& error);

}  // namespace reprise::training
