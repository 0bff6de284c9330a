// External methods in study dynamic_face (docs/new_method.md).
//
// TorchScript: forward(features [B, T, n] float32) -> [B, T, 3] float32. The n features of a frame
// are those of the per-frame network's frozen trunk, flattened. Outputs are pitch, yaw and roll in
// units of 20 degrees. A script is trained like the study's own methods; its learning rate is
// searched. Parameters named fc6.weight, fc6.bias, fc7.* and the output layer start from the seed's
// per-frame network (experiments/external_network.h).
//
// Predictions: one file per seed with all test kinds, one row per frame of the exported test.csv.
// Poses: CSV sequence,frame,pitch,yaw,roll or .npy [N, 3]. Landmarks: CSV item,x0,y0,...,x67,y67 in
// pixels with item SEQUENCE/FRAME, or .npy [N, 68, 2].
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::dynamic_face_study {

/// Lists the tables of poses and of landmarks on the test sequences.
std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// Generates the frames of training clips, validation clips and test sequences of every kind.
/// Sequences are named "seedS/PART/NNNNN", where PART is "training", "validation" or a test kind.
/// UsageError: a data set other than "synhead".
ExportedData exported_frames(const std::string& dataset, std::int64_t seed,
                             const Settings& settings, const DataFolder& data);

/// Runs a cell of an external method.
void run_external(CellContext& context);

}  // namespace reprise::reproduce::dynamic_face_study
