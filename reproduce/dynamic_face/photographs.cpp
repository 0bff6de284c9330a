// Table photographs: networks that `reprise track` follows real faces with, and how they do on people that they never saw.
//
// Faces of 300-W and YouTube Faces (or, without them, drawn ones) under a virtual camera, and drawn heads beside them, which turn further.
// Nobody measured a photograph's pose: it is solved from its true landmarks (datasets/transforms/landmark_pose.h), for training and for
// judging alike. A test picture goes the whole way of `track`: the detector's box, the window, the network.
#include "reproduce/dynamic_face/photographs.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "core/error.h"
#include "datasets/draw.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "datasets/generators/faces_in_motion.h"
#include "datasets/readers/faces_300w.h"
#include "datasets/readers/ytf_keypoints.h"
#include "datasets/scene/synthetic_head.h"
#include "datasets/splits.h"
#include "datasets/transforms/landmark_pose.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"
#include "reproduce/dynamic_face/cells.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "reproduce/names.h"
#include "reproduce/replicates.h"
#include "reproduce/sequence_training.h"
#include "training/fit.h"
#include "training/module_state.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

using datasets::FaceWindow;
using datasets::LandmarkFrames;
using records::Direction;

constexpr auto output = Output::Joint;
/// Camera and window: a square of 1.5 times the landmarks' box, off by as much as a detector's boxes are (face_windows.h).
constexpr datasets::WindowOptions window{.sigma = 0, .margin = 1.5};
constexpr double turned_by = 20;  ///< degrees, a test photograph in the picture

/// The part of the settings that other functions of the study take for their own.
Settings own_settings(const Settings& settings) {
  auto own = settings;
  own.set(fmt::format("image.size={}", settings.integer("photographs.size")));
  own.set(fmt::format("cnn.trunk=\"{}\"", settings.text("photographs.trunk")));
  own.set(fmt::format("cnn.width={}", settings.integer("photographs.width")));
  return own;
}

/// Faces with room around them for the camera to move in.
struct Pool {
  std::vector<at::Tensor> pictures;
  std::vector<at::Tensor> landmarks;
  void add(const LandmarkFrames& from) {
    for (std::int64_t i = 0; i < from.size(); ++i) add(from.images[static_cast<std::size_t>(i)], from.landmarks[i]);
  }
  void add(const at::Tensor& picture, const at::Tensor& points) {
    const auto face = datasets::crop_face(picture, points, {.size = 160, .scale = 2.4});
    pictures.push_back(face.image), landmarks.push_back(face.landmarks);
    pictures.push_back(datasets::mirror_image(face.image));
    landmarks.push_back(datasets::mirror_landmarks(face.landmarks, face.image.size(1)));
  }
};

struct Photographs {
  LandmarkFrames train, validation, test;
  std::vector<datasets::FrameRun> bursts;  ///< of test frames
};

LandmarkFrames drawn_faces(std::int64_t count, std::int64_t first, std::uint64_t seed) {
  std::vector<std::int64_t> people;
  for (std::int64_t i = 0; i < std::max<std::int64_t>(8, count / 10); ++i) people.push_back(first + i);
  const auto heads = datasets::synthetic_stills(count, 128, people, seed, {.pitch = 30, .yaw = 65, .roll = 20});
  LandmarkFrames frames;
  frames.landmarks = heads.landmarks;
  for (std::int64_t i = 0; i < count; ++i) {
    frames.images.push_back(heads.images[i]);
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
    all = drawn_faces(60, 5000, 1);  // stands in for photographs where there are none: the way is walked, and no more
  }
  const auto split = datasets::split_by(all.person, shares_of(settings, "photographs.split"),
                                        seed_of({"dynamic_face", "photographs", std::to_string(seed)}));
  Photographs parts{all.at(split.train), all.at(split.validation), all.at(split.test), {}};
  std::map<std::int64_t, std::int64_t> place;  // of a test frame among them
  for (std::size_t i = 0; i < split.test.size(); ++i) place[split.test[i]] = static_cast<std::int64_t>(i);
  for (auto run : bursts) {
    if (!std::ranges::all_of(run.frames, [&](std::int64_t f) { return place.contains(f); })) continue;
    for (auto& frame : run.frames) frame = place.at(frame);
    parts.bursts.push_back(std::move(run));
  }
  return parts;
}

/// hard: 0 to 1, of the turns and of what goes wrong. A network that meets the hardest pictures first stays at the mean face.
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

/// What a network learns from, and is told of it.
struct Seen {
  at::Tensor images;  ///< uint8 [N, T, S, S, 3]
  Truth truth;
};

Seen filmed(const Pool& pool, std::int64_t count, std::int64_t frames, const Settings& settings, const Random& random, double hard = 1) {
  auto who = random.split("who");
  std::vector<std::vector<std::int64_t>> runs;
  for (std::int64_t i = 0; i < count; ++i) runs.push_back({who.below(std::ssize(pool.pictures))});
  const auto clips =
      datasets::faces_in_motion(pool.pictures, at::stack(pool.landmarks), runs, camera(settings, frames, hard), random.split("camera"));
  return {clips.frames, {datasets::pose_of_landmarks(clips.landmarks), clips.landmarks, {}}};
}

/// Both errors in one number: landmarks as a part of the box's diagonal, and a hundredth of the pose's degrees.
double both_errors(const at::Tensor& outputs, const Truth& truth, std::int64_t side) {
  const auto off = metrics::landmark_error(landmarks_of(outputs, side).flatten(0, -3), truth.landmarks.flatten(0, -3));
  return metrics::mean_error(off) + metrics::pose_error(pose_of(outputs), truth.pose).mean / 100;
}

training::FitReport train_frames(models::Backbone& network, const Pool& pool, const Seen& validation, CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto seed = seed_of({"dynamic_face", "photographs", cell.method, std::to_string(cell.seed)});
  const auto batch = settings.integer("photographs.batch"), side = settings.integer("photographs.size");
  training::Task task;
  task.batches_per_epoch = std::max<std::int64_t>(1, settings.integer("photographs.frames_an_epoch") / batch);
  const auto ramp = 0.3 * static_cast<double>(settings.integer("photographs.epochs"));
  task.batch = [&](std::int64_t epoch, std::int64_t, Random& random) -> training::Batch {
    const auto seen = filmed(pool, batch, 1, settings, random, std::min(1.0, static_cast<double>(epoch) / ramp));
    const auto device = device_of(*network);
    return {input_of(seen.images.to(device)), target_of(output, seen.truth, side).flatten(0, 1).to(device)};
  };
  task.forward = [&](const torch::Tensor& x) { return network(x); };
  task.loss = squared_error;
  task.validate = [&] { return both_errors(frame_outputs(network, validation.images).outputs, validation.truth, side); };
  const auto options =
      fit_options(settings, "photographs", settings.integer("photographs.epochs"), seed, context.folder / "checkpoint.safetensors");
  return training::fit(*network, {{network->parameters(), settings.number("photographs.learning_rate")}}, task, options, context.progress);
}

/// What follows a face: pictures of one face, one after another, as track gives them -> outputs, [T, 139].
using Follower = std::function<at::Tensor(const at::Tensor& pictures)>;

at::Tensor turned(const at::Tensor& picture, double degrees) {
  const double a = degrees * std::numbers::pi / 180, c = std::cos(a), s = std::sin(a);
  const double x = static_cast<double>(picture.size(1) - 1) / 2, y = static_cast<double>(picture.size(0) - 1) / 2;
  return datasets::warp_image(picture, {c, -s, x - c * x + s * y, s, c, y - s * x - c * y}, picture.size(0));
}

/// The same photograph seen by a camera that sways and does not turn: the head's pose is the same in all frames.
std::vector<at::Tensor> swaying(const at::Tensor& picture, std::int64_t frames) {
  std::vector<at::Tensor> out;
  const auto side = static_cast<double>(picture.size(0));
  for (std::int64_t t = 0; t < frames; ++t) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(t) / 24, scale = 1 + 0.06 * std::sin(1.7 * phase);
    const double dx = 0.06 * side * std::sin(phase), dy = 0.04 * side * std::cos(phase), middle = (side - 1) / 2;
    out.push_back(
        datasets::warp_image(picture, {scale, 0, middle * (1 - scale) + dx, 0, scale, middle * (1 - scale) + dy}, picture.size(0)));
  }
  return out;
}

double median(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}
double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const auto value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// What the way of `track` makes of test pictures.
class Judge {
 public:
  Judge(const Photographs& photographs, const Follower& follow, std::int64_t side)
      : test_(photographs.test), bursts_(photographs.bursts), follow_(follow), side_(side), detect_(datasets::open_face_detector()) {}

  void stills(CellContext& context);
  void sway(CellContext& context);
  void moving(CellContext& context);
  void draw(const std::filesystem::path& path);

 private:
  struct Estimate {
    std::array<double, 3> pose;
    at::Tensor landmarks;  ///< [68, 2], pixels of the picture
    FaceWindow window;
  };
  /// Frames of one face, the windows found frame by frame; frames before the first detection have none.
  std::vector<std::optional<Estimate>> tracked(const std::vector<at::Tensor>& frames, double sigma);
  double error_of(const Estimate& estimate, const at::Tensor& landmarks) const {
    return metrics::landmark_error(estimate.landmarks.unsqueeze(0), landmarks.unsqueeze(0).to(at::kDouble))[0].item<double>();
  }
  static void add(CellContext& context, const char* name, double value, const char* unit, Direction direction, const char* protocol) {
    if (std::isfinite(value)) context.record.metrics.push_back({name, value, unit, direction, protocol});
  }

  const LandmarkFrames& test_;
  const std::vector<datasets::FrameRun>& bursts_;
  const Follower& follow_;
  std::int64_t side_;
  datasets::FaceDetector detect_;
};

std::vector<std::optional<Judge::Estimate>> Judge::tracked(const std::vector<at::Tensor>& frames, double sigma) {
  auto options = window;
  options.sigma = sigma;
  datasets::CausalWindows windows(options);
  std::vector<std::optional<Estimate>> estimates(frames.size());
  std::vector<at::Tensor> pictures;
  std::vector<std::pair<std::size_t, FaceWindow>> of;
  for (std::size_t t = 0; t < frames.size(); ++t) {
    const auto faces = windows.next(detect_(frames[t]));
    if (faces.empty()) continue;
    pictures.push_back(datasets::crop_window(frames[t], faces.front().window, side_));
    of.emplace_back(t, faces.front().window);
  }
  if (pictures.empty()) return estimates;
  const auto outputs = follow_(at::stack(pictures));
  for (std::size_t i = 0; i < of.size(); ++i) {
    const auto& [frame, found] = of[i];
    Estimate estimate{.pose = {}, .landmarks = {}, .window = found};
    const auto pose = pose_of(outputs[static_cast<std::int64_t>(i)]);
    for (std::size_t a = 0; a < 3; ++a) estimate.pose[a] = pose[static_cast<std::int64_t>(a)].item<double>();
    estimate.landmarks =
        datasets::points_in_frame(landmarks_of(outputs[static_cast<std::int64_t>(i)], side_), estimate.window, side_).to(at::kDouble);
    estimates[frame] = estimate;
  }
  return estimates;
}

void Judge::stills(CellContext& context) {
  std::vector<double> off, yaw, roll, follows, always_zero;
  std::int64_t found = 0, found_turned = 0, all = 0;
  for (std::int64_t i = 0; i < test_.size(); i += std::max<std::int64_t>(1, test_.size() / 400)) {
    const auto& picture = test_.images[static_cast<std::size_t>(i)];
    ++all;
    const auto truth = datasets::pose_of_landmarks(test_.landmarks[i]);
    if (const auto face = tracked({picture}, 0).front()) {
      ++found;
      off.push_back(100 * error_of(*face, test_.landmarks[i]));
      yaw.push_back(std::abs(face->pose[1] - truth[1].item<double>()));
      roll.push_back(std::abs(face->pose[2] - truth[2].item<double>()));
      always_zero.push_back(std::abs(truth[1].item<double>()));
    }
    const auto left = tracked({turned(picture, -turned_by)}, 0).front(), right = tracked({turned(picture, turned_by)}, 0).front();
    if (!left || !right) continue;
    ++found_turned;
    follows.push_back(std::abs(right->pose[2] - left->pose[2] - 2 * turned_by));
  }
  const auto share = [&](std::int64_t count) { return static_cast<double>(count) / static_cast<double>(all); };
  add(context, "found", share(found), "", Direction::HigherIsBetter, "test photographs in which the cascade finds a face");
  add(context, "found_turned", share(found_turned), "", Direction::HigherIsBetter, "the same, turned by 20 degrees either way");
  add(context, "landmarks", median(off), "%", Direction::LowerIsBetter, "median over faces found, of the box's diagonal");
  add(context, "yaw", mean(yaw), "deg", Direction::LowerIsBetter, "mean, against the pose solved from the true landmarks");
  add(context, "yaw_zero", mean(always_zero), "deg", Direction::Neither, "of always saying 0, on the same faces");
  add(context, "roll", mean(roll), "deg", Direction::LowerIsBetter, "mean, against the pose solved from the true landmarks");
  add(context, "roll_follows", median(follows), "deg", Direction::LowerIsBetter,
      "median difference of the roll of a photograph turned by 20 and by -20 degrees from 40");
}

void Judge::sway(CellContext& context) {
  std::vector<double> yaw;
  for (std::int64_t i = 0; i < test_.size(); i += std::max<std::int64_t>(1, test_.size() / 30)) {
    std::vector<double> seen;
    for (const auto& estimate : tracked(swaying(test_.images[static_cast<std::size_t>(i)], 48), 3))
      if (estimate) seen.push_back(estimate->pose[1]);
    if (seen.size() < 24) continue;
    const double middle = mean(seen);
    double square = 0;
    for (const auto value : seen) square += (value - middle) * (value - middle);
    yaw.push_back(std::sqrt(square / static_cast<double>(seen.size())));
  }
  add(context, "sway", median(yaw), "deg", Direction::LowerIsBetter,
      "standard deviation of the yaw of a photograph that sways and does not turn, median over photographs");
}

void Judge::moving(CellContext& context) {
  std::vector<double> off;
  for (std::size_t b = 0; b < bursts_.size(); ++b) {
    std::vector<at::Tensor> frames;
    for (const auto f : bursts_[b].frames) frames.push_back(test_.images[static_cast<std::size_t>(f)]);
    const auto estimates = tracked(frames, 0);
    for (std::size_t t = 0; t < estimates.size(); ++t)
      if (const auto& estimate = estimates[t]) off.push_back(100 * error_of(*estimate, test_.landmarks[bursts_[b].frames[t]]));
  }
  add(context, "landmarks_bursts", median(off), "%", Direction::LowerIsBetter, "median over frames of bursts, of the box's diagonal");
}

void Judge::draw(const std::filesystem::path& path) {
  std::vector<at::Tensor> pictures;
  for (std::int64_t i = 0; i < test_.size() && pictures.size() < 8; i += std::max<std::int64_t>(1, test_.size() / 9)) {
    const auto& picture = test_.images[static_cast<std::size_t>(i)];
    const double angle = pictures.size() % 3 == 2 ? turned_by : 0;
    const auto large = datasets::squeezed(angle == 0 ? picture : turned(picture, angle), 240);
    auto shown = large.contiguous().clone();
    if (const auto face = tracked({large}, 0).front()) datasets::draw_face(shown, face->window, face->pose, face->landmarks);
    pictures.push_back(shown);
  }
  if (!pictures.empty()) datasets::write_png(path, at::cat(pictures, 1));
}

const std::vector<Photographer>& all_of_them() {
  static const std::vector<Photographer> all{{"mean_face", "mean face, looking ahead", false, false, ""},
                                             {"drawn", "per frame, drawn heads alone", false, true, "cnn_joint"},
                                             {"photographed", "per frame, photographs and drawn heads", true, true, "cnn_joint"},
                                             {"photographed_gru", "FC-GRU on it", true, true, "fc_gru_joint"}};
  return all;
}

Pool training_pool(const Photographs& photographs, bool with_photographs, const Settings& settings, std::int64_t seed) {
  Pool pool;
  if (with_photographs) pool.add(photographs.train);
  pool.add(
      drawn_faces(settings.integer("photographs.drawn"), 10000 + 2000 * seed, seed_of({"dynamic_face", "drawn", std::to_string(seed)})));
  return pool;
}

/// The output starts at the mean of what is to be learned.
void start_at(models::Backbone& network, const Seen& seen, std::int64_t side) {
  const torch::NoGradGuard no_gradient;
  const auto& out = network->stages().back().parts.back().map;
  out->weight.mul_(0.1);
  out->bias.copy_(target_of(output, seen.truth, side).flatten(0, 1).mean(0));
}

}  // namespace

const std::vector<Photographer>& photographers() { return all_of_them(); }

std::vector<PlannedCell> plan_photographs(const Settings& settings, const DataFolder& data) {
  const auto source = settings.text("photographs.source");
  if (source == "none") return {};
  if (source != "real" && source != "drawn")
    throw UsageError(fmt::format("photographs.source is \"{}\"", source), "set it to real, drawn or none");
  for (const auto* set : {"faces_300w", "ytf_keypoints"})
    if (source == "real" && !data.has(set))
      throw UsageError(fmt::format("this profile needs photographs of faces; missing: {} below --data {}", set, data.shown()),
                       "give the folder that holds it with --data DIR, or run with --set photographs.source=none");
  settings.at_least({"photographs.epochs", "photographs.frames_an_epoch", "photographs.batch", "photographs.size", "photographs.clips"}, 1);
  std::vector<PlannedCell> cells;
  const double frames = static_cast<double>(settings.integer("photographs.epochs") * settings.integer("photographs.frames_an_epoch"));
  for (std::int64_t seed = 0; seed < data_seeds(settings); ++seed)
    for (const auto& method : photographers()) {
      PlannedCell planned{.cell = cell("photographs", method.name, seed), .cost = 60};
      planned.cell.dataset = faces;
      if (method.learns && method.tracker == "cnn_joint") planned.cost = 2.5e-3 * frames;
      if (method.tracker == "fc_gru_joint") {
        auto below = planned.cell;
        below.method = "photographed";
        planned.needs = {below};
      }
      for (const auto* section : {"size", "filter", "strength", "search", "end_to_end", "search_end_to_end", "clips", "test", "cnn"})
        planned.apart.emplace_back(section);
      cells.push_back(std::move(planned));
    }
  return cells;
}

void run_photographs(CellContext& context) {
  const auto settings = own_settings(context.settings);
  auto& record = context.record;
  const auto seed = data_seed(settings, record.cell.seed);
  const auto& method = find_named(photographers(), "method on photographs", record.cell.method);
  const auto side = settings.integer("photographs.size");
  const auto photographs = load(settings, context.data, seed);
  const auto pool = training_pool(photographs, method.photographs, settings, seed);
  const Random random(seed_of({"dynamic_face", "photographs", "films", std::to_string(seed)}));
  Pool held_out;
  held_out.add(photographs.validation);
  const auto validation = filmed(held_out, settings.integer("photographs.validation"), 1, settings, random.split("validation"));
  record.parameters["people_training"] =
      static_cast<std::int64_t>(std::set(photographs.train.person.begin(), photographs.train.person.end()).size());
  record.parameters["people_test"] =
      static_cast<std::int64_t>(std::set(photographs.test.person.begin(), photographs.test.person.end()).size());
  auto network = new_network(output, settings, method.name, seed);
  start_at(network, filmed(pool, 512, 1, settings, random.split("mean")), side);
  network->to(at::Device(context.device));
  std::unique_ptr<training::SequenceNetwork> recurrent;
  records::Curves curves;
  if (method.tracker == "cnn_joint") {
    const auto report = train_frames(network, pool, validation, context);
    training::save_weights(*network, context.folder / "weights.safetensors");
    std::filesystem::remove(context.folder / "checkpoint.safetensors");
    note_training(report, settings.number("photographs.learning_rate"), "", "landmarks and a hundredth of the pose, photographs/validation",
                  record, curves);
  } else if (method.tracker == "fc_gru_joint") {
    auto below = record.cell;
    below.method = "photographed";
    training::load_weights(*network, context.store.folder(below) / "weights.safetensors");
    const auto clips = [&](const Pool& from, std::int64_t count, const char* name) {
      const auto seen = filmed(from, count, settings.integer("photographs.clip_frames"), settings, random.split(name));
      return std::pair{frame_outputs(network, seen.images).features, seen.truth};
    };
    const auto train = clips(pool, settings.integer("photographs.clips"), "clips");
    const auto held = clips(held_out, std::max<std::int64_t>(8, settings.integer("photographs.clips") / 10), "validation clips");
    Random weights(seed_of({"dynamic_face", "photographs", "weights", std::to_string(seed)}));
    recurrent = method_named("fc_gru_joint").make(network, settings, weights);
    recurrent->to(at::Device(context.device));
    const auto outputs_of = [&](const at::Tensor& x) {
      const c10::InferenceMode inference;
      recurrent->eval();
      std::vector<at::Tensor> pieces;
      for (const auto& piece : x.split(32)) pieces.push_back(recurrent->forward(piece.to(device_of(*recurrent))).cpu());
      return at::cat(pieces);
    };
    const SequenceTask task{.films = {{train.first.to(at::kHalf), target_of(output, train.second, side)}},
                            .loss = squared_error,
                            .validate = [&] { return both_errors(outputs_of(held.first), held.second, side); },
                            .settings = "sequence",
                            .search = "search",
                            .batch = settings.integer("sequence.batch"),
                            .judge_start = true};
    const double rate = settings.number("photographs.sequence_rate");
    note_training(train_sequence(*recurrent, task, rate, context), rate, "",
                  "landmarks and a hundredth of the pose, photographs/validation clips", record, curves);
  }
  const auto nothing = target_of(output, filmed(pool, 512, 1, settings, random.split("mean")).truth, side).flatten(0, 1).mean(0);
  const Follower follow = [&](const at::Tensor& pictures) -> at::Tensor {
    const c10::InferenceMode inference;
    if (!method.learns) {
      auto constant = nothing.clone();
      constant.narrow(0, 0, 3).zero_();
      return constant.expand({pictures.size(0), constant.size(0)});
    }
    auto [outputs, features] = frame_outputs(network, pictures.unsqueeze(0));
    if (!recurrent) return outputs[0];
    recurrent->eval();
    return recurrent->forward(features.to(device_of(*recurrent))).cpu()[0];
  };
  Judge judge(photographs, follow, side);
  judge.stills(context), judge.sway(context), judge.moving(context);
  if (record.cell.seed == 0) judge.draw(context.folder / "faces.png");
  if (!method.tracker.empty())
    write_tracker(context.folder / "tracker.safetensors", method_named(method.tracker), settings, *network, recurrent.get(), window);
  context.store.write_curves(record.cell, curves);
}

}  // namespace reprise::reproduce::dynamic_face_study
