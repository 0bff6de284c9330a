// Methods from outside in study prernn (docs/new_method.md): a TorchScript file is one more method of tables search, table1 and nomemory;
// predictions are a row of table1.
//
// TorchScript: forward(features [B, T, n] float32) -> [B, T, 136] float32. Features are what the frozen trunk gives for the T frames of a
// clip, flattened; outputs are x0, y0, ..., x67, y67 of each frame, (pixel / side of the crop) - 1/2. Parameters named fc6.weight,
// fc6.bias, fc7.*, out.* start from the seed's trained CNN and have the pre-trained learning rate, like the study's own methods.
//
// Predictions: the CSV or .npy of datasets/predictions.h, landmarks in pixels, one row for each frame of the test clips.
#pragma once
#include "models/methods.h"
#include "reproduce/study.h"

namespace reprise::reproduce::prernn_study {

std::vector<PlannedCell> plan_outside(const OutsideMethod& method, const Settings& settings, const std::filesystem::path& data);

/// "your methods" beside all others, for each set of clips.
std::vector<reports::Table> outside_tables(const std::vector<std::string>& names, const Settings& settings);

/// The clips of one replicate; items are "seedS/clipNNNNN/FFF".
ExportedFrames outside_frames(const std::string& dataset, std::int64_t seed, const Settings& settings, const std::filesystem::path& data);

/// The method of a cell whose file is TorchScript. `make` gives a training::ScriptedNetwork.
models::Method scripted_method(const std::string& name, const std::filesystem::path& file);

/// A cell of table1 whose file holds predictions: scores them.
void run_predictions(CellContext& context);

}  // namespace reprise::reproduce::prernn_study
