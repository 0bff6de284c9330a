// Transforms a trained network into a recurrent one: the operation of document prernn.
//
//     transform(network, {.layers = {"fc6"}, .cell = RecurrentCell::Gru}, random)
//
// Named layers become recurrent (models/recurrent/recurrent_stage.h) and see whole clips. All other
// stages see each frame separately: frames are folded into the batch.
//
// Two kinds of layers can be named:
// - Any fully connected layer except the output layer, whose output is no hidden state.
// - The last convolution, or bottleneck block, before global average pooling. Eq 6 has P inside the
//   recurrent layer, so the next layer must take a vector.
// Examples are fc6 and fc7 of VGG16, C3D and small networks, and layer4.2 of ResNet-50.
//
// Without layers the network is the plain one, frame by frame. With `appended` it is the
// traditional baseline: recurrent layers with random weights between the last layer and the output
// layer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "models/backbones/backbone.h"
#include "models/recurrent/recurrent_stage.h"
#include "training/sequence_network.h"

namespace reprise::models {

/// Masks of dropout.
/// - Sequence: variational dropout, one mask for all steps of a clip. It acts on a layer's input
///   and on the previous state that W_h* see (document dynamic_face; Gal and Ghahramani 2016).
/// - Step: standard dropout, a separate mask for each step, on the input only.
enum class DropoutMask { Sequence, Step };

struct TransformOptions {
  /// Layers to make recurrent: names or paths (models/backbones/backbone.h).
  std::vector<std::string> layers = {};
  RecurrentCell cell = RecurrentCell::Gru;
  InputToHidden input_to_hidden = InputToHidden::PerGate;
  double hidden_scale = 0.1;  ///< factor of the random orthogonal matrix that W_h* starts as
  /// False: recurrent layers train W_h* only; W_x*, b and B keep their trained values.
  bool train_inputs = true;
  bool open_gates = false;  ///< recurrent_stage.h
  /// Dropout rate in training, on the input of each layer from the first fully connected or
  /// recurrent.
  double dropout = 0;
  DropoutMask mask = DropoutMask::Sequence;
  /// Draws the weights of the output layer (draw_output_layer()); false: keeps the trained ones.
  bool draw_output = false;
  /// Number of traditional layers "rnn1", "rnn2", ..., each as wide as its input.
  std::int64_t appended = 0;
  double forget_bias = 1;  ///< initial forget gate bias of traditional LSTMs
  /// Empty: x are frames. Otherwise x are features of this layer, and only later stages are kept.
  std::string features_of = {};
};

/// Draws the weights of an output layer: W uniform in +-1/sqrt(inputs), b zero.
void draw_output_layer(LinearMap& layer, Random& random);

/// The names of the layers that can be made recurrent.
std::vector<std::string> transformable_layers(const Backbone& network);

/// Makes a separate network: weights are copied and `trained` does not change. All batch norm uses
/// its stored statistics, in training too.
/// forward: frames [B, T, C, H, W] (3-D networks: snippets [B, T, C, D, H, W]), or features [B, T,
/// ...], -> [B, T, outputs]. Parameters keep their names in `trained`; those of recurrent layers
/// are LAYER.weight_x, LAYER.bias and LAYER.weight_h.
/// recurrent_parameters(features, width): `features` is the input size of the first fully connected
/// layer, `width` the number of units of each. A convolution counts its own weights.
/// UsageError: a layer that does not exist, cannot be made recurrent (with the reason and the
/// possible layers), is named twice, or precedes `features_of`.
std::unique_ptr<training::SequenceNetwork> transform(const Backbone& trained,
                                                     const TransformOptions& options,
                                                     Random& random);

}  // namespace reprise::models
