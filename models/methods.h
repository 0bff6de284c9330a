// The registry of sequence estimators that start from a trained CNN (models/backbones/backbone.h).
// Each works on the features of the CNN's trunk: the output of the stage before the first
// transformable layer (features_layer). A method is added with one .h/.cpp pair and one line in the
// table of its room; the suite of its contract (tests/sequence_contract.h) then runs it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/backbones/backbone.h"
#include "models/recurrent/recurrent_layer.h"
#include "training/method_info.h"
#include "training/sequence_network.h"

namespace reprise::models {

/// A layer that can be made recurrent, by its place in a network. The last convolution: the one
/// that global average pooling follows.
enum class Layer { Fc6, Fc7, LastConvolution };
std::string_view name_of(Layer layer);  ///< "fc6", "fc7", "conv"

/// What a method is. Whoever treats methods differently asks these, never the method's name.
struct MethodFacts {
  enum class Kind {
    Plain,   ///< the trained network itself: each frame by itself
    PreRnn,  ///< `layers` of the trained network become recurrent
    Traditional,  ///< `appended` recurrent layers with random weights between the last layer and the output layer
    Own  ///< a class or a script that alone knows what it carries from frame to frame
  };
  Kind kind = Kind::Own;
  std::optional<Cell> cell = {};   ///< of PreRnn and Traditional
  std::vector<Layer> layers = {};  ///< of PreRnn, from the first to the last
  InputToHidden input_to_hidden = InputToHidden::PerGate;  ///< of PreRnn; Shared: SIH
  bool train_inputs = true;  ///< of PreRnn; false: of its layers only W_h* learn
  int appended = 0;          ///< of Traditional
  bool causal = true;        ///< y_t depends on x_0, ..., x_t alone

  bool operator==(const MethodFacts&) const = default;
  bool recurs() const { return kind != Kind::Plain; }
  std::size_t recurrent_layers() const {
    return layers.size() + static_cast<std::size_t>(appended);
  }
  /// Whether its cell has gates between 0 and 1, which can saturate.
  bool has_gates() const { return cell && sigmoid_gates(*cell) > 0; }
};

/// "LSTM at fc6 and fc7, an input product per gate".
std::string facts_in_words(const MethodFacts& facts);
/// "7 matrix products per frame more than the CNN": for a PreRnn (inputs - 1 + gates) per layer,
/// for a Traditional 2 gates per layer.
std::string cost_in_words(const MethodFacts& facts);

/// What a method's weights begin as where they are not the trained network's. The same for every
/// method that is compared: the study's own, those of the registries, and TorchScript files. Only a
/// method that learns nothing of its own (the plain network) keeps its output layer.
struct MethodStart {
  bool draw_output =
      true;  ///< W_ho, of the output layer, are drawn anew (document prernn, [36] and [38]); false: they stay as trained
  double hidden_scale = 0.1;  ///< W_h* of every gate are this times a random orthogonal matrix
  double forget_bias =
      0;  ///< of the forget gate of a traditional LSTM; a PreLSTM has the trained layer's
  double dropout = 0;  ///< rate, in training; one mask for all steps of a clip
  bool operator==(const MethodStart&) const = default;
};

struct Method {
  training::MethodInfo info;
  MethodFacts facts;
  /// x of the network: [B, T, ...], features of T frames -> [B, T, outputs]. The plain network has
  /// nothing to draw.
  std::function<std::unique_ptr<training::SequenceNetwork>(const Backbone& trained,
                                                           const MethodStart& start, Random&)>
      make;
};

/// Makes the output layer with which a method starts: of the trained layer's shape, drawn or copied
/// as `start.draw_output` says. A drawn one belongs to the method's fresh().
LinearMap start_output_layer(const Backbone& trained, const MethodStart& start, Random& random);

/// The stage whose output methods take as features: the one before the first layer that can be made
/// recurrent. UsageError: there is none.
std::string features_layer(const Backbone& network);

/// For networks with fc6 and fc7: PreRNN with every cell at fc6, at fc7 and at both; SIH, for the
/// cells with more than one gate, at the same; and "wh_CELL_fc6", PreRNN whose W_x* stay as they
/// were trained, so that of the recurrent layer only W_h* learn (document, claim 2).
const std::vector<Method>& methods();

/// The same for networks whose last convolution global average pooling follows, at that
/// convolution: "pre_gru_conv", "sih_gru_conv", "wh_gru_conv", ....
const std::vector<Method>& convolutional_methods();

/// The cells of the document: VRNN, LSTM, GRU.
const std::vector<Cell>& document_cells();

std::string_view cell_name(Cell cell);   ///< "vrnn", "lstm", "gru"
std::string_view cell_title(Cell cell);  ///< "VRNN", "LSTM", "GRU"

}  // namespace reprise::models
