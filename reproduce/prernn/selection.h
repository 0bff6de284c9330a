// Choice of the layers to make recurrent. Source: document prernn, from paragraph 54 on, and
// figure 2.
//
// The procedure for one cell type (LSTM or GRU) and one network:
//     1. Transform every combination of its layers and train each (cells of the study's tables).
//     2. Record the gates on validation clips.
//     3. In the network with all layers transformed, keep the layers with fewer activations within
//        [0.1, 0.9] than outside; revert the others.
//     4. Train the kept combination again, from new random W_h*.
//
// The rule is compared with the best candidate on test clips, and with the candidate of least
// validation error. Candidates are the plain network, each single layer, and all layers.
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/methods.h"
#include "reproduce/prernn/tables.h"

namespace reprise::reproduce::prernn_study {

/// Task of the rule: networks of one kind with gated cells of one type.
struct LayerSelection {
  models::RecurrentCell cell;
  NetworkKind kind;
  std::string name() const;  ///< method in table selection: "lstm_fc", "gru_conv"
};

/// Returns the tasks for LSTM and GRU whose candidates are all in `methods`, a subset of
/// methods_for(kind).
std::vector<LayerSelection> selections_among(const std::vector<models::Method>& methods,
                                             NetworkKind kind);
/// Returns the task of a name. UsageError: no such task.
LayerSelection selection_named(const std::string& name);

/// Returns the candidates; the last one has all layers transformed. Examples: "cnn",
/// "pre_lstm_fc6", "pre_lstm_fc7", "pre_lstm_fc67"; or "cnn", "pre_gru_conv".
std::vector<models::Method> layer_candidates(const LayerSelection& selection);

/// Plans the cells of these tasks on one data set. Candidates are cells of `table`; features are in
/// a cell of table `prepared`.
void plan_selection(const std::vector<LayerSelection>& selections, const std::string& table,
                    const std::string& prepared, const std::string& dataset,
                    const Settings& settings, std::vector<PlannedCell>& cells);

/// Applies the rule to the candidates' records of the same seed. Returns the id of the chosen
/// candidate. Records these metrics, each name with `part`; SCORE is "auc" for faces, else
/// "accuracy":
/// - kept_fc6, kept_fc7, kept_conv: 1 if the rule keeps the layer.
/// - pick_SCORE, best_SCORE: test score of the chosen and of the best candidate.
/// - recurrent_SCORE: mean over recurrent candidates, as of a random selection.
/// - agrees: 1 if the chosen candidate has the best score.
/// - validation_SCORE, validation_agrees: the same for the candidate of least validation error.
std::string select_layers(CellContext& context, const std::string& part);

}  // namespace reprise::reproduce::prernn_study
