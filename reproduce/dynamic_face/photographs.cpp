// Table photographs: networks that `reprise track` uses on real faces, measured on unseen people.
//
// Training uses faces of 300-W and YouTube Faces (or drawn ones without them) under a virtual
// camera, and drawn heads, which turn further. Photographs have no measured pose. Training and
// evaluation use poses that are solved from true landmarks (datasets/landmark_pose.h). Test
// pictures pass all steps of `track`: detector, face window, network.
#include "reproduce/dynamic_face/photographs.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "datasets/formats/images.h"
#include "datasets/generators/faces_in_motion.h"
#include "datasets/landmark_pose.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/readers/ytf_keypoints.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/splits.h"
#include "experiments/base_network.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "experiments/seeds.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "reproduce/dynamic_face/tracker_evaluation.h"
#include "training/module_state.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::LandmarkFrames;

constexpr auto output = Output::Joint;
/// Window of camera and tracker: 1.5 times the landmarks' box, with offsets like those of a
/// detector (face_windows.h).
constexpr datasets::WindowOptions window{.sigma = 0, .margin = 1.5};

/// Returns settings in which the sizes of networks are those of section photographs.
Settings photograph_settings(const Settings& settings) {
  auto own = settings.all();
  for (const auto& [key, own_key] : {std::pair{"image.size", "photographs.size"},
                                     {"cnn.trunk", "photographs.trunk"},
                                     {"cnn.width", "photographs.width"}})
    own[key] = own.at(own_key);
  return Settings(std::move(own));
}

/// Faces with a margin for the camera to move in, and their mirror images.
struct Pool {
  std::vector<at::Tensor> pictures;
  std::vector<at::Tensor> landmarks;
  void add(const LandmarkFrames& from) {
    for (std::int64_t i = 0; i < from.size(); ++i)
      add(from.images[static_cast<std::size_t>(i)], from.landmarks[i]);
  }
  void add(const at::Tensor& picture, const at::Tensor& points) {
    const auto face = datasets::crop_face(picture, points, {.size = 160, .scale = 2.4});
    pictures.push_back(face.image);
    landmarks.push_back(face.landmarks);
    pictures.push_back(datasets::mirror_image(face.image));
    landmarks.push_back(datasets::mirror_landmarks(face.landmarks, face.image.size(1)));
  }
};

struct Photographs {
  LandmarkFrames train, validation;
  TestFaces test;
};

LandmarkFrames generate_faces(std::int64_t count, std::int64_t first, std::uint64_t seed) {
  // About ten pictures per person, of at least 8 people, so that every part of a split has some.
  auto people = datasets::count_up(std::max<std::int64_t>(8, count / 10));
  for (auto& person : people) person += first;
  const auto heads =
      datasets::render_head_stills(count, 128, people, seed, {.pitch = 30, .yaw = 65, .roll = 20});
  LandmarkFrames frames;
  frames.images = heads.images.unbind();
  frames.landmarks = heads.landmarks;
  for (std::int64_t i = 0; i < count; ++i) {
    frames.item.push_back(fmt::format("drawn {}", i));
    frames.person.push_back(fmt::format("drawn person {}", heads.identity[i].item<std::int64_t>()));
  }
  return frames;
}

LandmarkFrames concatenate(LandmarkFrames a, const LandmarkFrames& b) {
  a.images.insert(a.images.end(), b.images.begin(), b.images.end());
  a.item.insert(a.item.end(), b.item.begin(), b.item.end());
  a.person.insert(a.person.end(), b.person.begin(), b.person.end());
  a.landmarks = at::cat({a.landmarks, b.landmarks});
  return a;
}

Photographs load_photographs(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  LandmarkFrames all;
  std::vector<datasets::FrameRun> bursts;
  const bool real = settings.text("photographs.source") == "real";
  if (real) {
    all = datasets::read_faces_300w(data / "faces_300w");
    auto video = datasets::read_ytf_keypoints(data / "ytf_keypoints");
    // Frames of videos follow the photographs, so the indices of bursts move.
    for (auto& run : video.bursts)
      for (auto& frame : run.frames) frame += all.size();
    bursts = std::move(video.bursts);
    all = concatenate(std::move(all), video.frames);
  } else {
    // Without photographs a few drawn faces exercise every step; their numbers mean nothing.
    all = generate_faces(/*count=*/60, /*first=*/5000, /*seed=*/1);
  }
  const auto split =
      datasets::split_by(all.person, split_fractions(settings, "photographs.split"),
                         seed_of({"dynamic_face", "photographs", std::to_string(seed)}));
  Photographs parts{.train = all.at(split.train),
                    .validation = all.at(split.validation),
                    .test = {.frames = all.at(split.test)}};
  // Bursts keep their frames only if all of them are in the test part.
  std::map<std::int64_t, std::int64_t> test_index;  // by frame
  for (std::size_t i = 0; i < split.test.size(); ++i)
    test_index[split.test[i]] = static_cast<std::int64_t>(i);
  for (auto run : bursts) {
    if (!std::ranges::all_of(run.frames, [&](std::int64_t f) { return test_index.contains(f); }))
      continue;
    for (auto& frame : run.frames) frame = test_index.at(frame);
    parts.test.bursts.push_back(std::move(run));
  }
  return parts;
}

/// Returns the virtual camera. difficulty from 0 to 1 scales rotation and degradation. A network
/// that starts with the hardest pictures only learns the mean face.
datasets::MotionOptions camera_options(const Settings& settings, std::int64_t frames,
                                       double difficulty) {
  datasets::MotionOptions options;
  options.frames = frames;
  options.size = settings.integer("photographs.size");
  options.degradation = difficulty * settings.number("photographs.degradation");
  options.gray = false;
  options.turn = 5 + difficulty * 40;  // degrees
  options.zoom = 0.08;                 // natural logarithm
  options.shift = 0.04;                // fraction of the side
  // Spread and offset of the boxes of a face detector (face_windows.h).
  options.enlarged = window.margin;
  options.enlarged_spread = 0.25;
  options.offset = 0.1;
  return options;
}

LabelledImages generate_clips(const Pool& pool, std::int64_t count, std::int64_t frames,
                              const Settings& settings, const Random& random,
                              double difficulty = 1) {
  auto who = random.split("who");
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t i = 0; i < count; ++i) runs.push_back({who.below(std::ssize(pool.pictures))});
  const auto clips = datasets::generate_face_motion(pool.pictures, at::stack(pool.landmarks), runs,
                                                    camera_options(settings, frames, difficulty),
                                                    random.split("camera"));
  return {.images = clips.frames,
          .truth = {.pose = datasets::estimate_pose(clips.landmarks),
                    .landmarks = clips.landmarks,
                    .landmarks_3d = {}}};
}

/// Returns both errors as one number: landmark error over the box's diagonal, plus a hundredth of
/// the pose error in degrees.
double combined_error(const at::Tensor& outputs, const Truth& truth, std::int64_t side) {
  const auto off = metrics::landmark_error(extract_landmarks(outputs, side).flatten(0, -3),
                                           truth.landmarks.flatten(0, -3));
  return metrics::mean_error(off) +
         metrics::pose_error(extract_pose(outputs), truth.pose).mean / 100;
}

Pool training_pool(const Photographs& photographs, bool with_photographs, const Settings& settings,
                   std::int64_t seed) {
  Pool pool;
  if (with_photographs) pool.add(photographs.train);
  // Numbers from 10000 on: other people for every seed, and none of load_photographs().
  pool.add(generate_faces(settings.integer("photographs.drawn"), 10000 + 2000 * seed,
                          seed_of({"dynamic_face", "drawn", std::to_string(seed)})));
  return pool;
}

constexpr auto protocol = "landmarks and a hundredth of the pose, photographs/validation";

/// Data that the cells of a seed share.
struct PhotographRun {
  const Settings settings;  ///< photograph_settings()
  CellContext& context;
  Photographs photographs;
  Pool pool, held_out;
  Random random;
  std::int64_t side = 0;
  at::Tensor mean;  ///< mean target of frames: pose and landmarks
};

/// Loads the photographs of a seed and prepares the data that its cells share.
PhotographRun prepare_run(const PhotographMethod& method, std::int64_t seed, CellContext& context) {
  PhotographRun run{
      .settings = photograph_settings(context.settings),
      .context = context,
      .photographs = load_photographs(context.settings, context.data, seed),
      .pool = {},
      .held_out = {},
      .random = Random(seed_of({"dynamic_face", "photographs", "films", std::to_string(seed)})),
      .side = context.settings.integer("photographs.size"),
      .mean = {}};
  run.pool = training_pool(run.photographs, method.photographs, run.settings, seed);
  run.held_out.add(run.photographs.validation);
  constexpr std::int64_t frames = 512;  // the mean only sets the first output bias
  const auto seen = generate_clips(run.pool, frames, 1, run.settings, run.random.split("mean"));
  run.mean = encode_target(output, seen.truth, run.side).flatten(0, 1).mean(0);
  return run;
}

/// Creates the network with random weights and the mean as first output.
models::Backbone start_network(const PhotographRun& run, std::int64_t draw) {
  const auto& cell = run.context.record.cell;
  auto network = new_network(output, run.settings, cell.method,
                             data_seed(run.context.settings, cell.seed), draw);
  models::start_output_at(network, run.mean);
  network->to(at::Device(run.context.device));
  return network;
}

/// Trains the per-frame network. Writes weights.safetensors for networks that start from it.
void learn_frames(models::Backbone& network, const PhotographRun& run, records::Curves& curves) {
  const auto& settings = run.settings;
  auto& context = run.context;
  const auto& cell = context.record.cell;
  const auto validation = generate_clips(run.held_out, settings.integer("photographs.validation"),
                                         1, settings, run.random.split("validation"));
  // Difficulty rises over the first 30 % of the epochs.
  const auto ramp = 0.3 * static_cast<double>(settings.integer("photographs.epochs"));
  const auto seed =
      seed_of({"dynamic_face", "photographs", cell.method, std::to_string(cell.seed)});
  const auto validation_error = [&](const at::Tensor& outputs) {
    return combined_error(outputs, validation.truth, run.side);
  };
  const auto report = train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    if (draw > 0) network = start_network(run, draw);
    const FrameTraining how{
        .section = "photographs",
        .output = output,
        .seed = seed_of_draw(seed, draw),
        .draw =
            [&](std::int64_t count, std::int64_t epoch, Random& random) {
              return generate_clips(run.pool, count, 1, settings, random,
                                    std::min(1.0, static_cast<double>(epoch) / ramp));
            },
        .validate =
            [&] { return validation_error(frame_outputs(network, validation.images).outputs); }};
    return {
        .report = train_frames(network, how, context),
        .trivial_error = validation_error(
            run.mean.expand({validation.images.size(0), validation.images.size(1), -1})),
        .live_units = least_live_fraction(network, validation.images.flatten(0, 1), network_input)};
  });
  training::save_weights(*network, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  record_training(report, settings.number("photographs.learning_rate"), "", protocol,
                  context.record, curves);
}

/// Trains FC-GRU on features of a trained network.
std::unique_ptr<training::SequenceNetwork> learn_clips(models::Backbone& network,
                                                       const PhotographRun& run,
                                                       records::Curves& curves) {
  const auto& settings = run.settings;
  const auto clips = [&](const Pool& from, std::int64_t count, const char* name) {
    const auto seen = generate_clips(from, count, settings.integer("photographs.clip_frames"),
                                     settings, run.random.split(name));
    return std::pair{frame_outputs(network, seen.images).features, seen.truth};
  };
  const auto count = settings.integer("photographs.clips");
  const auto train = clips(run.pool, count, "clips");
  const auto held = clips(run.held_out, std::max<std::int64_t>(8, count / 10), "validation clips");
  Random weights(seed_of({"dynamic_face", "photographs", "weights",
                          std::to_string(data_seed(settings, run.context.record.cell.seed))}));
  auto recurrent = method_named("fc_gru_joint")
                       .make(network, settings, settings.number("sequence.dropout"), weights);
  recurrent->to(at::Device(run.context.device));
  const SequenceTask task{
      .clip_sets = {{.x = train.first.to(at::kHalf),
                     .y = encode_target(output, train.second, run.side)}},
      .loss = [](const at::Tensor& outputs,
                 const at::Tensor& truth) { return squared_error(outputs, truth); },
      .validate =
          [&] {
            return combined_error(predict_clips(*recurrent, held.first), held.second, run.side);
          },
      .settings = "sequence",
      .search = "search",
      .batch = settings.integer("sequence.batch"),
      .validate_start = true};
  const double rate = settings.number("photographs.sequence_rate");
  record_training(train_sequence(*recurrent, task, rate, run.context), rate, "",
                  fmt::format("{} clips", protocol), run.context.record, curves);
  return recurrent;
}

/// Returns the cell whose network FC-GRU starts from.
records::Cell base_network_cell(records::Cell cell) {
  cell.method = "photographed";
  return cell;
}

std::int64_t count_people(const LandmarkFrames& frames) {
  return std::ssize(std::set(frames.person.begin(), frames.person.end()));
}

}  // namespace

const std::vector<PhotographMethod>& photograph_methods() {
  static const std::vector<PhotographMethod> all{
      {.name = "mean_face", .title = "mean face, looking ahead", .tracker = ""},
      {.name = "drawn",
       .title = "per frame, drawn heads alone",
       .learns = true,
       .tracker = "cnn_joint"},
      {.name = "photographed",
       .title = "per frame, photographs and drawn heads",
       .photographs = true,
       .learns = true,
       .tracker = "cnn_joint"},
      {.name = "photographed_gru",
       .title = "FC-GRU on it",
       .photographs = true,
       .learns = true,
       .tracker = "fc_gru_joint"}};
  return all;
}

std::vector<PlannedCell> plan_photographs(const Settings& settings, const DataFolder& data) {
  const auto source = settings.text("photographs.source");
  if (source == "none") return {};
  if (source == "real")
    need_datasets({"faces_300w", "ytf_keypoints"}, data, "--set photographs.source=none");
  const auto missing = data.take_missing();
  std::vector<PlannedCell> cells;
  const Seeds splits(settings.text("photographs.seeds"), "photographs.seeds");
  for (const auto seed : splits.chosen) {
    // With replicates = "weights" all seeds share the networks of seed 0.
    if (seed >= data_seeds(settings)) continue;
    for (const auto& method : photograph_methods()) {
      PlannedCell planned{.cell = cell("photographs", method.name, seed), .missing = missing};
      planned.cell.dataset = faces;
      if (method.tracker == "fc_gru_joint") planned.needs = {base_network_cell(planned.cell)};
      planned.reads = {"resampled", "methods",  "tracks",     "heads",
                       "image",     "sequence", "photographs"};
      cells.push_back(std::move(planned));
    }
  }
  return cells;
}

void run_photographs(CellContext& context) {
  auto& record = context.record;
  const auto seed = data_seed(context.settings, record.cell.seed);
  const auto& method =
      find_named(photograph_methods(), "method on photographs", record.cell.method);
  auto run = prepare_run(method, seed, context);
  record.parameters["people_training"] = count_people(run.photographs.train);
  record.parameters["people_test"] = count_people(run.photographs.test.frames);
  auto network = start_network(run, 0);
  auto constant = run.mean.clone();
  constant.narrow(0, 0, 3).zero_();  // mean face, looking ahead
  std::unique_ptr<training::SequenceNetwork> recurrent;
  records::Curves curves;
  if (method.tracker == "cnn_joint") learn_frames(network, run, curves);
  if (method.tracker == "fc_gru_joint") {
    training::load_weights(
        *network, context.store.folder(base_network_cell(record.cell)) / "weights.safetensors");
    recurrent = learn_clips(network, run, curves);
  }
  const TrackFunction follow = [&](const at::Tensor& pictures) -> at::Tensor {
    if (!method.learns) return constant.expand({pictures.size(0), constant.size(0)});
    const auto [outputs, features] = frame_outputs(network, pictures.unsqueeze(0));
    return recurrent ? predict_clips(*recurrent, features)[0] : outputs[0];
  };
  TrackerEvaluation evaluation(run.photographs.test, window, follow, run.side);
  evaluation.measure_stills(record);
  evaluation.measure_sway(record);
  evaluation.measure_bursts(record);
  if (is_shown(context.settings, record.cell.seed))
    evaluation.draw_faces(context.folder / "faces.png");
  if (!method.tracker.empty())
    write_tracker(context.folder / "tracker.safetensors", method_named(method.tracker),
                  run.settings, *network, recurrent.get(), window);
  context.store.write_curves(record.cell, curves);
}

}  // namespace reprise::reproduce::dynamic_face_study
