#include "reproduce/prernn/video_tasks.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/damaged_clips.h"
#include "datasets/splits.h"
#include "datasets/transforms/network_input.h"
#include "datasets/videos.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/published_weights.h"
#include "experiments/resampling.h"
#include "models/backbones/known_backbones.h"
#include "reproduce/prernn/datasets.h"

namespace reprise::reproduce::prernn_study {
namespace {

using datasets::Indices;
using datasets::LabelledClips;

datasets::FlowOptions flow_options(const Settings& settings) {
  return {.method = datasets::find_flow_method(settings.text("actions.flow")),
          .range = settings.number("actions.flow_range")};
}

bool shows_flow(const std::string& dataset, const Settings& settings) {
  const auto& modalities = find_task(dataset, settings).modalities;
  return std::ranges::find(modalities, "flow") != modalities.end();
}

/// Splits the generated people of a data set.
datasets::Split split_people(const std::string& dataset, std::int64_t seed,
                             const Settings& settings) {
  std::vector<std::string> people;
  for (std::int64_t p = 0; p < settings.integer("videos.people"); ++p)
    people.push_back(std::to_string(p));
  return datasets::split_by(people, split_fractions(settings, "videos.split"),
                            seed_of({"prernn", "people", dataset, std::to_string(seed)}));
}

/// Adds optical flow to clips without it. The last frame has the flow of the one before.
void add_flow(LabelledClips& clips, const datasets::FlowOptions& options) {
  // The flow between two frames belongs to the first of them.
  const auto frames = clips.colour.size(1);
  if (frames < 2)
    throw UsageError("optical flow needs clips of two frames or more", "--set videos.frames=8");
  clips.flow = at::empty_like(clips.colour);
  for (std::int64_t i = 0; i < clips.size(); ++i) {
    const auto clip = clips.colour[i];
    const auto flow = datasets::compute_flow_images(clip.narrow(0, 0, frames - 1),
                                                    clip.narrow(0, 1, frames - 1), options);
    clips.flow[i].narrow(0, 0, frames - 1).copy_(flow);
    clips.flow[i][frames - 1].copy_(clips.flow[i][frames - 2]);
  }
}

/// Generates n clips of these people. `part` is part of the seed.
LabelledClips generate_clips(const std::string& dataset, const std::string& part, std::int64_t n,
                             const Indices& people, std::int64_t seed, const Settings& settings) {
  const auto frames = settings.integer("videos.frames");
  const auto size = static_cast<int>(settings.integer("videos.size"));
  const auto draws = seed_of({"prernn", "clips", dataset, part, std::to_string(seed)});
  auto clips = dataset_named(dataset).make_clips({.count = n,
                                                  .size = size,
                                                  .frames = frames,
                                                  .seed = draws,
                                                  .who = people,
                                                  .flow = flow_options(settings)});
  // A generator may draw exact flow; else it is estimated from the frames.
  if (shows_flow(dataset, settings) && !clips.flow.defined())
    add_flow(clips, flow_options(settings));
  return clips;
}

/// Damages frames of a part by gaps, with the degradation of its task.
void damage_part(LabelledClips& clips, const std::string& dataset, const std::string& part,
                 std::int64_t seed, const Settings& settings) {
  const auto degradation = settings.number(find_task(dataset, settings).name + ".degradation");
  datasets::damage_clips(clips, degradation, {},
                         Random(seed_of({"prernn", "gaps", dataset, part, std::to_string(seed)})));
}

VideoParts generate_parts(const std::string& dataset, std::int64_t seed, const Settings& settings) {
  const auto split = split_people(dataset, seed, settings);
  const auto make = [&](const Indices& people, const std::string& part) {
    return generate_clips(dataset, part, settings.integer("videos." + part), people, seed,
                          settings);
  };
  return {.train = make(split.train, "training"),
          .validation = make(split.validation, "validation"),
          .test = make(split.test, "test")};
}

/// Samples at most `most` indices at random, in ascending order.
Indices sample_at_most(const Indices& indices, std::int64_t most, const Random& random) {
  if (std::ssize(indices) <= most) return indices;
  auto chosen = datasets::shuffle(indices, random);
  chosen.resize(static_cast<std::size_t>(most));
  std::ranges::sort(chosen);
  return chosen;
}

datasets::Split split_videos(const datasets::VideoSet& set, const Settings& settings,
                             std::uint64_t seed) {
  const auto fractions = split_fractions(settings, "videos.split");
  // Without a split of its own the set is split by person.
  if (set.train.empty())
    return datasets::split_by(set.persons(datasets::count_up(std::ssize(set.videos))), fractions,
                              seed);
  // The set has its own test part: validation keeps its fraction of the remaining clips.
  const double learning = fractions.train + fractions.validation;
  const auto inner =
      datasets::split_by(set.persons(set.train),
                         {fractions.train / learning, fractions.validation / learning, 0}, seed);
  return {.train = datasets::select(set.train, inner.train),
          .validation = datasets::select(set.train, inner.validation),
          .test = set.test};
}

VideoParts read_parts(const std::string& dataset, std::int64_t seed, const Settings& settings,
                      const DataFolder& data) {
  const auto set = dataset_named(dataset).read_videos(data / dataset);
  const auto draws = seed_of({"prernn", "clips", dataset, std::to_string(seed)});
  // The same draws choose the split and, by name of the part, the clips of each part.
  const auto split = split_videos(set, settings, draws);
  datasets::ClipOptions options{.frames = settings.integer("videos.frames"),
                                .size = settings.integer("videos.size")};
  if (shows_flow(dataset, settings)) options.flow = flow_options(settings);
  const Random random(draws);
  const auto part = [&](const Indices& indices, const std::string& name) {
    return datasets::read_clips(
        set, sample_at_most(indices, settings.integer("videos." + name), random.split(name)),
        options);
  };
  return {.train = part(split.train, "training"),
          .validation = part(split.validation, "validation"),
          .test = part(split.test, "test")};
}

models::Backbone published_network(const std::string& name, std::int64_t classes,
                                   const DataFolder& data, Random& random) {
  const auto& known = models::known_backbone(name);
  const auto file = published_file(name, data);
  if (file.empty())
    throw UsageError(fmt::format("there is no {0}.pth or {0}.safetensors below --data", name),
                     "put the published weights there, or choose a small trunk with "
                     "--set video_networks.trunk_fc=...");
  const auto pretrained = models::load_backbone(known, file);
  auto network = known.make(classes);
  network->draw(random);
  // All layers but the last: its classes are others.
  for (std::size_t i = 0; i + 1 < network->stages().size(); ++i) {
    auto stage = network->stages()[i];
    stage.copy_values(pretrained->stages()[i]);
  }
  return network;
}

/// A modality, and the member of the clips that holds its frames.
struct ClipFrames {
  std::string name;
  std::int64_t channels;
  at::Tensor LabelledClips::*frames;
};

const ClipFrames& modality_named(const std::string& name) {
  // Flow is stored as an image of three channels (datasets/transforms/optical_flow.h).
  static const std::vector<ClipFrames> all{
      {.name = "colour", .channels = 3, .frames = &LabelledClips::colour},
      {.name = "depth", .channels = 1, .frames = &LabelledClips::depth},
      {.name = "flow", .channels = 3, .frames = &LabelledClips::flow}};
  return find_named(all, "modality", name);
}

}  // namespace

VideoParts make_video_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data) {
  auto parts = study_dataset(dataset).generated() ? generate_parts(dataset, seed, settings)
                                                  : read_parts(dataset, seed, settings, data);
  for (const auto& [name, part] :
       {std::pair{"train", &parts.train}, {"validation", &parts.validation}, {"test", &parts.test}})
    damage_part(*part, dataset, name, seed, settings);
  return parts;
}

LabelledClips make_network_clips(const std::string& dataset, NetworkKind kind, std::int64_t seed,
                                 const Settings& settings) {
  const auto part = "networks " + network_traits(kind).name;
  auto clips = generate_clips(dataset, part, settings.integer("video_networks.clips"),
                              split_people(dataset, seed, settings).train, seed, settings);
  damage_part(clips, dataset, part, seed, settings);
  return clips;
}

at::Tensor modality_frames(const LabelledClips& clips, const std::string& modality) {
  const auto& frames = clips.*modality_named(modality).frames;
  if (!frames.defined())
    throw UsageError("these clips have no " + modality, "use a data set that has it");
  return frames.permute({0, 1, 4, 2, 3}).contiguous();  // channels before height and width
}

std::int64_t modality_channels(const std::string& modality) {
  return modality_named(modality).channels;
}

models::Backbone video_network(NetworkKind kind, std::int64_t channels, std::int64_t classes,
                               const Settings& settings, const DataFolder& data, Random& random) {
  const auto& traits = network_traits(kind);
  const auto trunk = settings.text("video_networks.trunk_" + traits.name);
  if (is_published(trunk)) return published_network(trunk, classes, data, random);
  return models::make_small_network(
      {.channels = channels,
       .size = settings.integer("videos.size"),
       .frames = traits.snippets ? settings.integer("videos.snippet") : 0,
       .trunk = trunk,
       .width = traits.convolutional ? 0 : settings.integer("video_networks.width"),
       .outputs = classes},
      random);
}

bool is_published(const std::string& trunk) {
  const auto& known = models::known_backbones();
  return std::any_of(known.begin(), known.end(),
                     [&](const models::KnownBackbone& k) { return k.name == trunk; });
}

at::Tensor make_steps(const at::Tensor& frames, NetworkKind kind, const Settings& settings) {
  if (!network_traits(kind).snippets) return frames;
  const auto count = frames.size(1);
  const auto length = settings.integer("videos.snippet");
  const auto stride = settings.integer("videos.snippet_stride");
  // One snippet around the middle of every `stride` frames.
  std::vector<at::Tensor> steps;
  for (std::int64_t middle = stride / 2; middle < count; middle += stride) {
    const auto first = middle - length / 2;
    // Snippets that reach beyond an end of the clip repeat the frame at that end.
    const auto shown = at::arange(first, first + length, at::kLong).clamp(0, count - 1);
    steps.push_back(frames.index_select(1, shown).transpose(1, 2));
  }
  return at::stack(steps, 1);
}

at::Tensor video_input(const at::Tensor& steps, const std::string& trunk) {
  // Small networks: pixels 0 to 255 become about -2 to 2.
  if (!is_published(trunk)) return (steps.to(at::kFloat) - 127.5F) / 64;
  auto shape = steps.sizes().vec();
  shape[1] = 3;  // depth becomes three equal channels
  const auto colours = steps.expand(shape);
  // C3D was trained on plain pixel values, the image networks on normalised ones.
  if (trunk == "c3d") return colours.to(at::kFloat);
  return datasets::normalise_imagenet(colours.movedim(1, -1)).movedim(-1, 1).contiguous();
}

}  // namespace reprise::reproduce::prernn_study
