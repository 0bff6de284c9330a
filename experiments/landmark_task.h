// Landmarks as training targets and as metrics, shared by the studies of faces, prernn and
// dynamic_face.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>

#include "experiments/study.h"

namespace reprise::reproduce {

/// Encodes landmarks as targets: fractions of the crop's side, from its centre. [..., 68, 2],
/// pixels -> [..., 136].
at::Tensor encode_landmarks(const at::Tensor& landmarks, std::int64_t side);
/// Decodes outputs, the inverse of encode_landmarks().
at::Tensor decode_landmarks(const at::Tensor& outputs, std::int64_t side);

/// Choice of a cell's landmark metrics, and the suffixes of their names and protocols.
struct LandmarkMetrics {
  std::string part = {};        ///< of the names: "damaged"
  std::string data;             ///< of the protocols: the data set
  bool mean_error = true;       ///< between AUC and failure rate
  bool jitter_and_lag = false;  ///< of the points over time
};

/// Adds auc, mean_error and failure_rate of frame errors of any shape to the record.
void record_landmark_error(const at::Tensor& error, const LandmarkMetrics& metrics,
                           records::Record& record);

/// Measures predicted landmarks [N, T, 68, 2] against the truth and records the metrics, with those
/// that the profile names. Returns the errors [N, T]. UsageError: as metrics::landmark_error().
at::Tensor measure_landmarks(const at::Tensor& predicted, const at::Tensor& truth,
                             const LandmarkMetrics& metrics, CellContext& context);

}  // namespace reprise::reproduce
