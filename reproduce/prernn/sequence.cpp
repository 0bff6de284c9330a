// Cells of one method on face clips: load clips, train, predict the test clips once, measure,
// record.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "datasets/face_drawing.h"
#include "experiments/external.h"
#include "experiments/landmark_task.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/external.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/selection.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Returns the method of a cell; in table selection the one chosen by the rule.
models::Method choose_method(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto name = cell.table == selection_table ? select_layers(context, "")
                                                  : records::parse_trial(cell.method).method;
  return context.method_file.empty() ? method_named(name, methods_for(NetworkKind::Fc))
                                     : scripted_method(name, context.method_file);
}

/// Clips as the methods of a cell see them. In a table without memory each frame is a clip.
struct MethodClips {
  ClipSets sets;                    ///< clips of the cell of table features
  std::vector<ClipSet> train = {};  ///< versions of the training clips
  ClipSet validation = {}, test = {};
  std::int64_t batch = 0;  ///< clips per step
};

MethodClips load_clips(const CellContext& context) {
  const auto& cell = context.record.cell;
  MethodClips clips{.sets = read_clips(context.store.folder(features_cell(cell, context.settings)) /
                                       "clips.safetensors")};
  const bool one_frame = study_table(cell.table).one_frame;
  const auto shape = [&](const ClipSet& set) { return one_frame ? split_into_frames(set) : set; };
  for (const auto& version : clips.sets.train) clips.train.push_back(shape(version));
  clips.validation = shape(clips.sets.validation);
  clips.test = shape(clips.sets.test);
  // Equal numbers of frames per step with and without memory make the comparison fair.
  clips.batch = context.settings.integer("sequence.batch") *
                (one_frame ? clips.sets.train.front().features.size(1) : 1);
  return clips;
}

std::unique_ptr<training::SequenceNetwork> make_sequence_network(const models::Method& method,
                                                                 const CellContext& context) {
  const auto& cell = context.record.cell;
  // A selected method starts from other random W_h* than the candidate, so that its score is
  // independent.
  const auto seed = std::to_string(cell.seed);
  Random random(cell.table == selection_table
                    ? seed_of({"prernn", "weights", "selection", method.info.id, seed})
                    : seed_of({"prernn", "weights", method.info.id, seed}));
  auto network = method.make(trained_face_network(context),
                             method_start(cell.table, "sequence", context.settings), random);
  network->to(at::Device(context.device));
  return network;
}

/// Returns the rate of a trial's name, else the rate chosen by the search.
double learning_rate(const std::string& method, const CellContext& context) {
  const auto& cell = context.record.cell;
  if (records::is_trial(cell)) return records::parse_trial(cell.method).value("lr");
  auto search = rate_search(study_table(cell.table).search, cell.dataset, method, context.settings);
  // A script is searched on its own data set; on generated heads the study's methods are not.
  if (!context.method_file.empty()) search.trials.dataset = cell.dataset;
  return best_trial(search, context.store).value("lr");
}

void train_method(training::SequenceNetwork& network, const MethodClips& clips,
                  const std::string& method, CellContext& context, records::Curves& curves) {
  if (network.parameters().empty()) return;  // a script without parameters is only measured
  auto& record = context.record;
  const bool trial = records::is_trial(record.cell);
  const auto& truth = clips.validation.landmarks;
  SequenceTask task{.clip_sets = {},
                    .loss = point_distance,
                    .validate =
                        [&] {
                          const auto predicted = predict_landmarks(
                              network, clips.validation.features, clips.sets.size);
                          return metrics::mean_error(metrics::landmark_error(
                              predicted.flatten(0, 1), truth.flatten(0, 1)));
                        },
                    .settings = "sequence",
                    .search = "search",
                    .trial = trial || study_table(record.cell.table).short_training,
                    .batch = clips.batch,
                    .validate_start = true};
  // Versions of the training clips take turns, one per epoch.
  for (const auto& version : clips.train)
    task.clip_sets.push_back(
        {.x = version.features, .y = encode_landmarks(version.landmarks, clips.sets.size)});
  const auto rate = learning_rate(method, context);
  try {
    const auto report = train_sequence(network, task, rate, context);
    record_training(report, rate, "", fmt::format("{}/validation", record.cell.dataset), record,
                    curves);
    measure_convergence(curves, "", record);
  } catch (const training::Diverged&) {
    // A trial may diverge: the search then prefers another rate.
    if (!trial) throw;
    record.metrics.push_back({.name = diverged_metric,
                              .value = 1,
                              .unit = "",
                              .direction = records::Direction::LowerIsBetter,
                              .protocol = ""});
  }
}

/// Finds the first clip with stored frames and at least three damaged frames in a row between clear
/// ones.
std::optional<std::int64_t> find_clip_with_gap(const ClipSets& sets) {
  const auto frames = sets.test_damaged.size(1);
  for (std::int64_t i = 0; i < sets.test_frames.size(0); ++i) {
    // A gap qualifies if a clear frame precedes it: it begins at frame 1 or later.
    std::int64_t run = 0;  // damaged frames up to this one
    for (std::int64_t t = 1; t < frames; ++t) {
      const bool damaged = sets.test_damaged[i][t].item<bool>();
      if (!damaged && run >= 3 && t > run + 1) return i;
      run = damaged ? run + 1 : 0;
    }
  }
  return std::nullopt;
}

/// Records metrics of the predicted test clips [N, T, 68, 2]. Returns the errors [N, T].
at::Tensor measure_predictions(const at::Tensor& predicted, training::SequenceNetwork& network,
                               bool plain, const MethodClips& clips, CellContext& context,
                               records::Curves& curves) {
  auto& record = context.record;
  const auto& sets = clips.sets;
  const auto& truth = sets.test.landmarks;
  // The statistics of the input show if features of another scale reached a method.
  record_input(clips.test.features, "", record);
  const auto error = measure_clips(predicted, truth, context, curves);
  measure_gates(network, clips.validation.features.to(at::kFloat), "", "",
                is_shown(context.settings, record.cell.seed), record, curves);
  measure_gaps(predicted, truth, sets.test_damaged, plain, context, curves);
  // Smoothing is a baseline on the plain network's landmarks. It needs clips of several frames.
  if (plain && !study_table(record.cell.table).one_frame) {
    const auto validation = predict_landmarks(network, clips.validation.features, sets.size)
                                .view_as(clips.validation.landmarks);
    measure_smoothed(validation, clips.validation.landmarks, predicted, truth, record);
  }
  if (const auto clip = find_clip_with_gap(sets)) {
    curves["gap_clip_error"] = values_of(error[*clip]);
    curves["gap_clip_damaged"] = values_of(sets.test_damaged[*clip]);
  }
  return error;
}

/// Records the numbers of weights, and the point of the figure of AUC over recurrent weights.
void record_weights(const training::SequenceNetwork& network, const models::MethodTraits& traits,
                    std::int64_t features, CellContext& context, records::Curves& curves) {
  auto& record = context.record;
  count_parameters(network, traits, features, context.settings.integer("cnn.width"), record);
  curves["auc"] = {record.metric("auc").value()};
  curves["recurrent_parameters"] = {static_cast<double>(record.parameters["recurrent"])};
  // A script does not state which of its weights are recurrent.
  if (!context.method_file.empty())
    for (const auto* unknown : {"recurrent", "recurrent_vgg16", "products_vgg16"})
      record.parameters.erase(unknown);
}

/// Draws clips for the gallery: those with the least, median and largest error, and one with a gap.
/// Only clips with stored frames qualify.
void draw_clips(const at::Tensor& predicted, const at::Tensor& error, const ClipSets& sets,
                const CellContext& context) {
  const auto count = sets.test_frames.size(0);
  // Clips in order of their mean error over frames.
  const auto ranks = error.narrow(0, 0, count).mean(1).argsort();
  const auto draw = [&](const std::string& name, std::int64_t clip, std::int64_t frames) {
    datasets::write_landmark_strip(context.folder / (name + ".png"), sets.test_frames[clip],
                                   predicted[clip], sets.test.landmarks[clip], frames);
  };
  for (const auto& [name, rank] : {std::pair<const char*, std::int64_t>{"best", 0},
                                   {"median", count / 2},
                                   {"worst", count - 1}})
    draw(name, ranks[rank].item<std::int64_t>(), /*frames=*/4);
  // A gap is shown with all its frames.
  if (const auto clip = find_clip_with_gap(sets)) draw("gap", *clip, predicted.size(1));
}

bool has_pictures(const CellContext& context) {
  const auto& cell = context.record.cell;
  return is_shown(context.settings, cell.seed) && !records::is_trial(cell) &&
         cell.table != selection_table &&
         std::find(gallery_methods.begin(), gallery_methods.end(), cell.method) !=
             gallery_methods.end();
}

}  // namespace

void run_sequence(CellContext& context) {
  if (holds_predictions(context)) return measure_face_predictions(context);
  auto& record = context.record;
  const bool trial = records::is_trial(record.cell);
  records::Curves curves;
  const auto method = choose_method(context);
  const auto clips = load_clips(context);
  const auto network = make_sequence_network(method, context);
  // Gates before training show what training changes (figure 2).
  if (!trial)
    measure_gates(*network, clips.validation.features.to(at::kFloat), "start.", "",
                  is_shown(context.settings, record.cell.seed), record, curves);
  train_method(*network, clips, method.info.id, context, curves);
  // A trial never sees test clips: validation chooses the rate.
  if (trial) return context.store.write_curves(record.cell, curves);

  const auto predicted = predict_landmarks(*network, clips.test.features, clips.sets.size)
                             .view_as(clips.sets.test.landmarks);
  const bool plain = method.traits.kind == models::MethodTraits::Kind::Plain;
  const auto error = measure_predictions(predicted, *network, plain, clips, context, curves);
  record_weights(*network, method.traits, clips.test.features.size(2), context, curves);
  if (has_pictures(context)) draw_clips(predicted, error, clips.sets, context);
  context.store.write_curves(record.cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
