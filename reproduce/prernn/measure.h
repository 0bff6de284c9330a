// What is measured of a method on test and validation clips, written into its record and curves.
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
/// protocols, `part` the names: "damaged".
void measure_error(const at::Tensor& error, const std::string& data, const std::string& part,
                   records::Record& record);

/// Records metrics and curves of landmarks [N, T, 68, 2] of test clips, and the metrics that the
/// profile names. Returns the errors [N, T]. Curves: ced_x and ced, the cumulative error;
/// error_by_position, the mean error of frame 1, 2, ... of the clips.
at::Tensor measure_clips(const at::Tensor& predicted, const at::Tensor& truth, CellContext& context,
                         records::Curves& curves);

/// Of landmarks [N, T, 68, 2], where some frames are damaged and some are not: errors of either
/// (suffixes _damaged, _clear), and the curve error_in_gaps (metrics/landmarks.h). With `oracle`
/// also what knowing the damaged frames is worth: errors where these are bridged (clips.h), by
/// earlier frames alone (_bridged_causal) and by the nearest (_bridged).
void measure_gaps(const at::Tensor& predicted, const at::Tensor& truth, const at::Tensor& damaged,
                  bool oracle, CellContext& context, records::Curves& curves);

/// above_its_best: by how much the validation error is above the least that it came to, as a share
/// of that, summed over the epochs. It tells how soon a network is near what it can, whatever that
/// is. From the curve validation_error, whose first value may be the start's.
void measure_convergence(const records::Curves& curves, const std::string& part,
                         records::Record& record);

/// The plain network's points with a memory that knows nothing: each frame's, averaged with those
/// before it in the clip by weights that fall by 1 - `weight` a frame. predicted: [N, T, 68, 2];
/// weight in (0, 1], 1: as they are.
at::Tensor smooth_landmarks(const at::Tensor& predicted, double weight);

/// The row "auc_smoothed" and its like: `weight` is the one of 0.1, 0.2, ..., 1 with the least mean
/// error on validation clips.
void measure_smoothed(const at::Tensor& validation, const at::Tensor& validation_truth,
                      const at::Tensor& predicted, const at::Tensor& truth,
                      records::Record& record);

/// Gates of the first and second recurrent layer on validation clips. `when`: "start." before
/// training, "" after.
///   curves    LAYER.GATE.left and .right (one value per unit; with `units` alone), LAYER.GATE.histogram (10 bins)
///   metrics   saturation_LAYER (fraction outside [0.1, 0.9]) and active_LAYER (within), and of an LSTM's forget gates alone
///             remembers_LAYER (fraction above 0.9) and forget_saturation_LAYER, with "_start" before training; after training also kept_LAYER (1 where the document's
///             rule keeps the layer) and saturation_gain (trained - start, first layer)
/// A network without gates leaves no trace. `part`, where there is one ("depth"), follows the names
/// of metrics and precedes those of curves ("depth.first.f.left").
void measure_gates(training::SequenceNetwork& network, const at::Tensor& features,
                   const std::string& when, const std::string& part, bool units,
                   records::Record& record, records::Curves& curves);

/// recurrent, all; recurrent_vgg16, what the same method would add to VGG16 (25088 -> 4096 ->
/// 4096); and products_vgg16, the multiplications a frame of its recurrent layers there: every
/// weight that acts, those of a layer that became recurrent among them.
void count_parameters(const training::SequenceNetwork& network, const models::MethodFacts& facts,
                      std::int64_t features, std::int64_t width, records::Record& record);

/// The same for a network made of `trained`, at its own widths: recurrent_PART, all_PART.
void count_parameters(const training::SequenceNetwork& network, const models::Backbone& trained,
                      const std::string& part, records::Record& record);

}  // namespace reprise::reproduce::prernn_study
