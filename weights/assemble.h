// From an unpickled tree and the raw storages to named tensors (which part of a tree is the weights: weights/pytorch_file.h).
#pragma once
#include <string>
#include <unordered_map>

#include "weights/pickle.h"
#include "weights/state_dict.h"

namespace reprise::weights {

/// Key -> raw bytes, [n] uint8.
using Storages = std::unordered_map<std::string, at::Tensor>;

/// UsageError: the tree holds no dictionary of tensors; a tensor reaches beyond its storage; a storage is missing or short; a name
/// twice; dictionaries nested more than 32 deep.
StateDict assemble(const Unpickler& pickle, const Value& root, const Storages& storages, Budget& budget);

}  // namespace reprise::weights
