// Which layers to make recurrent (document prernn, paragraphs 54 to 66, figures 2A to 2D, claims 11 and 12).
//
// The procedure, for one cell kind (LSTM or GRU) and one network: transform every combination of its layers and train each (the cells of
// the study's tables); record the gates over validation clips; of the combination with all layers transformed keep those layers that have
// fewer gate activations within [0.1, 0.9] than outside, and revert the others; train what is kept again, from W_h* of its own draw.
//
// The rule is judged against the same candidates' accuracy on the test clips, and beside it the plain alternative: the candidate with the
// least validation error. Candidates: the plain network (all reverted), each layer, all layers.
#pragma once
#include <string>

#include "reproduce/study.h"

namespace reprise::reproduce::prernn_study {

/// A cell of table selection is named CELL_KIND: "lstm_fc", "gru_conv". The methods that it chooses from, the one with every layer
/// transformed last: "cnn", "pre_lstm_fc6", "pre_lstm_fc7", "pre_lstm_fc67"; or "cnn", "pre_gru_conv".
std::vector<std::string> selection_candidates(const std::string& method);

/// Reads the candidates' records of the same seed, decides, and notes into context.record, each with `part` in its name:
///     kept_fc6, kept_fc7 or kept_conv      1 where the rule keeps the layer
///     pick_SCORE, best_SCORE, mean_SCORE   test score of the rule's pick, of the best candidate, and the mean over the candidates
///     agrees                               1 where the pick is the best candidate (or as good)
///     validation_SCORE, validation_agrees  the same for the candidate with the least validation error
/// SCORE is "auc" for faces, else "accuracy". Returns the pick.
std::string select_layers(CellContext& context, const std::string& kind, const std::string& part);

}  // namespace reprise::reproduce::prernn_study
