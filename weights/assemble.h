// Conversion of an unpickled tree and its raw storages to named tensors. weights/pytorch_file.h
// says which part of a tree counts as the weights.
#pragma once
#include <string>
#include <unordered_map>

#include "weights/pickle.h"
#include "weights/skipped.h"
#include "weights/state_dict.h"

namespace reprise::weights {

/// Raw bytes of each storage by its key: [n], uint8.
using Storages = std::unordered_map<std::string, at::Tensor>;

/// Collects the tensors of a state dictionary. Lists other values in `skipped`, unless it is null.
/// UsageError:
///   - no dictionary of tensors; dictionaries nested more than 32 deep; a name given twice;
///   - a tensor that reaches beyond its storage, or has an unsupported type;
///   - an object made of tensors (sparse or quantised) among the weights;
///   - a storage that is missing or too short.
StateDict assemble(Unpickler& pickle, const Value& root, const Storages& storages, Budget& budget,
                   std::vector<Skipped>* skipped = nullptr);

}  // namespace reprise::weights
