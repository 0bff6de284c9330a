// The registry of sequence estimators that start from a trained CNN (models/backbones/backbone.h). Each works on the features of the CNN's
// trunk: what the stage before the first transformable layer gives (features_layer). A method is added with one .h/.cpp pair and one line
// in the table of its room; the conformance test then runs it on a small set.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/backbones/backbone.h"
#include "models/recurrent/recurrent_layer.h"
#include "training/sequence_network.h"

namespace reprise::models {

struct Method {
  std::string name;   ///< "pre_lstm_fc6": what records, tables and --only say
  std::string title;  ///< "PreLSTM fc6"
  /// x of the network: [B, T, ...], features of T frames -> [B, T, outputs].
  std::function<std::unique_ptr<training::SequenceNetwork>(const Backbone& trained, Random&)> make;
};

/// The stage whose output methods take as features: the one before the first layer that can be made recurrent. UsageError: there is none.
std::string features_layer(const Backbone& network);

/// For networks with fc6 and fc7: PreVRNN, PreLSTM, PreGRU at fc6, fc7, fc6/7, and SIH for LSTM and GRU at the same: 15 methods; and
/// "wh_CELL_fc6", PreRNN whose W_x* stay as they were trained, so that of the recurrent layer only W_h* learn (document, claim 2).
const std::vector<Method>& methods();

/// The same for networks whose last convolution global average pooling follows, at that convolution: "pre_gru_conv", "sih_gru_conv",
/// "wh_gru_conv", ...: 8 methods.
const std::vector<Method>& convolutional_methods();

std::string_view cell_name(Cell cell);   ///< "vrnn", "lstm", "gru"
std::string_view cell_title(Cell cell);  ///< "VRNN", "LSTM", "GRU"

}  // namespace reprise::models
