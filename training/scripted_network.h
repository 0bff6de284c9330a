// A sequence estimator from a TorchScript file (torch.jit.script(module).save(FILE)).
//
// Parameters that require gradients are trained; other parameters and buffers are state: stored and
// restored with the network. A file holds its first weights, so they are the same for every seed
// but where start_from() puts others.
//
// Calling what is in such a file runs its author's code: use only files that you trust
// (training/script.h says what is refused).
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
  /// UsageError: no TorchScript file, or one without a method `forward`.
  explicit ScriptedNetwork(const std::filesystem::path& file);
  ~ScriptedNetwork() override;

  torch::Tensor forward(const torch::Tensor& x) override;
  /// What the file brought: all that is trained but what start_from() filled.
  std::vector<torch::Tensor> fresh() const override;
  void train(bool on = true) override;

  /// Whether there is anything to train.
  bool learns() const { return !parameters().empty(); }

  /// Every parameter that bears the name of one of `trained` ("fc6.weight") gets its values, and
  /// counts as pre-trained. Returns how many. UsageError: another shape (both are named).
  std::size_t start_from(const weights::StateDict& trained);

  /// Names of the linear layers that have a trained layer's shapes, sorted: "head" where the file
  /// has head.weight of `weight`'s shape and head.bias of `bias`'s.
  std::vector<std::string> layers_shaped(const torch::Tensor& weight,
                                         const torch::Tensor& bias) const;
  /// Whether the file has a parameter of this name: "out.weight".
  bool has(const std::string& parameter) const;

  /// UsageError: forward fails on zeros of shape `input`, or gives something else than one float
  /// tensor of shape `output`; the shapes given, got and expected are named.
  void check_shapes(const std::vector<std::int64_t>& input,
                    const std::vector<std::int64_t>& output);

 private:
  struct Script;
  std::unique_ptr<Script> script_;
  std::string name_;
  std::set<std::string> pretrained_;
};

}  // namespace reprise::training
