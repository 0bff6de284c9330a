// What the studies' doors for methods from outside share: TorchScript sequence networks on the features of a trained CNN, and predictions
// paired with a truth.
#pragma once
#include <filesystem>
#include <memory>
#include <vector>

#include "datasets/predictions.h"
#include "models/backbones/backbone.h"
#include "reproduce/study.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// The script as a network whose parameters named fc6.weight, fc6.bias, ..., out.bias start from the trained network's (training/
/// scripted_network.h). UsageError: not a script; a parameter of such a name has another shape.
std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file, const models::Backbone& trained);

/// Tries the script on zeros in place of the layers behind the network's trunk, so that what does not fit is reported before anything runs:
/// [2, 3, n] and [1, 1, n] -> [.., outputs of the network]. Returns whether there is anything to train. Without `call` nothing is tried.
/// UsageError: it does not fit (both shapes are named).
bool check_script(const std::filesystem::path& file, const models::Backbone& network, bool call);

/// Cells of a method that has nothing to train: no trials.
void leave_out_trials(std::vector<PlannedCell>& cells, const std::function<bool(const records::Cell&)>& is_trial);

/// The predictions' values in the truth's order. UsageError: as datasets::paired, with the file and where its items come from.
at::Tensor paired_with_truth(const CellContext& context, const datasets::Predictions& predictions, const datasets::Predictions& truth);

/// A cell whose file holds predictions, not a network.
bool holds_predictions(const CellContext& context);

}  // namespace reprise::reproduce
