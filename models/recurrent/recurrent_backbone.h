// From a trained network to the recurrent one: the operation of document prernn, for any layer that
// can carry it.
//
//     transform(network, {.layers = {"fc6"}, .cell = Cell::Gru}, random)
//
// The stages before the first recurrent one see each frame on its own (frames folded into the
// batch); named layers become recurrent (models/recurrent/recurrent_stage.h) and see the clip;
// stages after them see each step on its own again.
//
// Which layers can be named: a fully connected layer, but the output layer (its output is no hidden
// state); and the last convolution (or bottleneck block) before global average pooling, since P of
// eq 6 comes inside the recurrent layer: what follows must take a vector. So:
// fc6 and fc7 of VGG16 and C3D; layer4.2 of ResNet-50; of a small network with global pooling its
// last convolution, else fc6 and fc7.
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

/// Sequence: variational dropout; one mask for all steps of a clip, on what enters a layer and on
/// what its W_h* see of the state before (document dynamic_face; Gal and Ghahramani 2016). Step:
/// the usual one; a mask of its own for each step, on what enters alone.
enum class DropoutMask { Sequence, Step };

struct TransformOptions {
  std::vector<std::string> layers =
      {};  ///< to make recurrent: names or paths (models/backbones/backbone.h)
  Cell cell = Cell::Gru;
  InputToHidden input_to_hidden = InputToHidden::PerGate;
  double hidden_scale = 0.1;  ///< W_h* starts as this times a random orthogonal matrix
  bool train_inputs =
      true;  ///< false: of a recurrent layer only W_h* asks for gradients; W_x*, b and B stay as they were trained
  bool open_gates = false;  ///< recurrent_stage.h
  double dropout =
      0;  ///< rate, in training, on what enters each layer from the first fully connected or recurrent one on
  DropoutMask mask = DropoutMask::Sequence;
  /// Whether the output layer starts from drawn weights (draw_output_layer()) and not from the
  /// trained ones.
  bool draw_output = false;
  std::int64_t appended =
      0;  ///< traditional layers "rnn1", "rnn2", ..., as wide as what comes before them
  double forget_bias = 1;  ///< with which the forget gates of traditional LSTMs begin
  std::string features_of =
      {};  ///< empty: x are frames. Otherwise x are the features of this layer, and only the stages after it are kept
};

/// Draws the weights of an output layer: W uniform in +-1/sqrt(inputs), b zero.
void draw_output_layer(LinearMap& layer, Random& random);

/// The names of the layers that can be made recurrent.
std::vector<std::string> transformable_layers(const Backbone& network);

/// A network of its own: it copies the weights, and `trained` is left as it is. All batch norm uses
/// its stored statistics, in training too. forward: x: [B, T, C, H, W] (clips of 3-D networks: [B,
/// T, C, D, H, W]), or [B, T, ...] of features -> [B, T, outputs]. Parameters have their names in
/// `trained`; recurrent ones are LAYER.weight_x, LAYER.bias, LAYER.weight_h. Counting recurrent
/// parameters takes `features` as what enters the first fully connected layer and `width` as that
/// of all of them; a convolution counts its own. UsageError: a layer that does not exist, cannot be
/// made recurrent (says why, and which can), is named twice, or is no longer there behind
/// `features_of`.
std::unique_ptr<training::SequenceNetwork> transform(const Backbone& trained,
                                                     const TransformOptions& options,
                                                     Random& random);

}  // namespace reprise::models
