// The two file formats of torch.save for a dictionary of tensors. Both can be read; the newer one
// can be written.
//
//   zip, since 1.6    NAME/data.pkl   one pickle; its persistent ids name the storages
//                     NAME/data/KEY   a raw storage each
//                     NAME/byteorder
//   stream, before    pickles: magic number 0x1950a86a20f9469cfc6c, protocol 1001, system, the
//                     object, the list of storage keys; then the storages, each with its number of
//                     elements (8 bytes) and its raw elements
//
// The weights are all tensors of the dictionary and of nested dictionaries; names are joined by
// dots. If the dictionary has a nested one called "state_dict", "model_state_dict" or "model", as
// training scripts save it, that one is used alone. A prefix "module." of all names is removed
// (torch.nn.DataParallel adds it).
//
// Other values are skipped and listed. Tensors that are views into one storage remain so. Storages
// of any device are loaded to the CPU.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "weights/skipped.h"
#include "weights/state_dict.h"

namespace reprise::weights {

bool is_zip(std::string_view bytes);
bool is_stream(std::string_view bytes);

/// Parse a file of either format. UsageError: as read_weights().
StateDict parse_zip(std::string_view bytes, const std::string& where, const Release& release = {},
                    std::vector<Skipped>* skipped = nullptr);
StateDict parse_stream(std::string_view bytes, const std::string& where,
                       const Release& release = {}, std::vector<Skipped>* skipped = nullptr);

/// Bytes of a file in the zip format. torch.load(weights_only=True) reads it as an OrderedDict with
/// the names in this order. Entries are not compressed; each tensor has a separate row-major
/// storage. The same tensors give the same bytes.
/// Error: a name given twice; an undefined tensor; an unsupported type.
std::string pytorch_bytes(const StateDict& tensors);

/// Writes the file atomically.
void write_pytorch(const std::filesystem::path& path, const StateDict& tensors);

}  // namespace reprise::weights
