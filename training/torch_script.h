// Loading and calling TorchScript files of users.
//
// Calling a function of such a file runs its author's code, so only trusted files belong here.
// Loading runs nothing: __setstate__, which would run then, is refused. Code that accesses files or
// goes beyond plain arithmetic is refused before anything is called.
#pragma once
#include <torch/csrc/jit/api/module.h>

#include <exception>
#include <filesystem>
#include <string>

namespace reprise::training {

/// Reads a TorchScript file. UsageError: another kind of file (recognises those of torch.save); no
/// method `forward`; a method __setstate__; an operator outside aten, prim and quantized, or one on
/// files (aten::save, aten::from_file), even if unused (names function and operator).
torch::jit::Module read_script(const std::filesystem::path& file, at::Device device = at::kCPU);

/// Calls forward and returns its one tensor. TorchScript's optimiser is off: it would replace the
/// code after the first few calls.
/// UsageError: another result; `name` says whose forward it is.
at::Tensor call_script(torch::jit::Module& script, std::vector<c10::IValue> inputs,
                       const std::string& name);

/// The reason in an error of TorchScript: its last line.
std::string torchscript_reason(const std::exception& error);

}  // namespace reprise::training
