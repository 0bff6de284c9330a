// TorchScript files of users: how they are read, and what is told when they fail.
//
// Calling what is in such a file runs its author's code, so only files that one trusts belong here.
// Loading one runs nothing of it: what would run while it is loaded (__setstate__) is refused, and
// so is code that reads or writes files or leaves plain arithmetic, before any of it is called.
#pragma once
#include <torch/csrc/jit/api/module.h>

#include <exception>
#include <filesystem>
#include <string>

namespace reprise::training {

/// UsageError: no TorchScript file (one that torch.save wrote is called so), or one without a
/// method `forward`; a method __setstate__; any operator outside aten, prim and quantized, or on
/// files (aten::save, aten::from_file), called or not (function and operator are named).
torch::jit::Module read_script(const std::filesystem::path& file, at::Device device = at::kCPU);

/// The one tensor that forward gives for these inputs. Without TorchScript's optimiser, so that the
/// same code runs from the first call on: it would otherwise change after it has watched a few.
/// UsageError: it gives something else; `name` says whose forward it is.
at::Tensor call_script(torch::jit::Module& script, std::vector<c10::IValue> inputs,
                       const std::string& name);

/// The part of TorchScript's error that says what is wrong: its last line.
std::string reason_of(const std::exception& error);

}  // namespace reprise::training
