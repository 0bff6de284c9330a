// Files of predictions and of ground truth, which programs in any language can write. CSV columns:
//
//     landmarks   item,x0,y0,...,x67,y67          pixels
//     labels      item,label                      integers
//     pose        sequence,frame,pitch,yaw,roll   degrees; the item is "SEQUENCE/FRAME"
//
// Columns are found by title, in any order. Further columns are ignored.
//
// A .npy array of any numeric type is read too. An item is then a row, and predictions and truth
// must both be .npy. Shapes:
//
//     landmarks   [N, 68, 2] or [N, 136]
//     labels      [N] or [N, 1]
//     pose        [N, 3]
//
// A label can also be written as 1.0 or +1.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::datasets {

enum class PredictionKind { Landmarks, Labels, Pose };

struct Predictions {
  std::vector<std::string> item;
  /// Values of each kind:
  /// - landmarks: [N, 68, 2], float64
  /// - labels: [N], int64
  /// - pose: [N, 3], float64
  at::Tensor values;
  bool by_row = false;  ///< true if read from .npy: items are row numbers
};

/// Reads a .npy file (by its first bytes or its ending), or else a CSV file. UsageError: a column
/// is missing; an item is empty or repeated; a value is not finite; a label is not an integer.
/// Also: there is no row; a .npy has another shape or type. The message gives the number of wrong
/// rows, and names five of them with their lines.
Predictions read_predictions(const std::filesystem::path& path, PredictionKind kind);

/// Detects the kind of predictions by the title line or the shape of the array, without reading
/// rows. UsageError: none of the three kinds fits.
PredictionKind detect_prediction_kind(const std::filesystem::path& path);

/// Formats predictions as CSV, in the given order, with the fewest digits that restore each
/// float64. UsageError: items and values differ in number; an item is repeated; a value is not
/// finite; an item of a pose is not SEQUENCE/FRAME.
std::string format_predictions(const Predictions& predictions, PredictionKind kind);

/// Returns the values of `predicted` in the order of `truth`. UsageError: an item is in one of them
/// only (the message gives the number of such items and names five); one is a .npy and the other a
/// CSV; two .npy have different numbers of rows.
at::Tensor align_predictions(const Predictions& predicted, const Predictions& truth);

}  // namespace reprise::datasets
