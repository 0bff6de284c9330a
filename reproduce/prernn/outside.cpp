#include "reproduce/prernn/outside.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/text.h"
#include "datasets/predictions.h"
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

/// What a method from outside is planned like: same seeds, needs, search and controls.
constexpr const char* model = "trad_gru_1";

bool is_model(const records::Cell& cell) { return records::parse_trial(cell.method).method == model; }

/// Where a method can take part: a table with one of its data sets.
struct ItemPlace {
  StudyTable table;
  std::string dataset;
  bool faces() const { return !table.video; }
  /// Whether a planned cell of the model is of this place: its table, the table's search, and for faces the clips of one frame.
  bool holds(const records::Cell& cell) const { return cell.dataset == dataset && study_table(cell.table).network == table.network; }
};

/// For scripts those of every kind of network with fc6 and fc7; for predictions, which no network has a part in, one for each data set.
std::vector<ItemPlace> places(const Settings& settings, bool every_kind) {
  std::vector<ItemPlace> all;
  for (const auto& dataset : settings.texts("clips.datasets")) all.push_back({study_table("table1"), dataset});
  for (const auto& video : video_tables(settings))
    if (const auto& network = facts_of(video.kind); !network.convolutional && (every_kind || !network.snippets))
      for (const auto& dataset : datasets_of(*video.task, settings)) all.push_back({study_table(video.name()), dataset});
  return all;
}

/// The plan's cells of the model at these places, under the method's name.
std::vector<PlannedCell> cells_like_the_model(const std::string& name, const std::vector<ItemPlace>& where, const Settings& settings,
                                              const DataFolder& data) {
  const auto rename = [&](records::Cell& cell) {
    if (is_model(cell)) cell.method.replace(0, std::string(model).size(), name);
  };
  std::vector<PlannedCell> cells;
  for (auto planned : plan(settings, data)) {
    if (!is_model(planned.cell)) continue;
    if (std::none_of(where.begin(), where.end(), [&](const ItemPlace& place) { return place.holds(planned.cell); })) continue;
    rename(planned.cell);
    for (auto& need : planned.needs) rename(need);
    if (planned.search) rename(planned.search->trials);
    cells.push_back(std::move(planned));
  }
  return cells;
}

/// The networks that a place has, untrained: one, or one for each modality.
std::vector<models::Backbone> networks_at(const ItemPlace& place, const Settings& settings, const DataFolder& data) {
  const auto& video = place.table.video;
  if (!video) return {face_network(settings, 0)};
  const auto classes = class_count(place.dataset, data);
  std::vector<models::Backbone> networks;
  for (const auto& modality : video->task->modalities) {
    Random random(0);
    networks.push_back(video_network(video->kind, channels_of(modality), classes, settings, data, random));
  }
  return networks;
}

/// Whether the trained output layer is kept at a place, by the setting or in a table where methods like this one run with it.
bool keeps_output(const ItemPlace& place, const Settings& settings) {
  if (!settings.flag("start.draw_output")) return true;
  const auto tables = extra_tables(settings);
  const auto methods = starting_methods(settings);
  return place.faces() && std::count(tables.begin(), tables.end(), kept_output_table) > 0 &&
         std::any_of(methods.begin(), methods.end(), [](const models::Method& method) { return method.info.id == model; });
}

/// Tries the file at a place.
ScriptCheck check_script(const std::filesystem::path& file, const ItemPlace& place, const Settings& settings, const DataFolder& data,
                         bool call) {
  const bool draw_output = !keeps_output(place, settings);
  ScriptCheck check;
  for (const auto& network : networks_at(place, settings, data)) check = reproduce::check_script(file, network, draw_output, call);
  return check;
}

std::vector<PlannedCell> plan_script(const OutsideMethod& method, const Settings& settings, const DataFolder& data) {
  auto file = method_file(method, method.file);
  std::vector<ItemPlace> fitting;
  std::optional<UsageError> why_not;
  bool learns = false;
  for (const auto& place : places(settings, /*every_kind=*/true)) {
    try {
      const auto check = check_script(file.path, place, settings, data, method.call);
      learns = check.learns;
      file.notes.insert(file.notes.end(), check.notes.begin(), check.notes.end());
      fitting.push_back(place);
    } catch (const UsageError& error) {
      if (!why_not) why_not = error;
    }
  }
  if (fitting.empty())
    throw why_not ? *why_not
                  : UsageError("this profile has no data set for " + method.name, "name one in clips.datasets or gestures.datasets");
  auto cells = cells_like_the_model(method.name, fitting, settings, data);
  if (!learns) leave_out_trials(cells);
  for (auto& planned : cells) planned.file = file;
  return cells;
}

std::vector<PlannedCell> plan_predictions(const OutsideMethod& method, const Settings& settings, const DataFolder& data) {
  auto where = places(settings, /*every_kind=*/false);
  if (method.file.find("{dataset}") == std::string::npos) {
    // without a name in the file's, its content must say which data set it is of
    bool any_there = false;
    for (const auto& place : std::vector<ItemPlace>(where)) {
      const auto path = file_of(method, {.study = "prernn", .table = place.table.name, .dataset = place.dataset, .method = method.name});
      if (!std::filesystem::exists(path)) continue;
      any_there = true;
      const bool landmarks = datasets::kind_of(path) == datasets::PredictionKind::Landmarks;
      std::erase_if(where, [&](const ItemPlace& other) { return other.faces() != landmarks; });
      break;
    }
    if (!any_there && where.size() > 1)
      throw UsageError("method " + method.name + ": there is no file " + method.file,
                       "correct the path after " + method.name + "=; {seed} and {dataset} stand for a cell's seed and data set");
    if (where.size() > 1)
      throw UsageError(
          fmt::format("--predictions {}={}: this profile has {} data sets", method.name, method.file, where.size()),
          "name the file by its data set, with {dataset} in its place: mine_{dataset}.csv is mine_" + where[0].dataset + ".csv, ...");
  }
  auto cells = cells_like_the_model(method.name, where, settings, data);
  leave_out_trials(cells);
  std::vector<PlannedCell> found;
  std::vector<std::string> looked_for;
  for (auto& planned : cells) {
    const auto path = file_of(method, planned.cell);
    const auto table = study_table(planned.cell.table);
    if (table.one_frame || path.empty()) continue;
    looked_for.push_back(path.string());
    if (!std::filesystem::exists(path)) continue;
    planned.file = method_file(method, path);
    if (table.video) planned.needs = {clips_cell(planned.cell, settings)};  // no network has a part in it
    // what is damaged is told before anything runs
    datasets::read_predictions(path, table.video ? datasets::PredictionKind::Labels : datasets::PredictionKind::Landmarks);
    found.push_back(std::move(planned));
  }
  if (found.empty())
    throw UsageError("method " + method.name + ": there is no file " + first_few(looked_for),
                     "correct the path after " + method.name + "=");
  return found;
}

/// `part` is "train/" or "validation/", so that no name stands for two pictures; test items, which predictions name, have none.
std::string item_name(std::int64_t seed, std::int64_t clip, std::int64_t frame, const std::string& part = "") {
  return fmt::format("seed{}/{}clip{:05}/{:03}", seed, part, clip, frame);
}

/// The test clips' landmarks as a truth that predictions pair with.
datasets::Predictions truth_of(const at::Tensor& landmarks, std::int64_t seed, bool by_row) {
  datasets::Predictions truth{.item = {}, .values = landmarks.flatten(0, 1).to(at::kDouble), .by_row = by_row};
  for (std::int64_t i = 0; i < landmarks.size(0); ++i)
    for (std::int64_t t = 0; t < landmarks.size(1); ++t)
      truth.item.push_back(by_row ? std::to_string(truth.item.size()) : item_name(seed, i, t));
  return truth;
}

ExportedSet<datasets::LandmarkFrames> exported_frames(const std::string& dataset, std::int64_t seed, const Settings& settings,
                                                      const DataFolder& data) {
  const ClipMaker maker(dataset, data_seed(settings, seed), settings, data);
  const auto training = maker.training(0), validation = maker.validation(), test = maker.test();
  ExportedSet<datasets::LandmarkFrames> exported;
  std::vector<at::Tensor> landmarks;
  std::int64_t next = 0;
  for (const auto& [part, indices, prefix] :
       {std::tuple{&training, &exported.split.train, "train/"}, std::tuple{&validation, &exported.split.validation, "validation/"},
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

ExportedSet<datasets::LabelledClips> exported_videos(const std::string& dataset, std::int64_t seed, const Settings& settings,
                                                     const DataFolder& data) {
  const auto parts = make_video_clips(dataset, data_seed(settings, seed), settings, data);
  ExportedSet<datasets::LabelledClips> exported{.set = {.classes = parts.train.classes}};
  std::vector<at::Tensor> colour, depth, flow, labels;
  std::int64_t next = 0;
  for (const auto& [part, indices] :
       {std::pair{&parts.train, &exported.split.train}, std::pair{&parts.validation, &exported.split.validation},
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

std::vector<PlannedCell> plan_outside(const OutsideMethod& method, const Settings& settings, const DataFolder& data) {
  return method.kind == OutsideMethod::Kind::TorchScript ? plan_script(method, settings, data) : plan_predictions(method, settings, data);
}

std::vector<reports::Table> outside_tables(const std::vector<std::string>& names, const Settings& settings) {
  std::vector<reports::Table> tables;
  for (const auto& place : places(settings, /*every_kind=*/true)) {
    reports::Table table{
        .id = place.faces() ? "your_methods_" + place.dataset : fmt::format("your_methods_{}_{}", place.table.name, place.dataset),
        .title = fmt::format("Your methods beside all others, {}{}", place.dataset, place.faces() ? "" : " (" + place.table.name + ")"),
        .caption = "Methods from outside first. The same clips, splits and seeds; paired by seed.",
        .corner = "method",
        .columns = {"AUC", "mean error", "failure rate"},
        .digits = 4};
    std::vector<std::string> metrics{"auc", "mean_error", "failure_rate"};
    const auto& video = place.table.video;
    if (video) {
      table.columns = {"both modalities"}, metrics = {"accuracy"}, table.digits = 3;
      for (const auto& modality : video->task->modalities) {
        table.columns.push_back(modality);
        metrics.push_back(of_part("accuracy", modality));
      }
    }
    const auto add = [&](const std::string& method, const std::string& title) {
      table.rows.push_back(title);
      auto& row = table.entries.emplace_back();
      for (const auto& metric : metrics) row.push_back(reports::Entry{place.table.name, place.dataset, method, metric});
    };
    for (const auto& name : names) add(name, name);
    for (const auto& method : video ? video_methods(video->kind, settings) : methods_for(NetworkKind::Fc))
      add(method.info.id, method.info.title);
    tables.push_back(std::move(table));
  }
  return tables;
}

ExportedData exported_clips(const std::string& dataset, std::int64_t seed, const Settings& settings, const DataFolder& data) {
  const auto faces = settings.texts("clips.datasets");
  if (std::find(faces.begin(), faces.end(), dataset) != faces.end()) return exported_frames(dataset, seed, settings, data);
  auto known = faces;
  for (const auto& task : video_tasks())
    for (const auto& name : datasets_of(task, settings)) {
      known.push_back(name);
      if (name == dataset) return exported_videos(dataset, seed, settings, data);
    }
  throw unknown("data set of prernn", dataset, known);
}

std::string clip_item(std::int64_t seed, const std::string& clip) { return fmt::format("seed{}/{}", seed, clip); }

models::Method scripted_method(const std::string& name, const std::filesystem::path& file) {
  return {.info = {.id = name, .title = name, .role = training::Role::Baseline, .source = file.filename().string(), .cost = "its own"},
          .facts = {.kind = models::MethodFacts::Kind::Own},
          .make = [file](const models::Backbone& trained, const models::MethodStart& start, Random&) {
            return scripted_network(file, trained, start.draw_output);
          }};
}

void run_predictions(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  if (study_table(cell.table).video) return run_label_predictions(context);
  const auto landmarks = read_clips(context.store.folder(features_cell(cell, context.settings)) / "clips.safetensors").test.landmarks;
  const auto predictions = datasets::read_predictions(context.method_file, datasets::PredictionKind::Landmarks);
  const auto truth = truth_of(landmarks, cell.seed, predictions.by_row);
  const auto predicted = paired_with_truth(context, predictions, truth);
  records::Curves curves;
  measure_landmarks(predicted.to(at::kFloat), landmarks.flatten(0, 1), landmarks.size(1), context, curves);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
