// What the studies' doors for methods from outside share: TorchScript sequence networks on the features of a trained CNN, and predictions
// paired with a truth.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/predictions.h"
#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// The script as a network whose parameters named fc6.weight, fc6.bias, fc7.* start from the trained network's (training/
/// scripted_network.h). Its output layer starts as those of the study's own methods do, whatever its name:
///   draw_output   from weights that are not trained: those in the file
///   otherwise     from the trained output layer. It is the linear layer with that layer's shapes, or the one named "out" of several
/// A script without anything to train is measured as the plain network is: its output layer is the trained one.
/// UsageError: not a script; fc6 or fc7 has another shape; several layers could be the output layer (all are named).
std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file, const models::Backbone& trained,
                                                            bool draw_output);

struct ScriptCheck {
  bool learns = false;
  std::vector<std::string> notes = {};  ///< which of its layers start otherwise than those of the study's own methods
};

/// Tries the script on zeros in place of the layers behind the network's trunk, so that what does not fit is reported before anything runs:
/// [2, 3, n] and [1, 1, n] -> [.., outputs of the network]. Without `call` nothing is tried.
/// UsageError: as scripted_network(); its outputs do not fit (both shapes are named).
ScriptCheck check_script(const std::filesystem::path& file, const models::Backbone& network, bool draw_output, bool call);

/// Cells of a method that has nothing to train: no trials.
void leave_out_trials(std::vector<PlannedCell>& cells);

/// The predictions' values in the truth's order. UsageError: as datasets::paired, with the file and where its items come from.
at::Tensor paired_with_truth(const CellContext& context, const datasets::Predictions& predictions, const datasets::Predictions& truth);

/// A cell whose file holds predictions, not a network.
bool holds_predictions(const CellContext& context);

}  // namespace reprise::reproduce
