// Which layers to make recurrent (document prernn, paragraphs 54 to 66, figures 2A to 2D, claims 11
// and 12).
//
// The procedure, for one cell kind (LSTM or GRU) and one network: transform every combination of
// its layers and train each (the cells of the study's tables); record the gates over validation
// clips; of the combination with all layers transformed keep those layers that have fewer gate
// activations within [0.1, 0.9] than outside, and revert the others; train what is kept again, from
// W_h* of its own draw.
//
// The rule is judged against the same candidates' accuracy on the test clips, and beside it the
// plain alternative: the candidate with the least validation error. Candidates: the plain network
// (all reverted), each layer, all layers.
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/methods.h"
#include "reproduce/prernn/tables.h"

namespace reprise::reproduce::prernn_study {

/// What the rule is asked for: a cell whose gates saturate, in networks of one kind.
struct Choice {
  models::Cell cell;
  NetworkKind kind;
  std::string name() const;  ///< of its cells in table selection: "lstm_fc", "gru_conv"
};

/// Of LSTM and GRU, those whose candidates are all among the methods, which are some of
/// methods_for(kind).
std::vector<Choice> choices_among(const std::vector<models::Method>& methods, NetworkKind kind);
/// UsageError: no such choice; lists those there are.
Choice choice_named(const std::string& name);

/// The methods that it chooses from, the one with every layer transformed last: "cnn",
/// "pre_lstm_fc6", "pre_lstm_fc7", "pre_lstm_fc67"; or "cnn", "pre_gru_conv".
std::vector<models::Method> candidates_of(const Choice& choice);

/// The cells of the choices for one data set: their candidates are cells of `table`, the features
/// in a cell of table `prepared`.
void plan_selection(const std::vector<Choice>& choices, const std::string& table,
                    const std::string& prepared, const std::string& dataset,
                    const Settings& settings, std::vector<PlannedCell>& cells);

/// Reads the candidates' records of the same seed, decides, and notes into context.record, each
/// with `part` in its name:
///     kept_fc6, kept_fc7 or kept_conv      1 where the rule keeps the layer
///     pick_SCORE, best_SCORE               test score of the rule's pick, and of the best candidate
///     recurrent_SCORE                      the mean over those candidates that recur: what picking one by lot gives
///     agrees                               1 where the pick is the best candidate (or as good)
///     validation_SCORE, validation_agrees  the same for the candidate with the least validation error
/// SCORE is "auc" for faces, else "accuracy". Returns the pick's id.
std::string select_layers(CellContext& context, const std::string& part);

}  // namespace reprise::reproduce::prernn_study
