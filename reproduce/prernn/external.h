// External methods in study prernn (docs/new_method.md). A TorchScript file is a method of all
// tables with its shapes of features and outputs:
// - Faces: tables search, table1 and nomemory.
// - Gestures and actions: tables TASK_fc and TASK_3d.
//
// A file of predictions is a row of table1 or of TASK_fc.
//
// TorchScript: forward(features [B, T, n] float32) -> [B, T, outputs] float32. Features are those
// of the frozen trunk for the T steps of a clip, flattened. Faces have 136 outputs per frame: x0,
// y0, ..., x67, y67 as pixel / side of the crop - 1/2. Gestures and actions have one output per
// class, before the softmax. The file is trained once per modality, each with its own network.
// Parameters named fc6.weight, fc6.bias, fc7.* start from the seed's trained network and have the
// pre-trained learning rate, like the study's own methods. start.draw_output determines the first
// output layer, as for these (experiments/external_network.h).
//
// Predictions: the CSV or .npy of datasets/predictions.h. Faces: landmarks in pixels, one row per
// frame of the test clips. Gestures and actions: labels, one row per test clip.
#pragma once
#include "experiments/external_network.h"
#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

/// Lists the tables of faces, and those of gestures and actions with fully connected layers.
std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// Generates or reads the clips of one seed. Items of faces: "seedS/clipNNNNN/FFF" (test),
/// "seedS/train/clip..." and "seedS/validation/clip...". Gestures and actions: "seedS/" and the
/// clip's name.
ExportedData exported_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data);

/// Returns the item of a clip in a file of predictions.
std::string clip_item(std::int64_t seed, const std::string& clip);

/// Creates the method of a TorchScript file. `make` returns a training::ScriptedNetwork.
models::Method scripted_method(const std::string& name, const std::filesystem::path& file);

/// Measures a file of predictions: landmarks of test frames, or classes of test clips
/// (video_method.cpp).
void measure_face_predictions(CellContext& context);
void measure_label_predictions(CellContext& context);

}  // namespace reprise::reproduce::prernn_study
