#include "reproduce/prernn/external.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/predictions.h"
#include "experiments/external.h"
#include "experiments/external_network.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// The study's own method that a script is planned like: same seeds, needs, search and controls.
constexpr const char* model = "trad_gru_1";

bool is_model(const records::Cell& cell) {
  return records::parse_trial(cell.method).method == model;
}

/// A table with one of its data sets.
struct Place {
  StudyTable table;
  std::string dataset;
  bool faces() const { return !table.video; }
  /// Whether a planned cell of the model is of this place: its table, the table's search, and for
  /// faces the clips of one frame.
  bool holds(const records::Cell& cell) const {
    return cell.dataset == dataset && study_table(cell.table).network == table.network;
  }
};

/// The plan's cells of the model at a place, under the method's name. On generated heads the
/// study's own methods have the learning rates of faces_in_motion; a script is searched on the
/// heads themselves, so that it needs no photographs.
std::vector<PlannedCell> cells_like_the_model(const std::string& name, const Place& place,
                                              const Settings& settings, const DataFolder& data) {
  const auto rename = [&](records::Cell& cell) {
    if (is_model(cell)) cell.method.replace(0, std::string(model).size(), name);
  };
  std::vector<PlannedCell> cells;
  for (auto planned : plan(settings, data)) {
    if (!is_model(planned.cell) || !place.holds(planned.cell)) continue;
    rename(planned.cell);
    for (auto& need : planned.needs) {
      rename(need);
      if (records::is_trial(need)) need.dataset = place.dataset;
    }
    if (planned.search)
      rename(planned.search->trials), planned.search->trials.dataset = place.dataset;
    cells.push_back(std::move(planned));
  }
  if (place.dataset != heads_in_motion || cells.empty() || !cells.front().search) return cells;
  const auto reads = cells.front().reads;
  for (const auto& trial : trial_cells(*cells.front().search))
    cells.push_back(
        {.cell = trial,
         .needs = {cell("features", heads_in_motion, "cnn", data_seed(settings, trial.seed))},
         .reads = reads});
  return cells;
}

/// The networks that a place has, untrained: one, or one for each modality.
std::vector<models::Backbone> networks_at(const Place& place, const Settings& settings,
                                          const DataFolder& data) {
  const auto& video = place.table.video;
  if (!video) return {face_network(settings, 0)};
  const auto classes = class_count(place.dataset, data);
  std::vector<models::Backbone> networks;
  for (const auto& modality : video->task->modalities) {
    Random random(0);
    networks.push_back(
        video_network(video->kind, channels_of(modality), classes, settings, data, random));
  }
  return networks;
}

/// Whether the trained output layer is kept at a place, by the setting or in a table where methods
/// like this one run with it.
bool keeps_output(const Place& place, const Settings& settings) {
  if (!settings.flag("start.draw_output")) return true;
  const auto tables = extra_tables(settings);
  const auto methods = starting_methods(settings);
  return place.faces() && std::count(tables.begin(), tables.end(), kept_output_table) > 0 &&
         std::any_of(methods.begin(), methods.end(),
                     [](const models::Method& method) { return method.info.id == model; });
}

ScriptCheck check_at(const std::filesystem::path& file, const Place& place,
                     const Settings& settings, const DataFolder& data, bool call) {
  ScriptCheck check;
  for (const auto& network : networks_at(place, settings, data))
    check = check_script(file, network, /*draw_output=*/!keeps_output(place, settings), call);
  return check;
}

ExternalTable table_at(const Place& place, const Settings& settings, const DataFolder& data) {
  return {
      .table = place.table.name,
      .dataset = place.dataset,
      .title = dataset_title(place.dataset) + (place.faces() ? "" : " (" + place.table.name + ")"),
      .check_script = [=](const auto& file,
                          bool call) { return check_at(file, place, settings, data, call); },
      .script_cells =
          [=](const auto& name, const auto&) {
            return cells_like_the_model(name, place, settings, data);
          }};
}

ExternalTable faces_table(const std::string& dataset, const Settings& settings,
                          const DataFolder& data) {
  auto table = table_at({study_table("table1"), dataset}, settings, data);
  table.columns = {
      {"AUC", "auc", 4}, {"mean error", "mean_error", 4}, {"failure rate", "failure_rate", 4}};
  for (const auto& method : methods_for(NetworkKind::Fc))
    table.own_rows.emplace_back(method.info.id, method.info.title);
  table.forward =
      "forward(features [B, T, n] float32) -> [B, T, 136] float32, the landmarks as pixel / side - 1/2";
  table.predictions =
      "landmarks in pixels: a CSV item,x0,y0,...,x67,y67 with a row for each item of test.csv, or a .npy [N, 68, 2] in its order";
  table.mismatch = [](const auto& file) {
    return kind_mismatch(file, datasets::PredictionKind::Landmarks);
  };
  const auto missing = missing_faces(source_for(dataset, settings), data);
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    table.cells.push_back({.cell = cell("table1", dataset, "", seed),
                           .needs = {},  // the truth is drawn again: no network has a part in it
                           .reads = read_of_faces(dataset),
                           .missing = missing});
  return table;
}

ExternalTable video_table(const VideoTable& video, const std::string& dataset,
                          const Settings& settings, const DataFolder& data) {
  auto table = table_at({study_table(video.name()), dataset}, settings, data);
  table.columns = {{"both modalities", "accuracy"}};
  for (const auto& modality : video.task->modalities)
    table.columns.push_back({modality, of_part("accuracy", modality)});
  for (const auto& method : video_methods(video.kind, settings))
    table.own_rows.emplace_back(method.info.id, method.info.title);
  table.forward =
      "forward(features [B, T, n] float32) -> [B, T, classes] float32; it is trained once for each modality";
  if (facts_of(video.kind).snippets)
    return table;  // predictions, in which no network has a part, are rows of one table
  table.predictions =
      "labels: a CSV item,label with a row for each clip of test.csv, or a .npy [N] in its order";
  table.mismatch = [](const auto& file) {
    return kind_mismatch(file, datasets::PredictionKind::Labels);
  };
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    const auto own = cell(video.name(), dataset, "", seed);
    table.cells.push_back(
        {.cell = own, .needs = {clips_cell(own, settings)}, .reads = read_of_videos(video.name())});
  }
  return table;
}

/// Sets of face clips that the settings name.
std::vector<std::string> face_datasets(const Settings& settings) {
  auto names = settings.texts("clips.datasets");
  if (!heads_methods(settings).empty()) names.emplace_back(heads_in_motion);
  return names;
}

/// `part` is "train/" or "validation/", so that no name stands for two pictures; test items, which
/// predictions name, have none.
std::string item_name(std::int64_t seed, std::int64_t clip, std::int64_t frame,
                      const std::string& part = "") {
  return fmt::format("seed{}/{}clip{:05}/{:03}", seed, part, clip, frame);
}

ExportedSet<datasets::LandmarkFrames> exported_frames(const std::string& dataset, std::int64_t seed,
                                                      const Settings& settings,
                                                      const DataFolder& data) {
  const ClipMaker maker(dataset, data_seed(settings, seed), settings, data);
  const auto training = maker.training(0), validation = maker.validation(), test = maker.test();
  ExportedSet<datasets::LandmarkFrames> exported;
  std::vector<at::Tensor> landmarks;
  std::int64_t next = 0;
  for (const auto& [part, indices, prefix] :
       {std::tuple{&training, &exported.split.train, "train/"},
        std::tuple{&validation, &exported.split.validation, "validation/"},
        std::tuple{&test, &exported.split.test, ""}}) {
    landmarks.push_back(part->landmarks.flatten(0, 1));
    for (std::int64_t i = 0; i < part->frames.size(0); ++i)
      for (std::int64_t t = 0; t < part->frames.size(1); ++t) {
        exported.set.images.push_back(part->frames[i][t]);
        exported.set.item.push_back(item_name(seed, i, t, prefix));
        exported.set.person.emplace_back();
        indices->push_back(next++);
      }
  }
  exported.set.landmarks = at::cat(landmarks);
  return exported;
}

ExportedSet<datasets::LabelledClips> exported_videos(const std::string& dataset, std::int64_t seed,
                                                     const Settings& settings,
                                                     const DataFolder& data) {
  const auto parts = make_video_clips(dataset, data_seed(settings, seed), settings, data);
  ExportedSet<datasets::LabelledClips> exported{.set = {.classes = parts.train.classes}};
  std::vector<at::Tensor> colour, depth, flow, labels;
  std::int64_t next = 0;
  for (const auto& [part, indices] : {std::pair{&parts.train, &exported.split.train},
                                      std::pair{&parts.validation, &exported.split.validation},
                                      std::pair{&parts.test, &exported.split.test}}) {
    colour.push_back(part->colour), labels.push_back(part->labels);
    if (part->depth.defined()) depth.push_back(part->depth);
    if (part->flow.defined()) flow.push_back(part->flow);
    for (std::int64_t i = 0; i < part->size(); ++i) {
      exported.set.item.push_back(clip_item(seed, part->item[static_cast<std::size_t>(i)]));
      exported.set.person.push_back(part->person[static_cast<std::size_t>(i)]);
      indices->push_back(next++);
    }
  }
  exported.set.colour = at::cat(colour), exported.set.labels = at::cat(labels);
  if (!depth.empty()) exported.set.depth = at::cat(depth);
  if (!flow.empty()) exported.set.flow = at::cat(flow);
  return exported;
}

}  // namespace

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data) {
  std::vector<ExternalTable> tables;
  for (const auto& dataset : face_datasets(settings))
    tables.push_back(faces_table(dataset, settings, data));
  for (const auto& video : video_tables(settings))
    if (!facts_of(video.kind).convolutional)
      for (const auto& dataset : datasets_of(*video.task, settings))
        tables.push_back(video_table(video, dataset, settings, data));
  return tables;
}

ExportedData exported_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data) {
  const auto faces = face_datasets(settings);
  if (std::find(faces.begin(), faces.end(), dataset) != faces.end())
    return exported_frames(dataset, seed, settings, data);
  auto known = faces;
  for (const auto& task : video_tasks())
    for (const auto& name : datasets_of(task, settings)) {
      known.push_back(name);
      if (name == dataset) return exported_videos(dataset, seed, settings, data);
    }
  throw unknown("data set of prernn", dataset, known);
}

std::string clip_item(std::int64_t seed, const std::string& clip) {
  return fmt::format("seed{}/{}", seed, clip);
}

models::Method scripted_method(const std::string& name, const std::filesystem::path& file) {
  return {.info = {.id = name,
                   .title = name,
                   .role = training::Role::Baseline,
                   .source = file.filename().string(),
                   .cost = "its own"},
          .facts = {.kind = models::MethodFacts::Kind::Own},
          .make = [file](const models::Backbone& trained, const models::MethodStart& start,
                         Random&) { return scripted_network(file, trained, start.draw_output); }};
}

void measure_face_predictions(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto test = ClipMaker(cell.dataset, data_seed(context.settings, cell.seed),
                              context.settings, context.data)
                        .test();
  TestItems truth{.item = {}, .values = test.landmarks.flatten(0, 1).to(at::kDouble)};
  for (std::int64_t i = 0; i < test.landmarks.size(0); ++i)
    for (std::int64_t t = 0; t < test.landmarks.size(1); ++t)
      truth.item.push_back(item_name(cell.seed, i, t));
  const auto predicted = read_paired(context, datasets::PredictionKind::Landmarks, truth);
  records::Curves curves;
  measure_clips(predicted.to(at::kFloat).view_as(test.landmarks), test.landmarks, context, curves);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
