#include "reproduce/prernn/outside.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "datasets/predictions.h"
#include "metrics/landmarks.h"
#include "reproduce/names.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/measure.h"
#include "training/scripted_network.h"

namespace reprise::reproduce::prernn_study {
namespace {

constexpr std::int64_t outputs = 2 * datasets::face_points;

/// What a method from outside is planned like: same seeds, needs, search and controls.
constexpr const char* model = "trad_gru_1";

bool is_model(const records::Cell& cell) { return cell.method == model || cell.method.starts_with(std::string(model) + "+"); }

/// The plan's cells of the model, under the method's name.
std::vector<PlannedCell> cells_like_the_model(const std::string& name, const Settings& settings, const std::filesystem::path& data) {
  const auto rename = [&](records::Cell& cell) {
    if (is_model(cell)) cell.method.replace(0, std::string(model).size(), name);
  };
  std::vector<PlannedCell> cells;
  for (auto planned : plan(settings, data)) {
    if (!is_model(planned.cell)) continue;
    rename(planned.cell);
    for (auto& need : planned.needs) rename(need);
    cells.push_back(std::move(planned));
  }
  return cells;
}

void leave_out_search(std::vector<PlannedCell>& cells) {
  std::erase_if(cells, [](const PlannedCell& planned) { return planned.cell.table == "search"; });
  for (auto& planned : cells) std::erase_if(planned.needs, [](const records::Cell& need) { return need.table == "search"; });
}

/// fc6.weight, ..., out.bias: what a script's parameters of these names start from.
weights::StateDict behind_the_trunk(const models::Backbone& cnn) {
  weights::StateDict layers;
  for (const auto& parameter : cnn->named_parameters())
    if (!parameter.key().starts_with("trunk.")) layers.emplace_back(parameter.key(), parameter.value().detach());
  return layers;
}

/// Loads the file and tries it, so that what does not fit is said before anything runs.
bool check_script(const std::filesystem::path& file, const Settings& settings) {
  const auto cnn = face_network(settings, 0);
  const auto n = cnn->stages()[cnn->index_of("fc6")].options().inputs;
  training::ScriptedNetwork network(file);
  network.start_from(behind_the_trunk(cnn));
  network.check_shapes({2, 3, n}, {2, 3, outputs});
  network.check_shapes({1, 1, n}, {1, 1, outputs});  // without memory
  return network.learns();
}

std::vector<PlannedCell> plan_script(const OutsideMethod& method, const Settings& settings, const std::filesystem::path& data) {
  const auto file = method_file(method, method.file);
  auto cells = cells_like_the_model(method.name, settings, data);
  if (!check_script(file.path, settings)) leave_out_search(cells);
  for (auto& planned : cells) planned.file = file;
  return cells;
}

std::vector<PlannedCell> plan_predictions(const OutsideMethod& method, const Settings& settings, const std::filesystem::path& data) {
  const auto datasets = settings.texts("clips.datasets");
  if (datasets.size() > 1 && method.file.find("{dataset}") == std::string::npos)
    throw UsageError(fmt::format("--predictions {}={}: this profile has {} data sets", method.name, method.file, datasets.size()),
                     "name the file by its data set, with {dataset} in its place: mine_{dataset}.csv is mine_" + datasets[0] + ".csv, ...");
  auto cells = cells_like_the_model(method.name, settings, data);
  leave_out_search(cells);
  std::vector<PlannedCell> found;
  std::vector<std::string> looked_for;
  for (auto& planned : cells) {
    const auto path = file_of(method, planned.cell);
    if (planned.cell.table != "table1" || path.empty()) continue;
    looked_for.push_back(path.string());
    if (!std::filesystem::exists(path)) continue;
    planned.file = method_file(method, path);
    datasets::read_predictions(path, datasets::PredictionKind::Landmarks);  // what is damaged is told before anything runs
    planned.cost = 1;
    found.push_back(std::move(planned));
  }
  if (found.empty())
    throw UsageError("method " + method.name + ": there is no file " + first_few(looked_for),
                     "correct the path after " + method.name + "=");
  return found;
}

std::string item_name(std::int64_t seed, std::int64_t clip, std::int64_t frame) {
  return fmt::format("seed{}/clip{:05}/{:03}", seed, clip, frame);
}

/// The test clips' landmarks as a truth that predictions pair with.
datasets::Predictions truth_of(const at::Tensor& landmarks, std::int64_t seed, bool by_row) {
  datasets::Predictions truth{.item = {}, .values = landmarks.flatten(0, 1).to(at::kDouble), .by_row = by_row};
  for (std::int64_t i = 0; i < landmarks.size(0); ++i)
    for (std::int64_t t = 0; t < landmarks.size(1); ++t)
      truth.item.push_back(by_row ? std::to_string(truth.item.size()) : item_name(seed, i, t));
  return truth;
}

}  // namespace

std::vector<PlannedCell> plan_outside(const OutsideMethod& method, const Settings& settings, const std::filesystem::path& data) {
  return method.kind == OutsideMethod::Kind::TorchScript ? plan_script(method, settings, data) : plan_predictions(method, settings, data);
}

std::vector<reports::Table> outside_tables(const std::vector<std::string>& names, const Settings& settings) {
  std::vector<reports::Table> tables;
  for (const auto& dataset : settings.texts("clips.datasets")) {
    reports::Table table{.id = "your_methods_" + dataset,
                         .title = "Your methods beside all others, " + dataset,
                         .caption = "Methods from outside first. The same clips, splits and seeds; paired by seed.",
                         .corner = "method",
                         .columns = {"AUC", "mean error", "failure rate"},
                         .digits = 4};
    const auto add = [&](const std::string& method, const std::string& title) {
      table.rows.push_back(title);
      auto& row = table.entries.emplace_back();
      for (const auto* metric : {"auc", "mean_error", "failure_rate"}) row.push_back(reports::Entry{"table1", dataset, method, metric});
    };
    for (const auto& name : names) add(name, name);
    for (const auto& method : all_methods()) add(method.name, method.title);
    tables.push_back(std::move(table));
  }
  return tables;
}

ExportedFrames outside_frames(const std::string& dataset, std::int64_t seed, const Settings& settings, const std::filesystem::path& data) {
  const auto known = settings.texts("clips.datasets");
  if (std::find(known.begin(), known.end(), dataset) == known.end()) throw unknown("data set of prernn", dataset, known);
  const auto clips = make_clips(dataset, seed, settings, data);
  ExportedFrames exported;
  std::vector<at::Tensor> landmarks;
  std::int64_t next = 0;
  for (const auto& [part, indices] :
       {std::pair{&clips.train, &exported.split.train}, std::pair{&clips.validation, &exported.split.validation},
        std::pair{&clips.test, &exported.split.test}}) {
    landmarks.push_back(part->landmarks.flatten(0, 1));
    for (std::int64_t i = 0; i < part->frames.size(0); ++i)
      for (std::int64_t t = 0; t < part->frames.size(1); ++t) {
        exported.frames.images.push_back(part->frames[i][t].unsqueeze(-1).expand({-1, -1, 3}).contiguous());
        exported.frames.item.push_back(item_name(seed, i, t));
        exported.frames.person.emplace_back();
        indices->push_back(next++);
      }
  }
  exported.frames.landmarks = at::cat(landmarks);
  return exported;
}

models::Method scripted_method(const std::string& name, const std::filesystem::path& file) {
  return {.name = name, .title = name, .make = [file](const models::Backbone& trained, Random&) {
            auto network = std::make_unique<training::ScriptedNetwork>(file);
            network->start_from(behind_the_trunk(trained));
            return network;
          }};
}

void run_predictions(CellContext& context) {
  auto& record = context.record;
  const auto& cell = record.cell;
  auto features_cell = cell;
  features_cell.table = "features", features_cell.method = "cnn";
  const auto landmarks = read_clips(context.store.folder(features_cell) / "clips.safetensors").test.landmarks;
  const auto predictions = datasets::read_predictions(context.method_file, datasets::PredictionKind::Landmarks);
  const auto truth = truth_of(landmarks, cell.seed, predictions.by_row);
  at::Tensor predicted;
  try {
    predicted = datasets::paired(predictions, truth);
  } catch (const UsageError& error) {
    throw UsageError(context.method_file.string() + ": " + error.problem(),
                     error.fix() + "; the items are those of: reprise data export prernn/" + cell.dataset + " --split test --seed " +
                         std::to_string(cell.seed));
  }
  const auto error = metrics::landmark_error(predicted.to(at::kFloat), landmarks.flatten(0, 1));
  measure_error(error, cell.dataset, "", record);
  records::Curves curves;
  measure_curves(error, landmarks.size(1), curves);
  context.store.write_curves(cell, curves);
}

}  // namespace reprise::reproduce::prernn_study
