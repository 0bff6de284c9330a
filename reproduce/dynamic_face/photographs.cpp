// Table photographs: networks that `reprise track` follows real faces with, and how they do on
// people that they never saw.
//
// Faces of 300-W and YouTube Faces (or, without them, drawn ones) under a virtual camera, and drawn
// heads beside them, which turn further. Nobody measured a photograph's pose: it is solved from its
// true landmarks (datasets/landmark_pose.h), for training and for judging alike. A test picture
// goes the whole way of `track`: the detector's box, the window, the network.
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
#include "experiments/replicates.h"
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
/// Camera and window: a square of 1.5 times the landmarks' box, off by as much as a detector's
/// boxes are (face_windows.h).
constexpr datasets::WindowOptions window{.sigma = 0, .margin = 1.5};

/// The part of the settings that other functions of the study take for their own.
Settings own_settings(const Settings& settings) {
  auto own = settings.all();
  for (const auto& [theirs, ours] : {std::pair{"image.size", "photographs.size"},
                                     {"cnn.trunk", "photographs.trunk"},
                                     {"cnn.width", "photographs.width"}})
    own[theirs] = own.at(ours);
  return Settings(std::move(own));
}

/// Faces with room around them for the camera to move in.
struct Pool {
  std::vector<at::Tensor> pictures;
  std::vector<at::Tensor> landmarks;
  void add(const LandmarkFrames& from) {
    for (std::int64_t i = 0; i < from.size(); ++i)
      add(from.images[static_cast<std::size_t>(i)], from.landmarks[i]);
  }
  void add(const at::Tensor& picture, const at::Tensor& points) {
    const auto face = datasets::crop_face(picture, points, {.size = 160, .scale = 2.4});
    pictures.push_back(face.image), landmarks.push_back(face.landmarks);
    pictures.push_back(datasets::mirror_image(face.image));
    landmarks.push_back(datasets::mirror_landmarks(face.landmarks, face.image.size(1)));
  }
};

struct Photographs {
  LandmarkFrames train, validation;
  TestFaces test;
};

LandmarkFrames drawn_faces(std::int64_t count, std::int64_t first, std::uint64_t seed) {
  auto people = datasets::count_up(std::max<std::int64_t>(8, count / 10));
  for (auto& person : people) person += first;
  const auto heads =
      datasets::synthetic_stills(count, 128, people, seed, {.pitch = 30, .yaw = 65, .roll = 20});
  LandmarkFrames frames;
  frames.images = heads.images.unbind();
  frames.landmarks = heads.landmarks;
  for (std::int64_t i = 0; i < count; ++i) {
    frames.item.push_back(fmt::format("drawn {}", i));
    frames.person.push_back(fmt::format("drawn person {}", heads.identity[i].item<std::int64_t>()));
  }
  return frames;
}

LandmarkFrames joined(LandmarkFrames a, const LandmarkFrames& b) {
  a.images.insert(a.images.end(), b.images.begin(), b.images.end());
  a.item.insert(a.item.end(), b.item.begin(), b.item.end());
  a.person.insert(a.person.end(), b.person.begin(), b.person.end());
  a.landmarks = at::cat({a.landmarks, b.landmarks});
  return a;
}

Photographs load(const Settings& settings, const DataFolder& data, std::int64_t seed) {
  LandmarkFrames all;
  std::vector<datasets::FrameRun> bursts;
  const bool real = settings.text("photographs.source") == "real";
  if (real) {
    all = datasets::read_faces_300w(data / "faces_300w");
    auto video = datasets::read_ytf_keypoints(data / "ytf_keypoints");
    for (auto& run : video.bursts)
      for (auto& frame : run.frames) frame += all.size();
    bursts = std::move(video.bursts);
    all = joined(std::move(all), video.frames);
  } else {
    all = drawn_faces(
        60, 5000,
        1);  // stands in for photographs where there are none: the way is walked, and no more
  }
  const auto split =
      datasets::split_by(all.person, shares_of(settings, "photographs.split"),
                         seed_of({"dynamic_face", "photographs", std::to_string(seed)}));
  Photographs parts{all.at(split.train), all.at(split.validation), {all.at(split.test)}};
  std::map<std::int64_t, std::int64_t> place;  // of a test frame among them
  for (std::size_t i = 0; i < split.test.size(); ++i)
    place[split.test[i]] = static_cast<std::int64_t>(i);
  for (auto run : bursts) {
    if (!std::ranges::all_of(run.frames, [&](std::int64_t f) { return place.contains(f); }))
      continue;
    for (auto& frame : run.frames) frame = place.at(frame);
    parts.test.bursts.push_back(std::move(run));
  }
  return parts;
}

/// hard: 0 to 1, of the turns and of what goes wrong. A network that meets the hardest pictures
/// first stays at the mean face.
datasets::MotionOptions camera(const Settings& settings, std::int64_t frames, double hard) {
  datasets::MotionOptions options;
  options.frames = frames;
  options.size = settings.integer("photographs.size");
  options.degradation = hard * settings.number("photographs.degradation");
  options.gray = false;
  options.turn = 5 + hard * 40;
  options.zoom = 0.08, options.shift = 0.04;
  options.enlarged = window.margin, options.enlarged_spread = 0.25, options.offset = 0.1;
  return options;
}

Seen filmed(const Pool& pool, std::int64_t count, std::int64_t frames, const Settings& settings,
            const Random& random, double hard = 1) {
  auto who = random.split("who");
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t i = 0; i < count; ++i) runs.push_back({who.below(std::ssize(pool.pictures))});
  const auto clips =
      datasets::faces_in_motion(pool.pictures, at::stack(pool.landmarks), runs,
                                camera(settings, frames, hard), random.split("camera"));
  return {clips.frames, {datasets::estimate_pose(clips.landmarks), clips.landmarks, {}}};
}

/// Both errors in one number: landmarks as a part of the box's diagonal, and a hundredth of the
/// pose's degrees.
double both_errors(const at::Tensor& outputs, const Truth& truth, std::int64_t side) {
  const auto off = metrics::landmark_error(landmarks_of(outputs, side).flatten(0, -3),
                                           truth.landmarks.flatten(0, -3));
  return metrics::mean_error(off) + metrics::pose_error(pose_of(outputs), truth.pose).mean / 100;
}

Pool training_pool(const Photographs& photographs, bool with_photographs, const Settings& settings,
                   std::int64_t seed) {
  Pool pool;
  if (with_photographs) pool.add(photographs.train);
  pool.add(drawn_faces(settings.integer("photographs.drawn"), 10000 + 2000 * seed,
                       seed_of({"dynamic_face", "drawn", std::to_string(seed)})));
  return pool;
}

constexpr auto protocol = "landmarks and a hundredth of the pose, photographs/validation";

/// What the cells of a replicate have in common.
struct Work {
  const Settings settings;  ///< own_settings()
  CellContext& context;
  Photographs photographs;
  Pool pool, held_out;
  Random random;
  std::int64_t side = 0;
  at::Tensor mean;  ///< of what frames are learnt towards: pose and landmarks
};

/// The network before it learns: its output is near the mean.
models::Backbone start_network(const Work& work, std::int64_t draw) {
  const auto& cell = work.context.record.cell;
  auto network = new_network(output, work.settings, cell.method,
                             data_seed(work.context.settings, cell.seed), draw);
  models::start_at(network, work.mean);
  network->to(at::Device(work.context.device));
  return network;
}

/// Leaves weights.safetensors for what starts from this network.
void learn_frames(models::Backbone& network, const Work& work, records::Curves& curves) {
  const auto& settings = work.settings;
  auto& context = work.context;
  const auto& cell = context.record.cell;
  const auto validation = filmed(work.held_out, settings.integer("photographs.validation"), 1,
                                 settings, work.random.split("validation"));
  const auto ramp = 0.3 * static_cast<double>(settings.integer("photographs.epochs"));
  const auto seed =
      seed_of({"dynamic_face", "photographs", cell.method, std::to_string(cell.seed)});
  const auto error_of = [&](const at::Tensor& outputs) {
    return both_errors(outputs, validation.truth, work.side);
  };
  const auto report = train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    if (draw > 0) network = start_network(work, draw);
    const FrameTraining how{
        .section = "photographs",
        .output = output,
        .seed = seed_of_draw(seed, draw),
        .draw =
            [&](std::int64_t count, std::int64_t epoch, Random& random) {
              return filmed(work.pool, count, 1, settings, random,
                            std::min(1.0, static_cast<double>(epoch) / ramp));
            },
        .validate = [&] { return error_of(frame_outputs(network, validation.images).outputs); }};
    return {.report = train_frames(network, how, context),
            .trivial_error = error_of(
                work.mean.expand({validation.images.size(0), validation.images.size(1), -1})),
            .live_units = least_live_fraction(network, validation.images.flatten(0, 1), input_of)};
  });
  training::save_weights(*network, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  note_training(report, settings.number("photographs.learning_rate"), "", protocol, context.record,
                curves);
}

/// FC-GRU on the features of the network, which has learned before.
std::unique_ptr<training::SequenceNetwork> learn_clips(models::Backbone& network, const Work& work,
                                                       records::Curves& curves) {
  const auto& settings = work.settings;
  const auto clips = [&](const Pool& from, std::int64_t count, const char* name) {
    const auto seen = filmed(from, count, settings.integer("photographs.clip_frames"), settings,
                             work.random.split(name));
    return std::pair{frame_outputs(network, seen.images).features, seen.truth};
  };
  const auto count = settings.integer("photographs.clips");
  const auto train = clips(work.pool, count, "clips");
  const auto held = clips(work.held_out, std::max<std::int64_t>(8, count / 10), "validation clips");
  Random weights(seed_of({"dynamic_face", "photographs", "weights",
                          std::to_string(data_seed(settings, work.context.record.cell.seed))}));
  auto recurrent = method_named("fc_gru_joint")
                       .make(network, settings, settings.number("sequence.dropout"), weights);
  recurrent->to(at::Device(work.context.device));
  const SequenceTask task{
      .films = {{train.first.to(at::kHalf), target_of(output, train.second, work.side)}},
      .loss = [](const at::Tensor& outputs,
                 const at::Tensor& truth) { return squared_error(outputs, truth); },
      .validate =
          [&] {
            return both_errors(predict_clips(*recurrent, held.first), held.second, work.side);
          },
      .settings = "sequence",
      .search = "search",
      .batch = settings.integer("sequence.batch"),
      .judge_start = true};
  const double rate = settings.number("photographs.sequence_rate");
  note_training(train_sequence(*recurrent, task, rate, work.context), rate, "",
                fmt::format("{} clips", protocol), work.context.record, curves);
  return recurrent;
}

/// The cell whose network FC-GRU starts from.
records::Cell network_below(records::Cell cell) {
  cell.method = "photographed";
  return cell;
}

std::int64_t people_in(const LandmarkFrames& frames) {
  return std::ssize(std::set(frames.person.begin(), frames.person.end()));
}

}  // namespace

const std::vector<Photographer>& photographers() {
  static const std::vector<Photographer> all{
      {"mean_face", "mean face, looking ahead", false, false, ""},
      {"drawn", "per frame, drawn heads alone", false, true, "cnn_joint"},
      {"photographed", "per frame, photographs and drawn heads", true, true, "cnn_joint"},
      {"photographed_gru", "FC-GRU on it", true, true, "fc_gru_joint"}};
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
    if (seed >= data_seeds(settings)) continue;
    for (const auto& method : photographers()) {
      PlannedCell planned{.cell = cell("photographs", method.name, seed), .missing = missing};
      planned.cell.dataset = faces;
      if (method.tracker == "fc_gru_joint") planned.needs = {network_below(planned.cell)};
      planned.reads = {"replicates", "methods",  "tracks",     "heads",
                       "image",      "sequence", "photographs"};
      cells.push_back(std::move(planned));
    }
  }
  return cells;
}

void run_photographs(CellContext& context) {
  auto& record = context.record;
  const auto seed = data_seed(context.settings, record.cell.seed);
  const auto& method = find_named(photographers(), "method on photographs", record.cell.method);
  Work work{
      .settings = own_settings(context.settings),
      .context = context,
      .photographs = load(context.settings, context.data, seed),
      .pool = {},
      .held_out = {},
      .random = Random(seed_of({"dynamic_face", "photographs", "films", std::to_string(seed)})),
      .side = context.settings.integer("photographs.size"),
      .mean = {}};
  work.pool = training_pool(work.photographs, method.photographs, work.settings, seed);
  work.held_out.add(work.photographs.validation);
  record.parameters["people_training"] = people_in(work.photographs.train);
  record.parameters["people_test"] = people_in(work.photographs.test.frames);
  work.mean =
      target_of(output, filmed(work.pool, 512, 1, work.settings, work.random.split("mean")).truth,
                work.side)
          .flatten(0, 1)
          .mean(0);
  auto network = start_network(work, 0);
  auto constant = work.mean.clone();
  constant.narrow(0, 0, 3).zero_();  // the mean face, looking ahead
  std::unique_ptr<training::SequenceNetwork> recurrent;
  records::Curves curves;
  if (method.tracker == "cnn_joint") learn_frames(network, work, curves);
  if (method.tracker == "fc_gru_joint") {
    training::load_weights(
        *network, context.store.folder(network_below(record.cell)) / "weights.safetensors");
    recurrent = learn_clips(network, work, curves);
  }
  const Follower follow = [&](const at::Tensor& pictures) -> at::Tensor {
    if (!method.learns) return constant.expand({pictures.size(0), constant.size(0)});
    const auto [outputs, features] = frame_outputs(network, pictures.unsqueeze(0));
    return recurrent ? predict_clips(*recurrent, features)[0] : outputs[0];
  };
  TrackerEvaluation evaluation(work.photographs.test, window, follow, work.side);
  evaluation.measure_stills(record);
  evaluation.measure_sway(record);
  evaluation.measure_bursts(record);
  if (is_shown(context.settings, record.cell.seed))
    evaluation.draw_faces(context.folder / "faces.png");
  if (!method.tracker.empty())
    write_tracker(context.folder / "tracker.safetensors", method_named(method.tracker),
                  work.settings, *network, recurrent.get(), window);
  context.store.write_curves(record.cell, curves);
}

}  // namespace reprise::reproduce::dynamic_face_study
