// One method on one set of clips: train, choose the epoch on validation, score the test clips once, record the gates.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "datasets/draw.h"
#include "experiments/replicates.h"
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

models::Method method_of(const CellContext& context) {
  const auto name = records::parse_trial(context.record.cell.method).method;
  return context.method_file.empty() ? method_named(name, methods_for(NetworkKind::Fc)) : scripted_method(name, context.method_file);
}

/// Trained at the rate that the cell's name says (a trial), or at the one that the search chose.
void train(training::SequenceNetwork& network, const std::vector<ClipSet>& films, const ClipSet& validation, std::int64_t size,
           std::int64_t batch, const std::string& method, CellContext& context, records::Curves& curves) {
  const auto& cell = context.record.cell;
  const auto& table = study_table(cell.table);
  const bool trial = table.work == Work::Trial;
  SequenceTask task{.films = {},
                    .loss = point_distance,
                    .validate =
                        [&] {
                          const auto predicted = predict(network, validation.features, size);
                          return metrics::mean_error(metrics::landmark_error(predicted.flatten(0, 1), validation.landmarks.flatten(0, 1)));
                        },
                    .settings = "sequence",
                    .search = "search",
                    .trial = trial || table.short_training,
                    .batch = batch,
                    .judge_start = true};
  for (const auto& film : films) task.films.push_back({film.features, target_of(film.landmarks, size)});
  const auto chosen = [&] {
    if (trial) return records::parse_trial(cell.method);
    auto search = rate_search(table.search, cell.dataset, method, context.settings);
    if (!context.method_file.empty()) search.trials.dataset = cell.dataset;  // a script is searched where it runs
    return best_trial(search, context.store);
  }();
  const auto rate = chosen.value("lr");
  note_training(train_sequence(network, task, rate, context), rate, "", fmt::format("{}/validation", cell.dataset), context.record, curves);
  measure_convergence(curves, "", context.record);
}

/// Which pictures a cell leaves: those that the report's gallery shows.
bool draws_pictures(const records::Cell& cell) {
  return study_table(cell.table).work == Work::Method &&
         std::find(gallery_methods.begin(), gallery_methods.end(), cell.method) != gallery_methods.end();
}

/// The first clip with kept frames in which three damaged ones or more stand between clear ones.
std::optional<std::int64_t> clip_with_gap(const ClipSets& sets) {
  const auto frames = sets.test_damaged.size(1);
  for (std::int64_t i = 0; i < sets.test_frames.size(0); ++i) {
    std::int64_t run = 0;
    for (std::int64_t t = 1; t < frames; ++t) {
      const bool damaged = sets.test_damaged[i][t].item<bool>();
      if (!damaged && run >= 3 && t > run + 1) return i;
      run = damaged ? run + 1 : 0;
    }
  }
  return std::nullopt;
}

/// Among the clips whose frames are kept.
void draw_clips(const CellContext& context, const ClipSets& sets, const at::Tensor& predicted, const at::Tensor& error) {
  const auto count = sets.test_frames.size(0);
  const auto by_clip = error.view({predicted.size(0), predicted.size(1)}).narrow(0, 0, count).mean(1).argsort();
  const auto draw = [&](const std::string& name, std::int64_t clip) {
    datasets::write_landmark_strip(context.folder / (name + ".png"), sets.test_frames[clip], predicted[clip], sets.test.landmarks[clip],
                                   name == "gap" ? predicted.size(1) : 4);
  };
  for (const auto& [name, rank] :
       std::vector<std::pair<std::string, std::int64_t>>{{"best", 0}, {"median", count / 2}, {"worst", count - 1}})
    draw(name, by_clip[rank].item<std::int64_t>());
  if (const auto clip = clip_with_gap(sets)) draw("gap", *clip);
}

}  // namespace

void run_sequence(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto& table = study_table(cell.table);
  const auto work = table.work;
  const bool shown = is_shown(context.settings, cell.seed);
  const bool selects = work == Work::Selection;
  const auto method = selects ? method_named(select_layers(context, ""), methods_for(NetworkKind::Fc)) : method_of(context);
  const auto sets = read_clips(context.store.folder(features_cell(cell, context.settings)) / "clips.safetensors");
  // what is selected is trained again: W_h* are drawn anew
  Random random(selects ? seed_of({"prernn", "weights", "selection", method.info.id, std::to_string(cell.seed)})
                        : seed_of({"prernn", "weights", method.info.id, std::to_string(cell.seed)}));
  const auto cnn = trained_face_network(context);
  const auto network = method.make(cnn, start_of(cell.table, "sequence", context.settings), random);
  network->to(at::Device(context.device));
  const auto shaped = [&](const ClipSet& set) { return table.one_frame ? without_memory(set) : set; };
  std::vector<ClipSet> films;
  for (const auto& film : sets.train) films.push_back(shaped(film));
  const auto validation = shaped(sets.validation), test = shaped(sets.test);

  records::Curves curves;
  if (work != Work::Trial) measure_gates(*network, validation.features.to(at::kFloat), "start.", "", shown, record, curves);
  // without memory a clip is one frame: the batch holds as many frames, an epoch as many steps
  const auto batch = context.settings.integer("sequence.batch") * sets.train.front().features.size(1) / films.front().features.size(1);
  try {
    if (!network->parameters().empty())  // a script without any is only measured
      train(*network, films, validation, sets.size, batch, method.info.id, context, curves);
  } catch (const training::Diverged&) {
    if (work != Work::Trial) throw;
    record.metrics.push_back({diverged_metric, 1, "", records::Direction::LowerIsBetter, ""});
  }
  if (work == Work::Trial) return context.store.write_curves(cell, curves);

  const auto predicted = predict(*network, test.features, sets.size).view_as(sets.test.landmarks);
  note_input(test.features, "", record);
  const auto error =
      measure_landmarks(predicted.flatten(0, 1), sets.test.landmarks.flatten(0, 1), sets.test.landmarks.size(1), context, curves);
  measure_gates(*network, validation.features.to(at::kFloat), "", "", shown, record, curves);
  const bool plain = method.facts.kind == models::MethodFacts::Kind::Plain;
  measure_gaps(predicted, sets.test.landmarks, sets.test_damaged, plain, context, curves);
  if (plain && !table.one_frame)
    measure_smoothed(predict(*network, validation.features, sets.size).view_as(validation.landmarks), validation.landmarks, predicted,
                     sets.test.landmarks, record);
  if (const auto clip = clip_with_gap(sets)) {
    const auto frames = sets.test_damaged.size(1);
    curves["gap_clip_error"] = values_of(error.view({-1, frames})[*clip]);
    curves["gap_clip_damaged"] = values_of(sets.test_damaged[*clip]);
  }
  count_parameters(*network, method.facts, sets.train.front().features.size(2), context.settings.integer("cnn.width"), record);
  curves["auc"] = {record.metric("auc").value()};
  curves["recurrent_parameters"] = {static_cast<double>(record.parameters["recurrent"])};
  if (!context.method_file.empty())  // which of a script's weights are recurrent, it does not say
    for (const auto* unknown : {"recurrent", "recurrent_vgg16", "products_vgg16"}) record.parameters.erase(unknown);
  if (shown && draws_pictures(cell)) draw_clips(context, sets, predicted, error);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
