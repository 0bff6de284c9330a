#include "reproduce/prernn/external.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/predictions.h"
#include "experiments/external.h"
#include "experiments/external_network.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/measure.h"
#include "reproduce/prernn/video_tasks.h"

namespace reprise::reproduce::prernn_study {
namespace {

/// Method of the study whose plan a script copies: seeds, needed cells, search and controls.
constexpr const char* template_method = "trad_gru_1";

bool is_template(const records::Cell& cell) {
  return records::parse_trial(cell.method).method == template_method;
}

/// A table and one of its data sets.
struct TableDataset {
  StudyTable table;
  std::string dataset;
  bool faces() const { return !table.video; }
  /// Returns whether a planned cell of the template is of this table, its search, or its control
  /// without memory.
  bool contains(const records::Cell& cell) const {
    return cell.dataset == dataset && study_table(cell.table).network == table.network;
  }
};

/// Returns the planned cells of the template for a table, under the method's name. On generated
/// heads the study's own methods use the learning rates of faces_in_motion. A script is searched on
/// the heads, so it needs no photographs.
std::vector<PlannedCell> cells_like_template(const std::string& name, const TableDataset& target,
                                             const Settings& settings, const DataFolder& data) {
  const auto rename = [&](records::Cell& cell) {
    if (is_template(cell)) cell.method.replace(0, std::string(template_method).size(), name);
  };
  std::vector<PlannedCell> cells;
  for (auto planned : plan(settings, data)) {
    if (!is_template(planned.cell) || !target.contains(planned.cell)) continue;
    rename(planned.cell);
    for (auto& need : planned.needs) {
      rename(need);
      if (records::is_trial(need)) need.dataset = target.dataset;
    }
    if (planned.search) {
      rename(planned.search->trials);
      planned.search->trials.dataset = target.dataset;
    }
    cells.push_back(std::move(planned));
  }
  // The template has no search on generated heads, so its trials are added here.
  if (target.dataset != heads_in_motion || cells.empty() || !cells.front().search) return cells;
  const auto reads = cells.front().reads;
  for (const auto& trial : trial_cells(*cells.front().search))
    cells.push_back(
        {.cell = trial,
         .needs = {cell("features", heads_in_motion, "cnn", data_seed(settings, trial.seed))},
         .reads = reads});
  return cells;
}

/// Makes the untrained networks of a table: one, or one per modality.
std::vector<models::Backbone> make_networks(const TableDataset& target, const Settings& settings,
                                            const DataFolder& data) {
  const auto& video = target.table.video;
  if (!video) return {face_network(settings, 0)};
  const auto classes = class_count(target.dataset, data);
  std::vector<models::Backbone> networks;
  for (const auto& modality : video->task->modalities) {
    Random random(0);
    networks.push_back(
        video_network(video->kind, modality_channels(modality), classes, settings, data, random));
  }
  return networks;
}

/// Returns whether a script must accept a kept output layer: by the setting, or in the table where
/// the template keeps it.
bool keeps_output(const TableDataset& target, const Settings& settings) {
  if (!settings.flag("start.draw_output")) return true;
  const auto tables = extra_tables(settings);
  const auto methods = methods_with_other_starts(settings);
  return target.faces() && std::count(tables.begin(), tables.end(), kept_output_table) > 0 &&
         std::any_of(methods.begin(), methods.end(), [](const models::Method& method) {
           return method.info.id == template_method;
         });
}

/// Checks a script against the features of each network of a table. call: also runs it.
ScriptCheck check_for_table(const std::filesystem::path& file, const TableDataset& target,
                            const Settings& settings, const DataFolder& data, bool call) {
  ScriptCheck check;
  for (const auto& network : make_networks(target, settings, data))
    check = check_script(file, network, /*draw_output=*/!keeps_output(target, settings), call);
  return check;
}

/// Makes the table with what scripts need on it; columns and predictions follow.
ExternalTable make_table(const TableDataset& target, const Settings& settings,
                         const DataFolder& data) {
  return {.table = target.table.name,
          .dataset = target.dataset,
          .title = dataset_title(target.dataset) +
                   (target.faces() ? "" : " (" + target.table.name + ")"),
          .check_script =
              [=](const auto& file, bool call) {
                return check_for_table(file, target, settings, data, call);
              },
          .script_cells =
              [=](const auto& name, const auto&) {
                return cells_like_template(name, target, settings, data);
              }};
}

ExternalTable faces_table(const std::string& dataset, const Settings& settings,
                          const DataFolder& data) {
  auto table = make_table({.table = study_table("table1"), .dataset = dataset}, settings, data);
  table.columns = {{.title = "AUC", .metric = "auc", .digits = 4},
                   {.title = "mean error", .metric = "mean_error", .digits = 4},
                   {.title = "failure rate", .metric = "failure_rate", .digits = 4}};
  for (const auto& method : methods_for(NetworkKind::Fc))
    table.own_rows.emplace_back(method.info.id, method.info.title);
  table.forward =
      "forward(features [B, T, n] float32) -> [B, T, 136] float32, "
      "the landmarks as pixel / side - 1/2";
  table.predictions =
      "landmarks in pixels: a CSV item,x0,y0,...,x67,y67 with a row for each item of test.csv, "
      "or a .npy [N, 68, 2] in its order";
  table.mismatch = [](const auto& file) {
    return kind_mismatch(file, datasets::PredictionKind::Landmarks);
  };
  const auto missing = missing_faces(face_source(dataset, settings), data);
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    table.cells.push_back({.cell = cell("table1", dataset, "", seed),
                           .needs = {},  // ground truth is generated again, without a network
                           .reads = settings_read_by_faces(dataset),
                           .missing = missing});
  return table;
}

ExternalTable video_table(const VideoTable& video, const std::string& dataset,
                          const Settings& settings, const DataFolder& data) {
  auto table = make_table({.table = study_table(video.name()), .dataset = dataset}, settings, data);
  table.columns = {{.title = "both modalities", .metric = "accuracy"}};
  for (const auto& modality : video.task->modalities)
    table.columns.push_back({.title = modality, .metric = name_with_part("accuracy", modality)});
  for (const auto& method : video_methods(video.kind, settings))
    table.own_rows.emplace_back(method.info.id, method.info.title);
  table.forward =
      "forward(features [B, T, n] float32) -> [B, T, classes] float32; "
      "it is trained once for each modality";
  // Predictions do not depend on a network: only the table of Fc networks shows them.
  if (network_traits(video.kind).snippets) return table;
  table.predictions =
      "labels: a CSV item,label with a row for each clip of test.csv, or a .npy [N] in its order";
  table.mismatch = [](const auto& file) {
    return kind_mismatch(file, datasets::PredictionKind::Labels);
  };
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    const auto own = cell(video.name(), dataset, "", seed);
    table.cells.push_back({.cell = own,
                           .needs = {clips_cell(own, settings)},
                           .reads = settings_read_by_videos(video.name())});
  }
  return table;
}

/// Returns the sets of face clips that the settings name.
std::vector<std::string> face_datasets(const Settings& settings) {
  auto names = settings.texts("clips.datasets");
  if (!heads_methods(settings).empty()) names.emplace_back(heads_in_motion);
  return names;
}

/// Returns the item of a frame. `part` ("train/", "validation/") keeps names unique; test items,
/// which predictions name, have none.
std::string item_name(std::int64_t seed, std::int64_t clip, std::int64_t frame,
                      const std::string& part = "") {
  return fmt::format("seed{}/{}clip{:05}/{:03}", seed, part, clip, frame);
}

ExportedSet<datasets::LandmarkFrames> exported_frames(const std::string& dataset, std::int64_t seed,
                                                      const Settings& settings,
                                                      const DataFolder& data) {
  const ClipMaker maker(dataset, data_seed(settings, seed), settings, data);
  const auto training = maker.training(0);
  const auto validation = maker.validation();
  const auto test = maker.test();
  ExportedSet<datasets::LandmarkFrames> exported;
  std::vector<at::Tensor> landmarks;
  std::int64_t next = 0;  // index of the next frame in the exported set
  for (const auto& [part, indices, prefix] :
       {std::tuple{&training, &exported.split.train, "train/"},
        std::tuple{&validation, &exported.split.validation, "validation/"},
        std::tuple{&test, &exported.split.test, ""}}) {
    landmarks.push_back(part->landmarks.flatten(0, 1));
    for (std::int64_t i = 0; i < part->frames.size(0); ++i)
      for (std::int64_t t = 0; t < part->frames.size(1); ++t) {
        exported.set.images.push_back(part->frames[i][t]);
        exported.set.item.push_back(item_name(seed, i, t, prefix));
        exported.set.person.emplace_back();  // identities of people are not exported
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
  std::vector<at::Tensor> colour;
  std::vector<at::Tensor> depth;
  std::vector<at::Tensor> flow;
  std::vector<at::Tensor> labels;
  std::int64_t next = 0;  // index of the next clip in the exported set
  for (const auto& [part, indices] : {std::pair{&parts.train, &exported.split.train},
                                      std::pair{&parts.validation, &exported.split.validation},
                                      std::pair{&parts.test, &exported.split.test}}) {
    colour.push_back(part->colour);
    labels.push_back(part->labels);
    // Gestures have depth, actions have flow.
    if (part->depth.defined()) depth.push_back(part->depth);
    if (part->flow.defined()) flow.push_back(part->flow);
    for (std::int64_t i = 0; i < part->size(); ++i) {
      exported.set.item.push_back(clip_item(seed, part->item[static_cast<std::size_t>(i)]));
      exported.set.person.push_back(part->person[static_cast<std::size_t>(i)]);
      indices->push_back(next++);
    }
  }
  exported.set.colour = at::cat(colour);
  exported.set.labels = at::cat(labels);
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
    if (!network_traits(video.kind).convolutional)
      for (const auto& dataset : task_datasets(*video.task, settings))
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
    for (const auto& name : task_datasets(task, settings)) {
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
          .traits = {.kind = models::MethodTraits::Kind::Own},
          .make = [file](const models::Backbone& trained, const models::MethodStart& start,
                         Random&) { return scripted_network(file, trained, start.draw_output); }};
}

void measure_face_predictions(CellContext& context) {
  // Ground truth is generated again: predictions need no cell of clips or features.
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
