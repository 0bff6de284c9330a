// Measurements of a method on test and validation clips, written to its record and curves.
#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "models/methods.h"
#include "records/record.h"
#include "training/sequence_network.h"

namespace reprise::reproduce::prernn_study {

/// Records auc, mean_error, failure_rate and test_frames of frame errors. `data` ends the
/// protocols; `part` ends the names ("damaged").
void measure_error(const at::Tensor& error, const std::string& data, const std::string& part,
                   records::Record& record);

/// Records metrics of landmarks [N, T, 68, 2] of test clips, and the metrics that the profile
/// names. Curves: ced_x and ced (cumulative error), error_by_position (mean error of frame 1, 2,
/// ... of a clip). Returns the errors [N, T].
at::Tensor measure_clips(const at::Tensor& predicted, const at::Tensor& truth, CellContext& context,
                         records::Curves& curves);

/// Records errors of damaged and of clear frames (suffixes _damaged, _clear), and the curve
/// error_in_gaps (metrics/landmarks.h). oracle: also errors with bridged gaps (bridge_gaps() in
/// clips.h), by earlier frames (_bridged_causal) and by the nearest (_bridged). Does nothing unless
/// some frames are damaged and some are clear.
void measure_gaps(const at::Tensor& predicted, const at::Tensor& truth, const at::Tensor& damaged,
                  bool oracle, CellContext& context, records::Curves& curves);

/// Records above_its_best: the excess of the validation error over its minimum, divided by the
/// minimum and summed over epochs. It measures how soon a network approaches its own best error. A
/// first value before training is skipped.
void measure_convergence(const records::Curves& curves, const std::string& part,
                         records::Record& record);

/// Smooths the landmarks of each clip exponentially: y_t = weight x_t + (1 - weight) y_{t-1}.
/// predicted: [N, T, 68, 2]. weight: above 0; 1 leaves landmarks unchanged.
at::Tensor smooth_landmarks(const at::Tensor& predicted, double weight);

/// Records errors after smoothing (suffix _smoothed) and smoothing_weight. Validation clips choose
/// the weight from 0.1, 0.2, ..., 1.
void measure_smoothed(const at::Tensor& validation, const at::Tensor& validation_truth,
                      const at::Tensor& predicted, const at::Tensor& truth,
                      records::Record& record);

/// Records gates of the first and second recurrent layer on validation clips. `when`: "start."
/// before training, "" after. Curves:
/// - LAYER.GATE.left, .right: saturation, one value per unit; only with `units`.
/// - LAYER.GATE.histogram: 10 bins.
/// Metrics, before training with suffix "_start":
/// - saturation_LAYER: fraction of activations outside [0.1, 0.9].
/// - active_LAYER: fraction within.
/// - remembers_LAYER: fraction of an LSTM's forget gates above 0.9.
/// - forget_saturation_LAYER: fraction of an LSTM's forget gates outside [0.1, 0.9].
/// Metrics after training only:
/// - kept_LAYER: 1 if the document's rule keeps the layer.
/// - saturation_gain: saturation of the first layer, minus that before training.
/// A network without gates records nothing. `part` ("depth", "" for none) ends names of metrics and
/// begins those of curves ("depth.first.f.left").
void measure_gates(training::SequenceNetwork& network, const at::Tensor& features,
                   const std::string& when, const std::string& part, bool units,
                   records::Record& record, records::Curves& curves);

/// Records the numbers of weights: `all`, and `recurrent` in recurrent layers.
/// For the same method on VGG16: recurrent_vgg16, the added weights, and products_vgg16, the
/// multiplications per frame.
void count_parameters(const training::SequenceNetwork& network, const models::MethodTraits& traits,
                      std::int64_t features, std::int64_t width, records::Record& record);

/// Records all_PART and recurrent_PART of a network that was built from `trained`.
void count_parameters(const training::SequenceNetwork& network, const models::Backbone& trained,
                      const std::string& part, records::Record& record);

}  // namespace reprise::reproduce::prernn_study
