// The fully connected end of a trained CNN, on the features of a clip: fc6, fc7, out, any of which may be recurrent.
//
// Every method of table 1 (document prernn) is one of these: the plain CNN keeps fc6 and fc7 as they are; PreRNN and PreRNN-SIH replace one
// or both by recurrent layers made of their weights; the traditional RNN appends recurrent layers with random weights after fc7.
// All start from the same trained layers, and all weights are trained on.
#pragma once
#include <torch/nn/modules/linear.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/recurrent_layer.h"
#include "training/sequence_network.h"

namespace reprise::models {

/// The trained layers that a head starts from; the head holds copies.
struct TrainedLayers {
  torch::nn::Linear fc6{nullptr}, fc7{nullptr}, out{nullptr};
};

class SequenceHead : public training::SequenceNetwork {
 public:
  explicit SequenceHead(const TrainedLayers& trained);

  /// PreRNN: the feedforward layer `name` ("fc6", "fc7") becomes recurrent. Error: no such layer (lists those there are), or it is
  /// recurrent already.
  void make_recurrent(const std::string& name, Cell cell, InputToHidden input_to_hidden, double hidden_scale, Random& random);
  /// Traditional: a further recurrent layer with random weights, as wide as what comes before it, between the last layer and out.
  void append_recurrent(const std::string& name, Cell cell, double hidden_scale, Random& random);

  /// x: [B, T, n] -> [B, T, outputs]
  torch::Tensor forward(const torch::Tensor& x) override;
  std::vector<torch::Tensor> fresh() const override;
  std::int64_t recurrent_parameters(std::int64_t features, std::int64_t width) const override;
  std::map<std::string, torch::Tensor> gates(const torch::Tensor& x) override;

 private:
  /// A layer between features and out; exactly one of the two is set.
  struct Layer {
    std::string name;
    torch::nn::Linear feedforward{nullptr};
    RecurrentLayer recurrent{nullptr};
    bool appended = false;
  };
  torch::Tensor apply(Layer& layer, const torch::Tensor& x);
  std::vector<Layer> layers_;
  torch::nn::Linear out_{nullptr};
};

}  // namespace reprise::models
