// The sample of a study: committed cells that `reproduce` re-runs, in reproduce/STUDY/sample.toml.
//
//     [[cell]]
//     cell = "gestures_fc/gestures/pre_lstm_fc6/seed8"
//     seconds = 8
//     checkpoint = ["networks_fc/gestures/cnn/seed8"]
//
// `seconds` is the time on one core of the committed run. `checkpoint` names cells whose committed
// files the cell starts from. Without it the cell starts from its seed.
// A cell comes after the cells whose files it needs. Committed files lie in
// RESULTS/checkpoints/TABLE/DATASET/METHOD/seedN/, and the packed record of their cell lists their
// SHA-256.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reproduce {

struct SampleCell {
  std::string cell;    ///< TABLE/DATASET/METHOD/seedN
  double seconds = 0;  ///< expected, of one core
  std::vector<std::string> checkpoint = {};
};

/// Reads a sample. UsageError: a missing, unknown or wrongly typed key; a repeated cell. `name`:
/// the file's, for messages.
std::vector<SampleCell> read_sample(std::string_view toml, const std::string& name);

}  // namespace reprise::reproduce
