// A trained network in one safetensors file that describes its own size, as read by
// `reprise generate` and `reprise translate`.
//
// The file's metadata contain the "format" and, under the key "facts", a JSON object with the
// metadata of the network. Files can come from strangers, and a few bytes of metadata can request
// gigabytes. Loaders must therefore check the metadata against the tensors, whose bytes the file
// really contains, before they build anything.
#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/printable.h"
#include "weights/state_dict.h"

namespace reprise::training {

/// Fills `to` from a JSON value, without rounding (0.5 to the integer 0) and without unknown keys.
/// json::type_error: another type, or a value that would change.
template <typename Value>
void get_exactly(const nlohmann::json& from, Value& to) {
  from.get_to(to);
  if (nlohmann::json(to) != from)
    throw nlohmann::json::type_error::create(
        302, "a number is not whole, or a key is unknown: " + shorten(json_text(from), 200), &from);
}

class TrainedFile {
 public:
  /// Reads the file. what: its kind for errors, "a trained MoCoGAN"; fix: the advice of all its
  /// errors. UsageError: no such file; a damaged file; another format (names both); no metadata.
  TrainedFile(const std::filesystem::path& path, const std::string& format, const std::string& what,
              std::string fix);

  /// Metadata of the network.
  const nlohmann::json& metadata() const { return metadata_; }
  /// Calls read(metadata()). UsageError: a key is missing or has another type.
  template <typename Read>
  void read(const Read& read) const {
    try {
      read(metadata_);
    } catch (const nlohmann::json::exception& error) {
      refuse_metadata(error);
    }
  }
  /// Throws a UsageError with the name of the file.
  [[noreturn]] void refuse(const std::string& problem) const;
  /// UsageError: a value outside low to high (names the field).
  void check_range(const std::string& field, std::int64_t value, std::int64_t low,
                   std::int64_t high) const;
  /// UsageError: the tensor is missing, or has another shape (names both).
  void check_tensor(const std::string& tensor, const std::vector<std::int64_t>& shape) const;
  /// Checks a text that users will see. UsageError: it contains a control character.
  void check_printable(const std::string& field, const std::string& text) const;
  /// Loads the tensors below `prefix` into the network, and puts it on `device` in evaluation mode
  /// without gradients. UsageError: as load_state(); weights that are not finite.
  void load(torch::nn::Module& network, const std::string& prefix, at::Device device) const;

 private:
  [[noreturn]] void refuse_metadata(const nlohmann::json::exception& error) const;
  std::string where_, fix_;
  nlohmann::json metadata_;
  weights::StateDict tensors_;
};

/// Writes networks, each below its prefix. Error: the file cannot be written.
void write_trained_file(
    const std::filesystem::path& path, const std::string& format, const nlohmann::json& metadata,
    const std::vector<std::pair<std::string, const torch::nn::Module*>>& networks);

}  // namespace reprise::training
