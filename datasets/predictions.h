// Predictions and truths as files: how a method in any language hands over its results.
//
//     landmarks   item,x0,y0,...,x67,y67      pixels
//     labels      item,label                  integers
//     pose        sequence,frame,pitch,yaw,roll   degrees; the item is "SEQUENCE/FRAME"
//
// Columns are found by their titles, in any order; further columns are ignored, so that a truth may
// hold more. A .npy file serves as well, of any type of numbers: [N, 68, 2] or [N, 136], [N] or [N,
// 1], and [N, 3]; its items are its rows, and it pairs only with another .npy. A label may be
// written 1.0 or +1, as programs that keep gaps do.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

namespace reprise::datasets {

enum class PredictionKind { Landmarks, Labels, Pose };

struct Predictions {
  std::vector<std::string> item;
  at::Tensor values;    ///< landmarks [N, 68, 2] float64; labels [N] int64; pose [N, 3] float64
  bool by_row = false;  ///< from .npy: items are row numbers
};

/// A .npy by its first bytes or its ending, else CSV. UsageError: a missing column (all that are
/// missing are counted, five named); an empty or repeated item; a value that is not finite (labels:
/// no integer); another .npy shape or type; no row. The first five offenders are named, with their
/// lines.
Predictions read_predictions(const std::filesystem::path& path, PredictionKind kind);

/// What a file holds, by its title line or the shape of its array; what is in its rows is not read.
/// UsageError: neither of the three.
PredictionKind kind_of(const std::filesystem::path& path);

/// Rows in the order given. Landmarks and poses with the fewest digits that read back as the same
/// float64. UsageError: items and values do not fit, a repeated item, a value that is not finite;
/// for pose an item that is not SEQUENCE/FRAME.
std::string predictions_csv(const Predictions& predictions, PredictionKind kind);

/// Values of `predicted` in the order of `truth`, whatever order its own rows have. UsageError:
/// items of the truth that have no prediction, or predictions that have no truth (counted, five
/// named); a .npy beside a CSV; numbers of rows that differ.
at::Tensor paired(const Predictions& predicted, const Predictions& truth);

}  // namespace reprise::datasets
