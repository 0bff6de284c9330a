// External methods in study dynamic_face (docs/new_method.md).
//
// TorchScript: forward(features [B, T, n] float32) -> [B, T, 3] float32, where n features per frame
// are what the frozen trunk of the per-frame network gives, flattened, and the outputs are pitch,
// yaw, roll in units of 20 degrees. It is trained as the study's own methods are, its learning rate
// searched. Parameters named fc6.weight, fc6.bias, fc7.* start from the seed's per-frame network,
// and so does the output layer, whatever its name (experiments/external_network.h).
//
// Predictions, one file per seed, all test kinds in it: poses (CSV sequence,frame,pitch,yaw,roll;
// or .npy [N, 3]) or landmarks (CSV item,x0,y0,...,x67,y67 in pixels, the item being
// SEQUENCE/FRAME; or .npy [N, 68, 2]), a row per frame of the exported test.csv.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::dynamic_face_study {

/// Tables of poses and of landmarks, both of the test sequences.
std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// Frames of the training and validation clips and of the test sequences of every kind: sequences
/// "seedS/training/00012", "seedS/validation/00003", "seedS/KIND/00000". UsageError: another data
/// set than "synhead".
ExportedData exported_frames(const std::string& dataset, std::int64_t seed,
                             const Settings& settings, const DataFolder& data);

/// A cell of an external method.
void run_external(CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
