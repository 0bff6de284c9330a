// The registry of sequence estimators that start from a trained CNN (models/backbones/backbone.h).
// Each takes the features of the CNN's trunk: the output of the stage before the first
// transformable layer (features_layer). A new method is one .h/.cpp pair and one line in the table
// of its layer.
// The contract's tests (tests/sequence_contract.h) then run it.
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

/// A layer that can be made recurrent. LastConvolution is the one before global average pooling.
enum class Layer { Fc6, Fc7, LastConvolution };
std::string_view name_of(Layer layer);  ///< "fc6", "fc7", "conv"

/// Traits of a method. Code that treats methods differently depends on these, never on a name.
struct MethodTraits {
  enum class Kind {
    Plain,   ///< the trained network itself, frame by frame
    PreRnn,  ///< `layers` of the trained network become recurrent
    /// `appended` recurrent layers with random weights before the output layer.
    Traditional,
    Own  ///< a class or script with its own recurrence
  };
  Kind kind = Kind::Own;
  std::optional<RecurrentCell> cell = {};  ///< PreRnn and Traditional only
  std::vector<Layer> layers = {};          ///< PreRnn: recurrent layers, from first to last
  InputToHidden input_to_hidden = InputToHidden::PerGate;  ///< PreRnn; Shared: SIH
  bool train_inputs = true;  ///< PreRnn; false: only W_h* of its layers are trained
  int appended = 0;          ///< Traditional: recurrent layers
  bool causal = true;        ///< y_t depends on x_0, ..., x_t only

  bool operator==(const MethodTraits&) const = default;
  bool recurs() const { return kind != Kind::Plain; }
  std::size_t recurrent_layers() const {
    return layers.size() + static_cast<std::size_t>(appended);
  }
  /// True if the cell has gates between 0 and 1, which can saturate.
  bool has_gates() const { return cell && sigmoid_gates(*cell) > 0; }
};

/// Describes a method: "LSTM at fc6 and fc7, an input product per gate".
std::string describe_traits(const MethodTraits& traits);
/// Describes the cost: "7 matrix products per frame more than the CNN". A PreRnn has (inputs - 1 +
/// gates) products per layer, a Traditional 2 gates per layer.
std::string describe_cost(const MethodTraits& traits);

/// Initial weights that do not come from the trained network. They are the same for every compared
/// method: the study's, those of the registries, and TorchScript files. Only the plain network
/// keeps its output layer.
struct MethodStart {
  /// True: draws W_ho of the output layer (document prernn, [36] and [38]); false: keeps the
  /// trained ones.
  bool draw_output = true;
  double hidden_scale = 0.1;  ///< factor of the random orthogonal matrix that is W_h* of every gate
  /// Forget gate bias of a traditional LSTM; a PreLSTM has the trained layer's.
  double forget_bias = 0;
  double dropout = 0;  ///< dropout rate in training; one mask for all steps of a clip
  bool operator==(const MethodStart&) const = default;
};

struct Method {
  training::MethodInfo info;
  MethodTraits traits;
  /// Makes the network from features [B, T, ...] to [B, T, outputs]. The plain network draws
  /// nothing.
  std::function<std::unique_ptr<training::SequenceNetwork>(const Backbone& trained,
                                                           const MethodStart& start, Random&)>
      make;
};

/// Makes the initial output layer in the trained layer's shape: drawn or copied, as
/// start.draw_output says. A drawn one belongs to the method's fresh().
LinearMap start_output_layer(const Backbone& trained, const MethodStart& start, Random& random);

/// The stage whose output methods take as features: the one before the first layer that can be made
/// recurrent. UsageError: there is none.
std::string features_layer(const Backbone& network);

/// Methods for networks with fc6 and fc7: PreRNN with every cell at fc6, at fc7 and at both; SIH
/// the same for cells with more than one gate; and "wh_CELL_fc6", PreRNN that trains only W_h* of
/// the recurrent layer (document, claim 2).
const std::vector<Method>& methods();

/// The same at the last convolution, for networks with global average pooling after it:
/// "pre_gru_conv", "sih_gru_conv", "wh_gru_conv", ....
const std::vector<Method>& convolutional_methods();

/// The cells of the document: VRNN, LSTM, GRU.
const std::vector<RecurrentCell>& document_cells();

std::string_view cell_name(RecurrentCell cell);   ///< "vrnn", "lstm", "gru"
std::string_view cell_title(RecurrentCell cell);  ///< "VRNN", "LSTM", "GRU"

}  // namespace reprise::models
