// Cells without recurrence: the CNN on stills, and features of clips by its frozen trunk.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "datasets/formats/images.h"
#include "datasets/generators/faces_in_motion.h"
#include "experiments/base_network.h"
#include "experiments/landmark_task.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/cells.h"
#include "reproduce/prernn/clips.h"
#include "reproduce/prernn/datasets.h"
#include "reproduce/prernn/faces.h"
#include "reproduce/prernn/measure.h"
#include "training/module_state.h"

namespace reprise::reproduce::prernn_study {
namespace {

using datasets::MotionClips;
using datasets::MotionOptions;
using ClipRuns = std::vector<std::vector<std::int64_t>>;  ///< indices of the pictures of each clip

MotionOptions camera_options(const Settings& settings) {
  const auto period = settings.numbers("camera.period");
  if (period.size() != 2 || period[0] <= 0 || period[1] < period[0])
    throw UsageError("camera.period is not a range",
                     "give two numbers, low and high, as [20.0, 60.0]");
  MotionOptions camera;
  camera.frames = settings.integer("camera.frames");
  camera.size = settings.integer("image.size");
  camera.period_low = period[0];
  camera.period_high = period[1];
  camera.degradation = settings.number("camera.degradation");
  camera.gray = false;
  return camera;
}

/// Adds mirror images of the stills, which doubles the training faces of the CNN.
FacePool with_mirrors(FacePool pool) {
  const auto count = pool.stills.size();
  for (std::size_t i = 0; i < count; ++i)
    pool.stills.push_back(datasets::mirror_image(pool.stills[i]));
  pool.landmarks = at::cat(
      {pool.landmarks, datasets::mirror_landmarks(pool.landmarks, pool.stills.front().size(1))});
  return pool;
}

/// Generates n synthetic clips of random stills.
MotionClips make_synthetic_clips(const FacePool& pool, std::int64_t n, const MotionOptions& camera,
                                 const Random& random) {
  // Faces and camera have separate random streams: another camera shows the same faces.
  auto who = random.split("who");
  ClipRuns runs;
  for (std::int64_t i = 0; i < n; ++i)
    runs.push_back({who.below(static_cast<std::int64_t>(pool.stills.size()))});
  return datasets::generate_face_motion(pool.stills, pool.landmarks, runs, camera,
                                        random.split("camera"));
}

/// Generates one clip per still.
MotionClips make_still_clips(const FacePool& pool, const MotionOptions& camera,
                             const Random& random) {
  ClipRuns runs;
  for (std::size_t i = 0; i < pool.stills.size(); ++i)
    runs.push_back({static_cast<std::int64_t>(i)});
  return datasets::generate_face_motion(pool.stills, pool.landmarks, runs, camera, random);
}

/// Makes one clip per burst. The camera does not move; its offset is that of a face detector, so
/// only the head moves.
MotionClips make_burst_clips(const FacePool& pool, MotionOptions camera, const Random& random) {
  camera.frames = pool.burst_length;
  camera.camera = 0;
  camera.degradation = 0;
  ClipRuns runs;
  for (std::int64_t f = 0; f < static_cast<std::int64_t>(pool.burst_frames.size());
       f += pool.burst_length) {
    auto& run = runs.emplace_back(pool.burst_length);
    std::iota(run.begin(), run.end(), f);
  }
  return datasets::generate_face_motion(pool.burst_frames, pool.burst_landmarks, runs, camera,
                                        random);
}

/// Normalises frames [M, S, S, 3] -> network input [M, 3, S, S]. Mean 0 and standard deviation 1
/// per frame remove brightness and contrast.
at::Tensor frame_input(const at::Tensor& frames) {
  const auto x = frames.permute({0, 3, 1, 2}).to(at::kFloat).flatten(1);
  const auto centred = x - x.mean(1, true);
  // 4 gray levels are added, so that the noise of a nearly uniform frame is not amplified.
  return (centred / (centred.square().mean(1, true).sqrt() + 4))
      .view({frames.size(0), 3, frames.size(1), frames.size(2)});
}

/// Returns a camera at rest, upright and centred on the face: clean stills.
MotionOptions at_rest(MotionOptions camera) {
  camera.frames = 1;
  camera.camera = 0;
  camera.jitter = 0;
  camera.degradation = 0;
  return camera;
}

/// Returns the moving camera for a single frame.
MotionOptions one_frame(MotionOptions camera) {
  camera.frames = 1;
  return camera;
}

constexpr std::int64_t frames_at_once = 128;  ///< limits memory, not results

/// Returns the errors of the CNN on all frames of the clips.
at::Tensor frame_errors(models::Backbone& cnn, const MotionClips& clips) {
  const auto frames = clips.frames.flatten(0, 1);
  const auto predicted = run_in_pieces(*cnn, frames, frames_at_once, [&](const at::Tensor& piece) {
    return decode_landmarks(cnn(frame_input(piece)), frames.size(1));
  });
  return metrics::landmark_error(predicted, clips.landmarks.flatten(0, 1));
}

/// Returns the features of the CNN's trunk for frames [N, T, S, S, 3]: [N, T, n], float16.
at::Tensor encode_frames(models::Backbone& cnn, const at::Tensor& frames) {
  const auto layer = models::features_layer(cnn);
  const auto features =
      run_in_pieces(*cnn, frames.flatten(0, 1), frames_at_once, [&](const at::Tensor& piece) {
        return cnn->features(frame_input(piece), layer).flatten(1).to(at::kHalf);
      });
  return features.unflatten(0, {frames.size(0), frames.size(1)});
}

/// Returns the degradation of training frames, which rises over the first epochs. A network that
/// starts with the worst frames only learns the mean shape.
double degradation_at(std::int64_t epoch, const Settings& settings) {
  const double full = settings.number("camera.degradation");
  const double ramp = settings.number("cnn.ramp");  // fraction of the epochs
  if (ramp <= 0) return full;
  // The ramp begins at a fifth of the full strength.
  return full *
         std::min(1.0, 0.2 + 0.8 * static_cast<double>(epoch) /
                                 (ramp * static_cast<double>(settings.integer("cnn.epochs"))));
}

BaseTraining train_cnn(models::Backbone& cnn, const Faces& faces, const at::Tensor& mean_face,
                       std::int64_t draw, CellContext& context) {
  const auto& settings = context.settings;
  const auto camera = one_frame(camera_options(settings));
  const auto seed = seed_of({"prernn", "stills", std::to_string(context.record.cell.seed)});
  const auto batch = settings.integer("cnn.batch");
  const auto validation =
      make_synthetic_clips(faces.validation, settings.integer("cnn.validation_frames"), camera,
                           Random(seed).split("validation"));
  // Validation frames are made once; training frames are new in every batch.
  const auto pool = with_mirrors(faces.train);
  training::Task task;
  task.batches_per_epoch =
      std::max<std::int64_t>(1, settings.integer("cnn.frames_an_epoch") / batch);
  task.batch = [&](std::int64_t epoch, std::int64_t, Random& random) -> training::Batch {
    auto now = camera;
    // Degradation rises over the first epochs (cnn.ramp).
    now.degradation = degradation_at(epoch, settings);
    const auto clips = make_synthetic_clips(pool, batch, now, random);
    const auto device = device_of(*cnn);
    return {.x = frame_input(clips.frames.flatten(0, 1).to(device)),
            .y = encode_landmarks(clips.landmarks.flatten(0, 1), now.size).to(device)};
  };
  task.loss = point_distance;
  task.validate = [&] { return metrics::mean_error(frame_errors(cnn, validation)); };
  const auto frames = validation.frames.flatten(0, 1);
  const auto truth = validation.landmarks.flatten(0, 1);
  // Trivial error: the mean training face for every frame.
  const auto constant = decode_landmarks(mean_face.expand({truth.size(0), -1}), frames.size(1));
  return {.report = train_on_frames(cnn, "cnn", task, seed_of_draw(seed, draw), context),
          .trivial_error = metrics::mean_error(metrics::landmark_error(constant, truth)),
          .live_units = least_live_fraction(cnn, frames, frame_input)};
}

/// Returns the mean target of the training stills.
at::Tensor average_face(const Faces& faces, const Settings& settings) {
  const auto clean = make_still_clips(faces.train, at_rest(camera_options(settings)), Random(0));
  return encode_landmarks(clean.landmarks.flatten(0, 1), settings.integer("image.size")).mean(0);
}

}  // namespace

models::Backbone face_network(const Settings& settings, std::int64_t seed, std::int64_t draw) {
  Random random(seed_of_draw(seed_of({"prernn", "cnn", std::to_string(seed)}), draw));
  return models::make_small_network({.channels = 3,
                                     .size = settings.integer("image.size"),
                                     .trunk = settings.text("cnn.trunk"),
                                     .batch_norm = !settings.flag("paper.full_size"),
                                     .width = settings.integer("cnn.width")},
                                    random);
}

models::Backbone trained_face_network(const CellContext& context) {
  // The CNN of the same seed, or of seed 0 if all seeds share their data.
  auto cell = context.record.cell;
  const auto stills = stills_dataset(cell.dataset);
  cell.table = "cnn";
  cell.dataset = stills;
  cell.method = "cnn";
  cell.seed = data_seed(context.settings, cell.seed);
  // Committed weights belong to a network for `stills`, not for generated heads.
  std::filesystem::path file;
  if (stills == "stills")
    file = committed_weights(context.settings.text("cnn.weights"), context.data);
  if (file.empty()) file = context.store.folder(cell) / "weights.safetensors";
  auto cnn = face_network(context.settings, cell.seed);
  training::load_weights(*cnn, file);
  return cnn;
}

void run_cnn(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  const auto faces = load_faces(face_source(record.cell.dataset, settings), settings, context.data,
                                record.cell.seed);
  // The output starts at the mean face, so that no epoch is spent on finding it.
  const auto mean_face = average_face(faces, settings);
  models::Backbone cnn(nullptr);
  const auto report = train_base_network(context, "", [&](std::int64_t draw) {
    cnn = face_network(settings, record.cell.seed, draw);
    models::start_output_at(cnn, mean_face);
    // At full size all layers but the output start from published weights.
    if (settings.flag("paper.full_size")) load_vgg16(cnn, published_file("vgg16", context.data));
    cnn->to(at::Device(context.device));
    return train_cnn(cnn, faces, mean_face, draw, context);
  });
  training::save_weights(*cnn, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");

  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
  // Test stills at rest measure the CNN alone; under the moving camera they are as in the clips.
  const auto camera = camera_options(settings);
  measure_error(frame_errors(cnn, make_still_clips(faces.test, at_rest(camera), Random(0))),
                "clean stills", "", record);
  const Random moving(seed_of({"prernn", "moving stills", std::to_string(record.cell.seed)}));
  measure_error(frame_errors(cnn, make_still_clips(faces.test, one_frame(camera), moving)),
                "moving camera", "camera", record);
  record.metrics.push_back({.name = "validation_error",
                            .value = training::best_error(report),
                            .unit = "",
                            .direction = records::Direction::LowerIsBetter,
                            .protocol = "moving camera/validation"});
  record.metrics.push_back({.name = "best_epoch",
                            .value = static_cast<double>(report.best_epoch + 1),
                            .unit = "",
                            .direction = records::Direction::Neither,
                            .protocol = ""});
  record.parameters["all"] = count_weights(*cnn);
  context.store.write_curves(record.cell, {{"validation_error", report.validation_error},
                                           {"train_loss", report.train_loss}});
}

ClipMaker::ClipMaker(const std::string& dataset, std::int64_t seed, const Settings& settings,
                     const DataFolder& data)
    : faces_(load_faces(face_source(dataset, settings), settings, data, seed)),
      camera_(camera_options(settings)),
      random_(seed_of({"prernn", "clips", dataset, std::to_string(seed)})),
      synthetic_(study_dataset(dataset).content == StudyDataset::Content::SyntheticFaceClips),
      settings_(settings) {}

MotionClips ClipMaker::part(const FacePool& pool, const std::string& name,
                            std::int64_t index) const {
  const auto random = random_.split(name, index);
  return synthetic_
             ? make_synthetic_clips(pool, settings_.integer("clips." + name), camera_, random)
             : make_burst_clips(pool, camera_, random);
}

MotionClips ClipMaker::training(std::int64_t version) const {
  return part(faces_.train, "training", version);
}
MotionClips ClipMaker::validation() const { return part(faces_.validation, "validation", 0); }
MotionClips ClipMaker::test() const { return part(faces_.test, "test", 0); }

void run_features(CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  constexpr std::int64_t shown = 64;  // number of test clips whose frames are stored
  auto cnn = trained_face_network(context);
  cnn->to(at::Device(context.device));
  const ClipMaker maker(cell.dataset, cell.seed, settings, context.data);
  const auto encode = [&](const MotionClips& clips) -> ClipSet {
    return {.features = encode_frames(cnn, clips.frames), .landmarks = clips.landmarks};
  };
  ClipSets sets;
  const auto versions = settings.integer("clips.versions");
  for (std::int64_t version = 0; version < versions; ++version) {
    sets.train.push_back(encode(maker.training(version)));
    context.progress.update(
        // Validation and test clips count as two more versions.
        static_cast<double>(version + 1) / static_cast<double>(versions + 2), "generating clips");
  }
  sets.validation = encode(maker.validation());
  const auto test = maker.test();
  sets.test = encode(test);
  // Damaged frames and some pictures of the test serve measurements and the gallery.
  sets.test_damaged = test.damaged;
  sets.test_frames = test.frames.narrow(0, 0, std::min(shown, test.frames.size(0))).contiguous();
  write_clips(context.folder / "clips.safetensors", sets);
  const auto count = [&](const std::string& name, const ClipSet& set) {
    context.record.parameters[name] = set.features.size(0);
  };
  count("clips_training", sets.train.front());
  count("clips_validation", sets.validation);
  count("clips_test", sets.test);
}

}  // namespace reprise::reproduce::prernn_study
