// A trained network in one safetensors file that says of itself how large it is: what `reprise
// generate` and `reprise translate` take.
//
// Its metadata hold the "format" and the "facts", a JSON object. A file may come from a stranger,
// and a few bytes of facts may ask for gigabytes: whoever loads a network holds the facts against
// the tensors, whose bytes the file really has, before anything is built.
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

/// Fills `to` with a JSON value. json::type_error: it is of another type, or the library would cut
/// a number to fit, as 0.5 to the integer 0.
template <typename Value>
void get_exactly(const nlohmann::json& from, Value& to) {
  from.get_to(to);
  if (nlohmann::json(to) != from)
    throw nlohmann::json::type_error::create(
        302, "a number is not whole, or a key is unknown: " + shortened(json_text(from), 200),
        &from);
}

class TrainedFile {
 public:
  /// what: "a trained MoCoGAN"; fix: what every error of this file says to do. UsageError: no such
  /// file, damaged, of another format (both are named), or without facts.
  TrainedFile(const std::filesystem::path& path, const std::string& format, const std::string& what,
              std::string fix);

  const nlohmann::json& facts() const { return facts_; }
  /// Fills out of facts(). UsageError: what `read` throws of JSON: a fact that is missing, or of
  /// another type.
  template <typename Read>
  void read(const Read& read) const {
    try {
      read(facts_);
    } catch (const nlohmann::json::exception& error) {
      unreadable(error);
    }
  }
  [[noreturn]] void refuse(const std::string& problem) const;
  /// UsageError: outside low to high; `field` is named.
  void in_range(const std::string& field, std::int64_t value, std::int64_t low,
                std::int64_t high) const;
  /// UsageError: the tensor is not there, or has another shape; both are named.
  void has(const std::string& tensor, const std::vector<std::int64_t>& shape) const;
  /// A text that is shown to people. UsageError: it holds a control character.
  void printable(const std::string& field, const std::string& text) const;
  /// The tensors below `prefix` into the network, which is then in evaluation mode on `device`,
  /// without gradients. UsageError: as load_state(); weights that are not finite.
  void load(torch::nn::Module& network, const std::string& prefix, at::Device device) const;

 private:
  [[noreturn]] void unreadable(const nlohmann::json::exception& error) const;
  std::string where_, fix_;
  nlohmann::json facts_;
  weights::StateDict tensors_;
};

/// Networks below their prefixes. Error: the file cannot be written.
void write_trained(const std::filesystem::path& path, const std::string& format,
                   const nlohmann::json& facts,
                   const std::vector<std::pair<std::string, const torch::nn::Module*>>& networks);

}  // namespace reprise::training
