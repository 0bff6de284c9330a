// The registry of sequence estimators that start from a trained CNN's fully connected layers. A method is added with one
// .h/.cpp pair and one line in the table of its room; the conformance test then runs it on a small set.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/random.h"
#include "models/sequence_head.h"

namespace reprise::models {

struct Method {
  std::string name;   ///< "pre_lstm_fc6": what records, tables and --only say
  std::string title;  ///< "PreLSTM fc6"
  std::function<std::unique_ptr<training::SequenceNetwork>(const TrainedLayers&, Random&)> make;
};

/// PreVRNN, PreLSTM, PreGRU at fc6, fc7, fc6/7, and SIH for LSTM and GRU at the same: 15 methods.
const std::vector<Method>& methods();

std::string_view cell_name(Cell cell);   ///< "vrnn", "lstm", "gru"
std::string_view cell_title(Cell cell);  ///< "VRNN", "LSTM", "GRU"

}  // namespace reprise::models
