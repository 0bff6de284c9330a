#include "reproduce/dynamic_face/outside.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "experiments/names.h"
#include "experiments/outside_network.h"
#include "experiments/replicates.h"
#include "experiments/sequence_training.h"
#include "reproduce/dynamic_face/cells.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::PredictionKind;
using datasets::Predictions;

/// FC-RNN, FC-LSTM, FC-GRU and the fine-tuned per-frame network keep the trained output layer.
constexpr bool draw_output = false;

Method scripted_method(const std::string& name, const std::filesystem::path& file) {
  return {.info = {.id = name, .title = name, .source = file.filename().string()},
          .make = [file](const models::Backbone& trained, const Settings&, double, Random&) {
            return scripted_network(file, trained, draw_output);
          }};
}

std::vector<PlannedCell> plan_script(const OutsideMethod& method, const Settings& settings) {
  auto file = method_file(method, method.file);
  const auto check = check_script(file.path, new_network(Output::Pose, settings, "pose", 0), draw_output, method.call);
  file.notes = check.notes;
  auto cells = cells_of(scripted_method(method.name, file.path), settings);
  if (!check.learns) leave_out_trials(cells);
  for (auto& planned : cells) planned.file = file;
  return cells;
}

PredictionKind kind_of_poses_or_landmarks(const std::filesystem::path& path) {
  const auto kind = datasets::kind_of(path);
  if (kind == PredictionKind::Labels)
    throw UsageError(path.string() + " holds labels, and this study has poses and landmarks",
                     "give columns sequence,frame,pitch,yaw,roll, or item,x0,y0,...,x67,y67");
  return kind;
}

std::vector<PlannedCell> plan_predictions(const OutsideMethod& method, const Settings& settings) {
  std::vector<PlannedCell> cells;
  std::vector<std::string> looked_for;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed) {
    PlannedCell planned{.cell = cell("pose", method.name, seed), .needs = {cell("clips", "pose", data_seed(settings, seed))}};
    const auto path = file_of(method, planned.cell);
    if (path.empty()) continue;
    looked_for.push_back(path.string());
    if (!std::filesystem::exists(path)) continue;
    planned.file = method_file(method, path);
    datasets::read_predictions(path, kind_of_poses_or_landmarks(path));  // what is damaged is reported before anything runs
    cells.push_back(std::move(planned));
  }
  if (cells.empty())
    throw UsageError("method " + method.name + ": there is no file " + first_few(looked_for),
                     "correct the path after " + method.name + "=");
  return cells;
}

std::vector<std::int64_t> add(datasets::PoseFrames& frames, const std::string& name, const datasets::SynheadClips& clips) {
  return frames.add(name, clips.images, clips.pose, clips.landmarks);
}

/// The frames of every test kind, one kind after another.
datasets::PoseFrames test_frames(std::int64_t seed, const SceneParts& parts, const Settings& settings) {
  datasets::PoseFrames frames;
  for (const auto& kind : settings.texts("test.kinds"))
    add(frames, fmt::format("seed{}/{}", seed, kind), test_sequences(parts, kind, settings, data_seed(settings, seed)));
  return frames;
}

/// Measures a file of predictions, all kinds in one.
void run_predictions(CellContext& context) {
  const auto& settings = context.settings;
  const auto seed = context.record.cell.seed;
  const auto kind = kind_of_poses_or_landmarks(context.method_file);
  const bool poses = kind == PredictionKind::Pose;
  const auto predictions = datasets::read_predictions(context.method_file, kind);
  const auto frames = test_frames(seed, load_scenes(settings, context.data, data_seed(settings, seed)), settings);
  Predictions truth{.item = {}, .values = (poses ? frames.pose : frames.landmarks).to(at::kDouble), .by_row = predictions.by_row};
  for (std::size_t i = 0; i < frames.images.size(); ++i) truth.item.push_back(predictions.by_row ? std::to_string(i) : frames.item(i));
  const auto predicted = paired_with_truth(context, predictions, truth).to(at::kFloat);
  records::Curves curves;
  const auto kinds = settings.texts("test.kinds");
  const auto by_kind = [&](const at::Tensor& rows) {  // [kinds, N, T, ...]
    return rows.unflatten(0, {static_cast<std::int64_t>(kinds.size()), -1, settings.integer("test.frames")});
  };
  Estimates estimates;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto given = by_kind(predicted)[static_cast<std::int64_t>(k)];
    if (poses)
      estimates[kinds[k]] = given;
    else
      measure_landmarks(given, by_kind(frames.landmarks)[static_cast<std::int64_t>(k)], kinds[k], context);
  }
  measure_pose(estimates, context, curves);
  context.store.write_curves(context.record.cell, curves);
}

/// A table of the methods named and of all that have the metric.
reports::Table table_of(const std::string& id, const std::string& title, const std::string& metric, std::int64_t digits,
                        const std::vector<std::string>& names, const std::vector<std::string>& kinds,
                        const std::function<bool(const Method&)>& takes_part) {
  reports::Table table{.id = id,
                       .title = title,
                       .caption = "Methods from outside first. The same sequences, splits and seeds; paired by seed.",
                       .corner = "method",
                       .columns = kinds,
                       .digits = static_cast<int>(digits)};
  const auto add = [&](const std::string& method, const std::string& row_title) {
    table.rows.push_back(row_title);
    auto& row = table.entries.emplace_back();
    for (const auto& kind : kinds) row.push_back(reports::Entry{"pose", synhead, method, metric + "_" + kind});
  };
  for (const auto& name : names) add(name, name);
  for (const auto& method : methods())
    if (takes_part(method)) add(method.info.id, method.info.title);
  return table;
}

}  // namespace

std::vector<PlannedCell> plan_outside(const OutsideMethod& method, const Settings& settings, const DataFolder& /*data*/) {
  return method.kind == OutsideMethod::Kind::TorchScript ? plan_script(method, settings) : plan_predictions(method, settings);
}

std::vector<reports::Table> outside_tables(const std::vector<std::string>& names, const Settings& settings) {
  const auto kinds = settings.texts("test.kinds");
  return {table_of("your_methods", "Your methods beside all others, pose error in degrees", "error", 2, names, kinds,
                   [](const Method& method) { return gives_pose(method.output()); }),
          table_of("your_landmarks", "Your methods beside all others, AUC of landmarks", "auc", 3, names, kinds,
                   [](const Method& method) { return gives_landmarks(method.output()); })};
}

ExportedData exported_frames(const std::string& dataset, std::int64_t seed, const Settings& settings, const DataFolder& data) {
  if (dataset != synhead) throw unknown("data set of dynamic_face", dataset, {synhead});
  const auto of_data = data_seed(settings, seed);
  const auto parts = load_scenes(settings, data, of_data);
  ExportedSet<datasets::PoseFrames> exported;
  auto& [frames, split] = exported;
  const auto clips = settings.integer("clips.validation"), length = settings.integer("clips.frames");
  split.train = add(frames, fmt::format("seed{}/training", seed), training_clips(parts.train, /*augment=*/true, settings, of_data));
  split.validation = add(frames, fmt::format("seed{}/validation", seed), validation_clips(parts, clips, length, settings, of_data));
  for (const auto& kind : settings.texts("test.kinds")) {
    const auto added = add(frames, fmt::format("seed{}/{}", seed, kind), test_sequences(parts, kind, settings, of_data));
    split.test.insert(split.test.end(), added.begin(), added.end());
  }
  return exported;
}

void run_outside(CellContext& context) {
  if (holds_predictions(context)) return run_predictions(context);
  run_network(scripted_method(records::parse_trial(context.record.cell.method).method, context.method_file), context);
}

}  // namespace reprise::reproduce::dynamic_face_study
