// A sequence network from a TorchScript file (torch.jit.script(module).save(FILE)).
//
// Parameters that require gradients are trained. Other parameters and buffers are state, which is
// stored and restored with the network. The file contains the first weights, so they are the same
// for every seed, except for those that load_pretrained() replaces.
//
// Calling the network runs its author's code: use only files that you trust
// (training/torch_script.h).
#pragma once
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "training/sequence_network.h"
#include "weights/state_dict.h"

namespace reprise::training {

class ScriptedNetwork : public SequenceNetwork {
 public:
  /// Reads the file. UsageError: as read_script().
  explicit ScriptedNetwork(const std::filesystem::path& file);
  ~ScriptedNetwork() override;

  torch::Tensor forward(const torch::Tensor& x) override;
  /// Trained parameters that load_pretrained() did not fill.
  std::vector<torch::Tensor> untrained_parameters() const override;
  void train(bool on = true) override;

  /// Whether the network has parameters to train.
  bool is_trainable() const { return !parameters().empty(); }

  /// Copies `trained` into the parameters of equal names ("fc6.weight") and marks these as
  /// pre-trained. Returns their number. UsageError: another shape (names both).
  std::size_t load_pretrained(const weights::StateDict& trained);

  /// Names of the linear layers with the shapes of `weight` and `bias`, sorted: "head" for
  /// head.weight and head.bias.
  std::vector<std::string> find_layers(const torch::Tensor& weight,
                                       const torch::Tensor& bias) const;
  /// Whether the file has the parameter, such as "out.weight".
  bool has_parameter(const std::string& parameter) const;

  /// Calls forward on zeros of shape `input`. UsageError: it fails, or its result is not one float
  /// tensor of shape `output` (names the shapes).
  void check_shapes(const std::vector<std::int64_t>& input,
                    const std::vector<std::int64_t>& output);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
  std::set<std::string> pretrained_;
};

}  // namespace reprise::training
