#include "reproduce/dynamic_face/external.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "experiments/external.h"
#include "experiments/external_network.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "reproduce/dynamic_face/cells.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::PredictionKind;

/// Whether the output layer starts at random. No: FC-RNN, FC-LSTM, FC-GRU and the control keep the
/// trained one.
constexpr bool draw_output = false;

Method scripted_method(const std::string& name, const std::filesystem::path& file) {
  return {.info = {.id = name, .title = name, .source = file.filename().string()},
          .make = [file](const models::Backbone& trained, const Settings&, double, Random&) {
            return scripted_network(file, trained, draw_output);
          }};
}

/// Returns a table of the test sequences with one column per kind of degradation.
ExternalTable sequences_table(const std::string& title, const std::string& metric, int digits,
                              const Settings& settings, const DataFolder& data,
                              bool (*takes_part)(Output)) {
  ExternalTable table{.table = "pose", .dataset = synhead, .title = title};
  for (const auto& kind : settings.texts("test.kinds"))
    table.columns.push_back({.title = kind, .metric = metric + "_" + kind, .digits = digits});
  for (const auto& method : methods())
    if (takes_part(method.output())) table.own_rows.emplace_back(method.info.id, method.info.title);
  need_tracks(settings, data);
  const auto missing = data.take_missing();
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    table.cells.push_back({.cell = cell("pose", "", seed),
                           .needs = {},  // ground truth is generated again, without a network
                           .missing = missing});
  return table;
}

std::vector<std::int64_t> add(datasets::PoseFrames& frames, const std::string& name,
                              const datasets::SynheadClips& clips) {
  return frames.add(name, clips.images, clips.pose, clips.landmarks);
}

/// Generates the frames of all test kinds, one kind after another.
datasets::PoseFrames test_frames(std::int64_t seed, const SceneParts& parts,
                                 const Settings& settings) {
  datasets::PoseFrames frames;
  for (const auto& kind : settings.texts("test.kinds"))
    add(frames, fmt::format("seed{}/{}", seed, kind),
        test_sequences(parts, kind, settings, data_seed(settings, seed)));
  return frames;
}

/// Measures a file of predictions, which has all test kinds.
void measure_predictions(CellContext& context) {
  const auto& settings = context.settings;
  const auto seed = context.record.cell.seed;
  const auto kind = datasets::detect_prediction_kind(context.method_file);
  const bool poses = kind == PredictionKind::Pose;
  const auto frames =
      test_frames(seed, load_scenes(settings, context.data, data_seed(settings, seed)), settings);
  TestItems truth{.item = {}, .values = (poses ? frames.pose : frames.landmarks).to(at::kDouble)};
  for (std::size_t i = 0; i < frames.images.size(); ++i) truth.item.push_back(frames.item(i));
  const auto predicted = read_paired(context, kind, truth).to(at::kFloat);
  records::Curves curves;
  const auto kinds = settings.texts("test.kinds");
  const auto by_kind = [&](const at::Tensor& rows) {  // [kinds, N, T, ...]
    return rows.unflatten(
        0, {static_cast<std::int64_t>(kinds.size()), -1, settings.integer("test.frames")});
  };
  // Rows are in the order of test_frames(): kind, sequence, frame.
  Estimates estimates;
  Estimates truths;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    const auto given = by_kind(predicted)[static_cast<std::int64_t>(k)];
    if (poses) {
      estimates[kinds[k]] = given;
      truths[kinds[k]] = by_kind(frames.pose)[static_cast<std::int64_t>(k)];
    } else {
      measure_points(given, by_kind(frames.landmarks)[static_cast<std::int64_t>(k)], kinds[k],
                     context);
    }
  }
  measure_pose(estimates, context, curves, truths);
  context.store.write_curves(context.record.cell, curves);
}

}  // namespace

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data) {
  auto poses = sequences_table("pose error in degrees", "error", 2, settings, data, gives_pose);
  poses.predictions =
      "poses in degrees: a CSV sequence,frame,pitch,yaw,roll with a row for each frame of "
      "test.csv, or a .npy [N, 3] in its order";
  poses.mismatch = [](const auto& file) { return kind_mismatch(file, PredictionKind::Pose); };
  poses.forward =
      "forward(features [B, T, n] float32) -> [B, T, 3] float32, "
      "pitch, yaw and roll in units of 20 degrees";
  poses.check_script = [settings](const auto& file, bool call) {
    return check_script(file, new_network(Output::Pose, settings, "pose", 0), draw_output, call);
  };
  poses.script_cells = [settings](const auto& name, const auto& file) {
    return plan_method(scripted_method(name, file), settings);
  };
  // Scripts are trained on poses, so only a file of predictions can be a row of this table.
  auto landmarks = sequences_table("AUC of landmarks", "auc", 3, settings, data, gives_landmarks);
  landmarks.id = "pose_landmarks";
  landmarks.predictions =
      "landmarks in pixels: a CSV item,x0,y0,...,x67,y67 (the item is SEQUENCE/FRAME), "
      "or a .npy [N, 68, 2]";
  landmarks.mismatch = [](const auto& file) {
    return kind_mismatch(file, PredictionKind::Landmarks);
  };
  return {poses, landmarks};
}

ExportedData exported_frames(const std::string& dataset, std::int64_t seed,
                             const Settings& settings, const DataFolder& data) {
  if (dataset != synhead) throw unknown("data set of dynamic_face", dataset, {synhead});
  const auto scene_seed = data_seed(settings, seed);
  const auto parts = load_scenes(settings, data, scene_seed);
  ExportedSet<datasets::PoseFrames> exported;
  auto& [frames, split] = exported;
  const auto clips = settings.integer("clips.validation");
  const auto length = settings.integer("clips.frames");
  split.train = add(frames, fmt::format("seed{}/training", seed),
                    training_clips(parts.train, /*augment=*/true, settings, scene_seed));
  split.validation = add(frames, fmt::format("seed{}/validation", seed),
                         validation_clips(parts, clips, length, settings, scene_seed));
  for (const auto& kind : settings.texts("test.kinds")) {
    const auto added = add(frames, fmt::format("seed{}/{}", seed, kind),
                           test_sequences(parts, kind, settings, scene_seed));
    split.test.insert(split.test.end(), added.begin(), added.end());
  }
  return exported;
}

void run_external(CellContext& context) {
  if (holds_predictions(context)) return measure_predictions(context);
  run_network(
      scripted_method(records::parse_trial(context.record.cell.method).method, context.method_file),
      context);
}

}  // namespace reprise::reproduce::dynamic_face_study
