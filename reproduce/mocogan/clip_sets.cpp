#include "reproduce/mocogan/clip_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/random.h"
#include "datasets/formats/images.h"
#include "datasets/full_length_clips.h"
#include "datasets/generators/shape_motion.h"
#include "datasets/splits.h"
#include "experiments/names.h"
#include "experiments/resampling.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "training/windows.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using datasets::Indices;

/// Returns the name of a part in random seeds and messages.
const char* part_name(Part part) {
  switch (part) {
    case Part::Training:
      return "training";
    case Part::Evaluator:
      return "judge";
    default:
      return "test";
  }
}

/// Generates clips of moving shapes. Their appearance is the brightest channel.
ClipsWithAppearance generate_shapes(const std::string& dataset, Part part, std::int64_t n,
                                    std::int64_t frames, const CellContext& context,
                                    std::int64_t segment) {
  const auto& settings = context.settings;
  // All seeds share the evaluator, so they share its clips.
  const auto seed =
      part == Part::Evaluator ? evaluator_seed : data_seed(settings, context.record.cell.seed);
  const auto shapes =
      datasets::generate_shape_motion(n,
                                      {.frames = frames,
                                       .size = static_cast<int>(settings.integer("clips.size")),
                                       .scale = settings.number("clips.scale")},
                                      seed_of({"mocogan", "shapes", dataset, part_name(part),
                                               std::to_string(segment), std::to_string(seed)}));
  return {
      .motion = {.x =
                     datasets::to_values(shapes.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(),
                 .labels = shapes.clips.labels},
      .appearance = shapes.shape_colour.to(at::kInt).argmax(1)};
}

/// Number of videos that each part takes.
struct VideoCounts {
  explicit VideoCounts(const Settings& settings)
      : training(settings.integer("clips.training")),
        test(settings.integer("clips.test")),
        evaluator(settings.integer("evaluator.clips")) {}
  std::int64_t of_evaluator() const { return evaluator + test; }
  std::int64_t all() const {
    return of_evaluator() + training + (first_band_segment + band_segments) * test;
  }
  std::int64_t training, test, evaluator;
};

datasets::VideoSet read_video_list(const DataFolder& data, const std::string& dataset) {
  return dataset_named(dataset).read_videos(data / dataset);
}

/// Returns the n videos of a part.
Indices assign_videos(const datasets::VideoSet& set, const std::string& dataset, Part part,
                      std::int64_t n, std::int64_t segment, const CellContext& context) {
  const VideoCounts counts(context.settings);
  const auto take = [&](const Indices& from, std::int64_t first, std::int64_t count) {
    return datasets::take(from, first, count,
                          fmt::format("part {} of {}", part_name(part), dataset),
                          "add videos, or lower clips.training, clips.test or evaluator.clips");
  };
  // One order for all seeds: the evaluator takes the first videos, and other parts the rest.
  const auto order = datasets::shuffle(datasets::count_up(std::ssize(set.videos)),
                                       Random(seed_of({"mocogan", "videos", dataset})));
  if (part == Part::Evaluator) return take(order, segment * counts.evaluator, n);
  // The rest is shuffled by the seed.
  const auto left = take(order, counts.of_evaluator(),
                         std::max<std::int64_t>(0, std::ssize(order) - counts.of_evaluator()));
  const auto seed = data_seed(context.settings, context.record.cell.seed);
  const auto first = part == Part::Test ? counts.training + segment * counts.test : 0;
  return take(datasets::shuffle(
                  left, Random(seed_of({"mocogan", "videos", dataset, std::to_string(seed)}))),
              first, n);
}

/// Returns the options for reading videos: length, frame rate, size and the cut around faces.
datasets::FullLengthClipOptions clip_options(const Settings& settings, const DataFolder& data) {
  datasets::FullLengthClipOptions options{
      .least = settings.integer("clips.frames"),
      .every_nth = settings.integer("clips.every_nth"),
      .longest = std::max(settings.integer("clips.longest"), settings.integer("clips.frames")),
      .size = settings.integer("clips.size")};
  if (const auto margin = settings.number("clips.face"); margin != 0) {
    const auto detector = settings.text("clips.face_detector");
    options.face = datasets::FirstFaceCrop{
        .margin = margin, .detector = detector.empty() ? std::filesystem::path() : data / detector};
  }
  return options;
}

/// Reads the clips of a part from below --data.
ClipsWithAppearance read_recorded_clips(const std::string& dataset, Part part, std::int64_t n,
                                        const CellContext& context, std::int64_t segment) {
  const auto videos = read_video_list(context.data, dataset);
  const auto seed = seed_of({"mocogan", dataset, "frames"});
  const auto read = datasets::read_full_length_clips(
      videos, assign_videos(videos, dataset, part, n, segment, context),
      clip_options(context.settings, context.data), seed);
  ClipsWithAppearance drawn{
      .motion = {.x = datasets::to_values(read.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(),
                 .labels = read.clips.labels,
                 .lengths = read.lengths},
      .appearance = {}};
  const auto T = context.settings.integer("clips.frames");
  // Only training clips keep their own lengths.
  if (part != Part::Training)
    drawn.motion = {.x = cut_windows(drawn.motion, T, seed), .labels = read.clips.labels};
  // No file states the colour of a shape, so it is measured in the pixels.
  drawn.appearance = has_shapes(dataset) && part == Part::Evaluator
                         ? metrics::track_shapes(drawn.motion.x).colour.mean(1).argmax(1)
                         : at::zeros({n}, at::kLong);
  return drawn;
}

}  // namespace

const NamedDataset& find_clip_set(const std::string& name) {
  static const auto all = [] {
    auto sets = dataset_list();
    // Sets of videos, and the generated one.
    std::erase_if(sets, [](const NamedDataset& set) {
      return !set.read_videos && set.name != "shape_motion";
    });
    return sets;
  }();
  return find_named(all, "data set of mocogan", name);
}

bool has_shapes(const std::string& dataset) {
  return dataset == "shape_motion" || dataset == "shapes";
}

std::int64_t appearance_count(const std::string& dataset) { return has_shapes(dataset) ? 3 : 1; }

std::vector<std::string> class_names(const std::string& dataset, const DataFolder& data) {
  if (!find_clip_set(dataset).is_recorded()) return {"right", "down"};
  return read_video_list(data, dataset).classes;
}

std::vector<Missing> find_missing_clips(const std::string& dataset, const Settings& settings,
                                        const DataFolder& data) {
  if (!find_clip_set(dataset).is_recorded() || data.is_assumed()) return {};
  need_datasets({dataset}, data, "--set 'datasets=[\"shape_motion\"]'");
  if (!data.has(dataset)) return data.take_missing();
  const auto folder = data.place(dataset);
  const auto set = dataset_named(dataset).read_videos(folder);
  // Motion control needs two classes.
  if (set.classes.size() < 2)
    return {{fmt::format("{}: all videos are of one class ({}), but an evaluator needs two",
                         folder.string(), set.classes[0]),
             "add videos of another class"}};
  const VideoCounts counts(settings);
  const auto there = std::ssize(set.videos);
  if (there >= counts.all()) return {};
  return {
      {fmt::format(
           "{}: {} videos are there and {} are needed, each in one part only: {} for generators "
           "to learn from, {} for the evaluator and "
           "{} to test it, and {} times {} to compare generators with",
           folder.string(), there, counts.all(), counts.training, counts.evaluator, counts.test,
           first_band_segment + band_segments, counts.test),
       "add videos, or lower clips.training, clips.test or evaluator.clips with --set"}};
}

ClipsWithAppearance load_clips_with_appearance(const std::string& dataset, Part part,
                                               std::int64_t n, const CellContext& context,
                                               std::int64_t segment) {
  if (find_clip_set(dataset).is_recorded())
    return read_recorded_clips(dataset, part, n, context, segment);
  return generate_shapes(dataset, part, n, context.settings.integer("clips.frames"), context,
                         segment);
}

training::Examples generate_clips(const std::string& dataset, Part part, std::int64_t n,
                                  std::int64_t frames, const CellContext& context,
                                  std::int64_t segment) {
  return generate_shapes(dataset, part, n, frames, context, segment).motion;
}

at::Tensor cut_windows(const training::Examples& clips, std::int64_t T, std::uint64_t seed) {
  if (clips.x.size(1) == T) return clips.x;
  Random random(seed);
  return training::draw_windows(clips.x, {.frames = T}, random, clips.lengths);
}

}  // namespace reprise::reproduce::mocogan_study
