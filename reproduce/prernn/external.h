// External methods in study prernn (docs/new_method.md). A TorchScript file is one more method of
// every table whose features and outputs have its shapes: faces (tables search, table1, nomemory),
// and gestures and actions at networks with fully connected layers (TASK_fc, TASK_3d). Predictions
// are a row of table1 or of TASK_fc.
//
// TorchScript: forward(features [B, T, n] float32) -> [B, T, outputs] float32. Features are what
// the frozen trunk gives for the T steps of a clip, flattened. Faces: 136 outputs, x0, y0, ...,
// x67, y67 of each frame, (pixel / side of the crop) - 1/2. Gestures and actions: one a class,
// before any softmax; there is a network for each modality, so the file is trained once for each.
// Parameters named fc6.weight, fc6.bias, fc7.* start from the seed's trained network and have the
// pre-trained learning rate, like the study's own methods. The output layer starts as theirs do, by
// start.draw_output (experiments/external_network.h).
//
// Predictions: the CSV or .npy of datasets/predictions.h: landmarks in pixels, one row for each
// frame of the test clips; or labels, one row for each test clip.
#pragma once
#include "experiments/external_network.h"
#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

/// Tables of faces, and of gestures and actions at networks with fully connected layers.
std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// The clips of one replicate; items are "seedS/clipNNNNN/FFF" for faces ("seedS/train/clip..." and
/// "seedS/validation/clip..." in these parts), "seedS/" and the clip's own name for gestures and
/// actions.
ExportedData exported_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data);

/// What the rows of predictions for a clip are called.
std::string clip_item(std::int64_t seed, const std::string& clip);

/// The method of a cell whose file is TorchScript. `make` gives a training::ScriptedNetwork.
models::Method scripted_method(const std::string& name, const std::filesystem::path& file);

/// Cells whose file holds predictions: landmarks of test frames, and classes of test clips
/// (video_method.cpp).
void measure_face_predictions(CellContext& context);
void measure_label_predictions(CellContext& context);

}  // namespace reprise::reproduce::prernn_study
