// Per-frame networks, and clips as features of their trunks.
#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "datasets/generators/generated_tracks.h"
#include "experiments/base_network.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "metrics/pose.h"
#include "models/methods.h"
#include "reproduce/dynamic_face/cells.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::dynamic_face_study {
namespace {

/// Convolutions of VGG16 (Simonyan and Zisserman 2015, configuration D), in the format of
/// SmallNetworkOptions::trunk.
constexpr auto vgg16_trunk = "64 64 p 128 128 p 256 256 256 p 512 512 512 p 512 512 512 p";

/// Returns the network of a cell of tables cnn and size.
FrameNetwork frame_network_for(const records::Cell& cell) {
  return cell.table == "size" ? size_network(cell.method) : frame_network(cell.method);
}

/// Returns the scenes that a network is trained on.
Scenes training_scenes(const SceneParts& parts, const FrameNetwork& network) {
  auto scenes = select_fold(parts.train, network.scenes);
  if (network.heads) scenes.heads.resize(std::min(scenes.heads.size(), *network.heads));
  return scenes;
}

/// Returns the mean target of training frames, [outputs].
at::Tensor mean_target(Output output, const Scenes& scenes, const Settings& settings,
                       std::int64_t seed) {
  Random random(seed_of({"dynamic_face", "mean", std::to_string(seed)}));
  const auto set = make_synhead(scenes, {.kind = "clean"}, settings,
                                seed_of({"dynamic_face", "mean scenes", std::to_string(seed)}));
  constexpr std::int64_t frames = 256;  // the mean only sets the first output bias
  const auto clips = draw_clips(set, frames, 1, /*augment=*/true, random);
  return encode_target(output, clip_truth(clips), settings.integer("image.size"))
      .flatten(0, 1)
      .mean(0);
}

/// Returns clips of each fold of the training scenes, with estimates of the network that never saw
/// its tracks or heads. On scenes that a network was trained on, its errors are too small for
/// methods to learn from.
ClipSet crossfit(const SceneParts& parts, CellContext& context) {
  const auto& settings = context.settings;
  const auto seed = context.record.cell.seed;
  const auto folds = static_cast<std::int64_t>(fold_networks().size());
  std::vector<torch::Tensor> estimates;
  std::vector<torch::Tensor> poses;
  for (std::int64_t k = 0; k < folds; ++k) {
    auto other = trained_network(context, fold_networks()[static_cast<std::size_t>(k)]);
    Random random(seed_of({"dynamic_face", "crossfit", std::to_string(k), std::to_string(seed)}));
    const auto set = make_synhead(
        select_fold(parts.train, {.of = folds, .index = k}), {.kind = settings.text("clips.kind")},
        settings, seed_of({"dynamic_face", "crossfit scenes", std::to_string(seed)}));
    // All folds together have as many clips as the training part.
    const auto count = std::max<std::int64_t>(1, settings.integer("clips.training") / folds);
    const auto clips =
        draw_clips(set, count, settings.integer("clips.frames"), /*augment=*/true, random);
    estimates.push_back(extract_pose(frame_outputs(other, clips.images).outputs));
    poses.push_back(clips.pose);
  }
  return {.features = {},
          .estimates = torch::cat(estimates),
          .truth = {.pose = torch::cat(poses), .landmarks = {}, .landmarks_3d = {}}};
}

}  // namespace

bool starts_from_vgg16(const Settings& settings) { return settings.text("cnn.trunk") == "vgg16"; }

models::SmallNetworkOptions network_options(Output output, const Settings& settings) {
  const bool vgg16 = starts_from_vgg16(settings);
  // fc6 and fc7 have tanh, like the recurrent layers that they become: eq 4 and eq 5 have one H.
  // VGG16 keeps its ReLU and has no batch normalisation.
  return {.channels = 3,
          .size = settings.integer("image.size"),
          .trunk = vgg16 ? vgg16_trunk : settings.text("cnn.trunk"),
          .batch_norm = !vgg16,
          .width = settings.integer("cnn.width"),
          .activation = vgg16 ? models::Activation::Relu : models::Activation::Tanh,
          .outputs = output_size(output)};
}

models::Backbone new_network(Output output, const Settings& settings, const std::string& name,
                             std::int64_t seed, std::int64_t draw) {
  Random random(
      seed_of_draw(seed_of({"dynamic_face", "weights", name, std::to_string(seed)}), draw));
  return models::make_small_network(network_options(output, settings), random);
}

std::string validation_protocol(Output output, const Settings& settings) {
  return fmt::format("{}, {}/validation", output_name(output), settings.text("clips.kind"));
}

std::filesystem::path committed_network(const Settings& settings, const std::string& name,
                                        const DataFolder& data) {
  const auto committed = settings.text("cnn.weights");
  return committed_weights(
      committed.empty() ? "" : fmt::format("{}_{}.safetensors", committed, name), data);
}

models::Backbone trained_network(const CellContext& context, const std::string& name) {
  const auto seed = data_seed(context.settings, context.record.cell.seed);
  auto network = new_network(frame_network(name).output, context.settings, name, seed);
  const auto committed = committed_network(context.settings, name, context.data);
  const auto own = context.store.folder(cell("cnn", name, seed)) / "weights.safetensors";
  training::load_weights(*network, committed.empty() ? own : committed);
  network->to(at::Device(context.device));
  network->eval();
  return network;
}

ClipSet encode_clips(models::Backbone& network, const datasets::SynheadClips& clips) {
  const auto [outputs, features] = frame_outputs(network, clips.images);
  const auto size = outputs.size(-1);
  // The number of outputs shows whether the network has a pose.
  const bool has_pose = size == output_size(Output::Pose) || size == output_size(Output::Joint);
  return {.features = features,
          .estimates = has_pose ? extract_pose(outputs) : torch::zeros_like(clips.pose),
          .truth = clip_truth(clips)};
}

FrameOutputs frame_outputs(models::Backbone& network, const at::Tensor& images) {
  const c10::InferenceMode inference;
  network->eval();
  const auto layer = models::features_layer(network);
  // Trunk and head run separately: features are stored, and outputs follow from them.
  const auto after = network->index_of(layer) + 1;
  const auto end = network->stages().size();
  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> features;
  constexpr std::int64_t frames_at_once = 128;  // limits memory, not results
  for (const auto& piece : images.flatten(0, 1).split(frames_at_once)) {
    const auto feature = network->features(network_input(piece.to(device_of(*network))), layer);
    features.push_back(feature.flatten(1).cpu());
    outputs.push_back(network->run(feature, after, end).cpu());
  }
  const std::vector<std::int64_t> clips{images.size(0), images.size(1)};
  return {.outputs = torch::cat(outputs).unflatten(0, clips),
          .features = torch::cat(features).unflatten(0, clips)};
}

training::FitReport train_frames(models::Backbone& network, const FrameTraining& how,
                                 CellContext& context) {
  const auto& settings = context.settings;
  const auto batch = settings.integer(how.section + ".batch");
  training::Task task;
  task.batches_per_epoch =
      std::max<std::int64_t>(1, settings.integer(how.section + ".frames_an_epoch") / batch);
  task.batch = [&](std::int64_t epoch, std::int64_t, Random& random) -> training::Batch {
    const auto [images, truth] = how.draw(batch, epoch, random);
    const auto device = device_of(*network);
    return {.x = network_input(images.to(device)),
            .y = encode_target(how.output, truth, images.size(-2)).flatten(0, 1).to(device)};
  };
  task.loss = [](const at::Tensor& outputs, const at::Tensor& truth) {
    return squared_error(outputs, truth);
  };
  task.validate = how.validate;
  return train_on_frames(network, how.section, task, how.seed, context);
}

namespace {

/// Trains the network of a cell from random weights with the mean as first output, and checks that
/// it learned.
training::FitReport train_cell(models::Backbone& network, Output output, const Scenes& scenes,
                               const datasets::SynheadClips& validation, CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto seed = seed_of({"dynamic_face", "cnn", cell.method, std::to_string(cell.seed)});
  const auto mean = mean_target(output, scenes, settings, cell.seed);
  const auto set = make_synhead(scenes, {.kind = settings.text("clips.kind")}, settings, seed);
  const auto validation_error = [&](const at::Tensor& outputs) {
    return mean_error(output, outputs, clip_truth(validation), settings.integer("image.size"));
  };
  return train_base_network(context, "", [&](std::int64_t draw) -> BaseTraining {
    network = new_network(output, settings, cell.method, cell.seed, draw);
    if (starts_from_vgg16(settings)) load_vgg16(network, published_file("vgg16", context.data));
    // Starting at the mean saves the epochs that a network needs to find it.
    models::start_output_at(network, mean);
    network->to(at::Device(context.device));
    const FrameTraining how{
        .section = "cnn",
        .output = output,
        .seed = seed_of_draw(seed, draw),
        .draw = [&](std::int64_t count, std::int64_t, Random& random) -> LabelledImages {
          const auto clips = draw_clips(set, count, 1, /*augment=*/true, random);
          return {.images = clips.images, .truth = clip_truth(clips)};
        },
        .validate =
            [&] { return validation_error(frame_outputs(network, validation.images).outputs); }};
    return {
        .report = train_frames(network, how, context),
        .trivial_error = validation_error(
            mean.expand({validation.images.size(0), validation.images.size(1), -1})),
        .live_units = least_live_fraction(network, validation.images.flatten(0, 1), network_input)};
  });
}

/// Records error_KIND of each kind of test sequences.
void measure_kinds(models::Backbone& network, const SceneParts& parts, CellContext& context) {
  auto& record = context.record;
  for (const auto& kind : context.settings.texts("test.kinds")) {
    const auto clips = test_sequences(parts, kind, context.settings, record.cell.seed);
    const auto error =
        metrics::pose_error(extract_pose(frame_outputs(network, clips.images).outputs), clips.pose);
    record.metrics.push_back(
        {.name = "error_" + kind,
         .value = error.mean,
         .unit = "deg",
         .direction = records::Direction::LowerIsBetter,
         .protocol = fmt::format("{}, synhead {}", metrics::pose_error_protocol, kind)});
  }
}

}  // namespace

void run_cnn(CellContext& context) {
  const auto& settings = context.settings;
  auto& record = context.record;
  // Methods build on networks of table cnn; those of table size are measured here.
  const bool stored = record.cell.table == "cnn";
  const auto parts = load_scenes(settings, context.data, record.cell.seed);
  const auto spec = frame_network_for(record.cell);
  const auto scenes = training_scenes(parts, spec);
  const auto validation = validation_clips(parts, settings.integer("cnn.validation_frames"), 1,
                                           settings, record.cell.seed);
  models::Backbone network(nullptr);
  const auto report = train_cell(network, spec.output, scenes, validation, context);
  if (stored) training::save_weights(*network, context.folder / "weights.safetensors");
  std::filesystem::remove(context.folder / "checkpoint.safetensors");
  records::Curves curves;
  record_training(report, settings.number("cnn.learning_rate"), "",
                  validation_protocol(spec.output, settings), record, curves);
  context.store.write_curves(record.cell, curves);
  record.parameters["heads"] = static_cast<std::int64_t>(scenes.heads.size());
  if (!stored) measure_kinds(network, parts, context);
}

datasets::SynheadClips validation_clips(const SceneParts& parts, std::int64_t count,
                                        std::int64_t frames, const Settings& settings,
                                        std::int64_t seed) {
  Random random(seed_of({"dynamic_face", "validation", std::to_string(seed)}));
  return draw_clips(
      make_synhead(parts.validation, {.kind = settings.text("clips.kind")}, settings,
                   seed_of({"dynamic_face", "validation scenes", std::to_string(seed)})),
      count, frames, /*augment=*/false, random);
}

datasets::SynheadClips test_sequences(const SceneParts& parts, const std::string& part,
                                      const Settings& settings, std::int64_t seed) {
  // "KIND@STRENGTH", or "KIND" at full strength.
  const auto at = part.find('@');
  const bool recorded = part == recorded_kind;
  if (recorded && parts.recorded.tracks.empty())
    throw UsageError("recorded tracks are missing: biwi_tracks/biwi_plus.csv below --data",
                     "give the folder that holds it with --data DIR");
  const DegradationLevel degradation{
      .kind = recorded ? "gaps" : part.substr(0, at),
      .strength = at == std::string::npos ? 1 : std::stod(part.substr(at + 1))};
  const auto set = make_synhead(recorded ? parts.recorded : parts.test, degradation, settings,
                                seed_of({"dynamic_face", "test scenes", std::to_string(seed)}));
  // Every part shows the same sequences, so that parts differ only by their degradation.
  Random random(seed_of({"dynamic_face", "test places", std::to_string(seed)}));
  const auto frames = settings.integer("test.frames");
  return set.read(choose_test_sequences(set, settings.integer("test.sequences"), frames, random),
                  frames);
}

datasets::SynheadClips training_clips(const Scenes& scenes, bool augment, const Settings& settings,
                                      std::int64_t seed) {
  Random random(seed_of({"dynamic_face", "training", std::to_string(seed)}));
  const auto set = make_synhead(scenes, {.kind = settings.text("clips.kind")}, settings,
                                seed_of({"dynamic_face", "training scenes", std::to_string(seed)}));
  return draw_clips(set, settings.integer("clips.training"), settings.integer("clips.frames"),
                    augment, random);
}

namespace {

/// Returns the motion spectra of the generated tracks and of BIWI's, in bands of frequency, as
/// decimal logarithms.
records::Curves measure_spectra(const SceneParts& parts) {
  records::Curves curves;
  const auto note = [&](const std::string& name, const std::vector<datasets::PoseTrack>& tracks) {
    if (std::none_of(tracks.begin(), tracks.end(), [](const auto& track) {
          return static_cast<std::int64_t>(track.frame.size()) >= datasets::spectrum_window;
        }))
      return;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto variance = datasets::motion_spectrum(tracks, a);
      auto& curve = curves[fmt::format("{}_{}", name, datasets::angle_names[a])];
      // Density: variance of a band per frequency bin. 1e-6 deg^2 keeps the logarithm finite.
      for (std::size_t b = 0; b < variance.size(); ++b) {
        const auto [first, last] = datasets::motion_bands[b];
        curve.push_back(std::log10(std::max(variance[b] / (last - first + 1), 1e-6)));
      }
    }
    auto& frequency = curves["frequency"];
    if (frequency.empty())
      for (const auto& [first, last] : datasets::motion_bands)
        frequency.push_back(
            std::log10(0.5 * (first + last) / static_cast<double>(datasets::spectrum_window)));
  };
  note("spectrum", parts.train.tracks);
  note("recorded_spectrum", parts.recorded.tracks);
  return curves;
}

}  // namespace

void run_clips(CellContext& context) {
  const auto& settings = context.settings;
  const auto& [study, table, dataset, name, seed] = context.record.cell;
  const auto parts = load_scenes(settings, context.data, seed);
  const auto output = frame_network(name).output;
  auto network = trained_network(context, name);
  std::map<std::string, ClipSet> sets;
  sets["training"] =
      encode_clips(network, training_clips(parts.train, /*augment=*/true, settings, seed));
  sets["validation"] =
      encode_clips(network, validation_clips(parts, settings.integer("clips.validation"),
                                             settings.integer("clips.frames"), settings, seed));
  for (const auto& part : test_parts(settings))
    sets[part] = encode_clips(network, test_sequences(parts, part, settings, seed));
  // Ground truth that no cell reads is not stored.
  for (auto& [part, set] : sets) {
    if (!gives_landmarks(output)) set.truth.landmarks = at::Tensor();
    if (output != Output::Landmarks3d) set.truth.landmarks_3d = at::Tensor();
  }
  if (frame_network(name).fitted_crosswise()) sets["crossfit"] = crossfit(parts, context);
  write_clips(context.folder / "clips.safetensors", sets);
  for (const auto& [part, set] : sets)
    context.record.parameters["frames_" + part] = set.truth.pose.size(0) * set.truth.pose.size(1);
  // All networks see the same tracks: one cell per seed records their spectra.
  if (name == per_frame_network)
    context.store.write_curves(context.record.cell, measure_spectra(parts));
}

namespace {

/// Returns the tensors of a set by their names in its file.
std::vector<std::pair<std::string, at::Tensor*>> named_tensors(ClipSet& set) {
  return {{"features", &set.features},
          {"estimates", &set.estimates},
          {"pose", &set.truth.pose},
          {"landmarks", &set.truth.landmarks},
          {"places", &set.truth.landmarks_3d}};
}

}  // namespace

void write_clips(const std::filesystem::path& path, const std::map<std::string, ClipSet>& sets) {
  weights::StateDict tensors;
  for (auto [part, set] : sets)
    for (const auto& [name, tensor] : named_tensors(set))
      if (tensor->defined()) tensors.emplace_back(part + "." + name, tensor->contiguous());
  weights::write_safetensors(path, tensors);
}

ClipSet read_clips(const CellContext& context, const std::string& network,
                   const std::string& part) {
  const auto seed = data_seed(context.settings, context.record.cell.seed);
  const auto path = context.store.folder(cell("clips", network, seed)) / "clips.safetensors";
  ClipSet set;
  for (const auto& [name, tensor] : weights::read_weights(path))
    for (const auto& [key, own] : named_tensors(set))
      if (name == part + "." + key) *own = tensor;
  if (!set.truth.pose.defined())
    throw Error(path.string() + " has no part '" + part + "'",
                "remove the cell's folder and run it again: it was made by other settings");
  return set;
}

}  // namespace reprise::reproduce::dynamic_face_study
