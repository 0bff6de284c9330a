// From an unpickled tree and the raw storages to named tensors (which part of a tree is the
// weights: weights/pytorch_file.h).
#pragma once
#include <string>
#include <unordered_map>

#include "weights/pickle.h"
#include "weights/skipped.h"
#include "weights/state_dict.h"

namespace reprise::weights {

/// Key -> raw bytes, [n] uint8.
using Storages = std::unordered_map<std::string, at::Tensor>;

/// `skipped`, where it is given, gets what stands beside the tensors. UsageError: the tree holds no
/// dictionary of tensors; a tensor reaches beyond its storage, or is of a type that is not read; an
/// object among the weights that is made of tensors (a sparse or quantised one); a storage is
/// missing or short; a name twice; dictionaries nested more than 32 deep.
StateDict assemble(Unpickler& pickle, const Value& root, const Storages& storages, Budget& budget,
                   std::vector<Skipped>* skipped = nullptr);

}  // namespace reprise::weights
