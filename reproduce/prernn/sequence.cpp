// One method on one set of clips: train, choose the epoch on validation, score the test clips once, record the gates.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/draw.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/outside.h"
#include "reproduce/prernn/selection.h"
#include "reproduce/sequence_training.h"

namespace reprise::reproduce::prernn_study {
namespace {

models::Method method_of(const CellContext& context) {
  const auto name = method_and_rate(context.record.cell.method).first;
  return context.method_file.empty() ? method_named(name, methods_for(NetworkKind::Fc)) : scripted_method(name, context.method_file);
}

/// Trained at the rate that the cell's name says (a trial), or at the one that the search chose.
void train(training::SequenceNetwork& network, const ClipSet& train_set, const ClipSet& validation, std::int64_t size, std::int64_t batch,
           const std::string& method, CellContext& context, records::Curves& curves) {
  const auto& cell = context.record.cell;
  const bool trial = study_table(cell.table).work == Work::Trial;
  const SequenceTask task{
      .x = train_set.features,
      .y = target_of(train_set.landmarks, size),
      .loss = point_distance,
      .validate =
          [&] {
            const auto predicted = predict(network, validation.features, size);
            return metrics::mean_error(metrics::landmark_error(predicted.flatten(0, 1), validation.landmarks.flatten(0, 1)));
          },
      .settings = "sequence",
      .search = "search",
      .trial = trial,
      .batch = batch};
  const auto rate = trial ? method_and_rate(cell.method).second
                          : best_rate(context, "search", method, context.settings.numbers("search.learning_rates"), "validation_error");
  note_training(train_sequence(network, task, rate, context), rate, "", fmt::format("{}/validation", cell.dataset), context.record, curves);
}

/// Which pictures a cell leaves: those that the report's gallery shows.
bool draws_pictures(const records::Cell& cell) {
  return study_table(cell.table).work == Work::Method && cell.seed == 0 &&
         std::find(gallery_methods.begin(), gallery_methods.end(), cell.method) != gallery_methods.end();
}

void draw_clips(const CellContext& context, const ClipSets& sets, const at::Tensor& predicted, const at::Tensor& error) {
  const auto by_clip = error.view({predicted.size(0), predicted.size(1)}).mean(1).argsort();
  const auto count = by_clip.size(0);
  for (const auto& [name, rank] :
       std::vector<std::pair<std::string, std::int64_t>>{{"best", 0}, {"median", count / 2}, {"worst", count - 1}}) {
    const auto clip = by_clip[rank].item<std::int64_t>();
    datasets::write_landmark_strip(context.folder / (name + ".png"), sets.test_frames[clip], predicted[clip], sets.test.landmarks[clip]);
  }
}

}  // namespace

void run_sequence(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  const auto work = study_table(cell.table).work;
  const bool selects = work == Work::Selection;
  const auto method = selects ? method_named(select_layers(context, ""), methods_for(NetworkKind::Fc)) : method_of(context);
  const auto sets = read_clips(context.store.folder(features_cell(cell, context.settings)) / "clips.safetensors");
  // what is selected is trained again: W_h* are drawn anew
  Random random(selects ? seed_of({"prernn", "weights", "selection", method.info.id, std::to_string(cell.seed)})
                        : seed_of({"prernn", "weights", method.info.id, std::to_string(cell.seed)}));
  const auto cnn = trained_face_network(context);
  const auto network = method.make(cnn, random);
  network->to(at::Device(context.device));
  const auto shaped = [&](const ClipSet& set) { return work == Work::WithoutMemory ? without_memory(set) : set; };
  const auto train_set = shaped(sets.train), validation = shaped(sets.validation), test = shaped(sets.test);

  records::Curves curves;
  if (work != Work::Trial) measure_gates(*network, validation.features, "start.", "", record, curves);
  // without memory a clip is one frame: the batch holds as many frames, an epoch as many steps
  const auto batch = context.settings.integer("sequence.batch") * sets.train.features.size(1) / train_set.features.size(1);
  if (!network->parameters().empty())  // a script without any is only measured
    train(*network, train_set, validation, sets.size, batch, method.info.id, context, curves);
  if (work == Work::Trial) return context.store.write_curves(cell, curves);

  const auto predicted = predict(*network, test.features, sets.size).view_as(sets.test.landmarks);
  note_input(test.features, "", record);
  const auto error =
      measure_landmarks(predicted.flatten(0, 1), sets.test.landmarks.flatten(0, 1), sets.test.landmarks.size(1), context, curves);
  measure_gates(*network, validation.features, "", "", record, curves);
  count_parameters(*network, sets.train.features.size(2), context.settings.integer("cnn.width"), record);
  if (!context.method_file.empty())  // which of a script's weights are recurrent, it does not say
    for (const auto* unknown : {"recurrent", "recurrent_vgg16"}) record.parameters.erase(unknown);
  if (draws_pictures(cell)) draw_clips(context, sets, predicted, error);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
