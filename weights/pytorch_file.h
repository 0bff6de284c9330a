// The two layouts in which torch.save writes a dictionary of tensors: both are read, the newer one
// is written.
//
//   zip, since 1.6    NAME/data.pkl, one pickle whose persistent ids name NAME/data/KEY, each a raw storage; NAME/byteorder
//   stream, before    pickles: magic number 0x1950a86a20f9469cfc6c, protocol 1001, system, the object, the list of storage keys;
//                     then for each key its number of elements (8 bytes) and its raw elements
//
// What counts as the weights, in this order:
//   - a dictionary that holds tensors, in itself or below: those, names of nested dictionaries joined by dots
//   - but where it has a dictionary under "state_dict", "model_state_dict" or "model", as training scripts save: that one
// and "module." is taken off when every name starts with it, as torch.nn.DataParallel makes them.
// Numbers, texts and objects beside them are no weights: they are left out, and listed. Tensors may
// be views into one storage, and stay so. Storages from any device come to the CPU.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "weights/skipped.h"
#include "weights/state_dict.h"

namespace reprise::weights {

bool is_zip(std::string_view bytes);
bool is_stream(std::string_view bytes);

/// UsageError: as read_weights.
StateDict parse_zip(std::string_view bytes, const std::string& where, const Release& release = {},
                    std::vector<Skipped>* skipped = nullptr);
StateDict parse_stream(std::string_view bytes, const std::string& where,
                       const Release& release = {}, std::vector<Skipped>* skipped = nullptr);

/// The zip layout, as torch.save writes it: Python reads it back with
/// torch.load(weights_only=True), as an OrderedDict with the names in their order. Entries are
/// stored, not compressed; every tensor has a storage of its own, row-major. The same tensors give
/// the same bytes. Error: a name twice, an undefined tensor, a type that is not read.
std::string pytorch_bytes(const StateDict& tensors);

/// Written whole and renamed into place.
void write_pytorch(const std::filesystem::path& path, const StateDict& tensors);

}  // namespace reprise::weights
