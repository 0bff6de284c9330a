#include "reproduce/mocogan/clip_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/random.h"
#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "datasets/splits.h"
#include "datasets/whole_clips.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "training/windows.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using datasets::Indices;

const char* part_name(Part part) {
  return part == Part::Training ? "training" : part == Part::Evaluator ? "judge" : "test";
}

/// The look is the shape's brightest channel.
DrawnClips drawn_shapes(const std::string& dataset, Part part, std::int64_t n, std::int64_t frames,
                        const CellContext& context, std::int64_t stretch) {
  const auto& settings = context.settings;
  const auto seed =
      part == Part::Evaluator ? evaluator_seed : data_seed(settings, context.record.cell.seed);
  const auto shapes =
      datasets::shape_motion(n,
                             {.frames = frames,
                              .size = static_cast<int>(settings.integer("clips.size")),
                              .scale = settings.number("clips.scale")},
                             seed_of({"mocogan", "shapes", dataset, part_name(part),
                                      std::to_string(stretch), std::to_string(seed)}));
  return {{datasets::values_of(shapes.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(),
           shapes.clips.labels},
          shapes.colour_of.to(at::kInt).argmax(1)};
}

/// How many videos each part takes.
struct Needed {
  explicit Needed(const Settings& settings)
      : training(settings.integer("clips.training")),
        test(settings.integer("clips.test")),
        evaluator(settings.integer("judge.clips")) {}
  std::int64_t of_evaluator() const { return evaluator + test; }
  std::int64_t all() const {
    return of_evaluator() + training + (first_band_stretch + band_stretches) * test;
  }
  std::int64_t training, test, evaluator;
};

datasets::VideoSet videos_below(const DataFolder& data, const std::string& dataset) {
  return dataset_named(dataset).read_videos(data / dataset);
}

/// The n videos of a part.
Indices assign_videos(const datasets::VideoSet& set, const std::string& dataset, Part part,
                      std::int64_t n, std::int64_t stretch, const CellContext& context) {
  const Needed needed(context.settings);
  const auto take = [&](const Indices& from, std::int64_t first, std::int64_t count) {
    return datasets::take(from, first, count,
                          fmt::format("part {} of {}", part_name(part), dataset),
                          "add videos, or lower clips.training, clips.test or judge.clips");
  };
  const auto order = datasets::shuffle(datasets::count_up(std::ssize(set.videos)),
                                       Random(seed_of({"mocogan", "videos", dataset})));
  if (part == Part::Evaluator) return take(order, stretch * needed.evaluator, n);
  const auto left = take(order, needed.of_evaluator(),
                         std::max<std::int64_t>(0, std::ssize(order) - needed.of_evaluator()));
  const auto seed = data_seed(context.settings, context.record.cell.seed);
  const auto first = part == Part::Test ? needed.training + stretch * needed.test : 0;
  return take(datasets::shuffle(
                  left, Random(seed_of({"mocogan", "videos", dataset, std::to_string(seed)}))),
              first, n);
}

datasets::WholeClipOptions reading(const Settings& settings, const DataFolder& data) {
  datasets::WholeClipOptions options{
      .least = settings.integer("clips.frames"),
      .every_nth = settings.integer("clips.every_nth"),
      .longest = std::max(settings.integer("clips.longest"), settings.integer("clips.frames")),
      .size = settings.integer("clips.size")};
  if (const auto margin = settings.number("clips.face"); margin != 0) {
    const auto detector = settings.text("clips.face_detector");
    options.face = datasets::FaceCut{
        .margin = margin, .detector = detector.empty() ? std::filesystem::path() : data / detector};
  }
  return options;
}

DrawnClips recorded(const std::string& dataset, Part part, std::int64_t n,
                    const CellContext& context, std::int64_t stretch) {
  const auto videos = videos_below(context.data, dataset);
  const auto seed = seed_of({"mocogan", dataset, "frames"});
  const auto read =
      datasets::read_whole_clips(videos, assign_videos(videos, dataset, part, n, stretch, context),
                                 reading(context.settings, context.data), seed);
  DrawnClips drawn{
      .motion = {.x = datasets::values_of(read.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(),
                 .labels = read.clips.labels,
                 .lengths = read.lengths},
      .look = {}};
  const auto T = context.settings.integer("clips.frames");
  if (part != Part::Training)
    drawn.motion = {.x = windows_of(drawn.motion, T, seed), .labels = read.clips.labels};
  // No file says which colour a shape has: it is read off the pixels.
  drawn.look = has_shapes(dataset) && part == Part::Evaluator
                   ? metrics::track_shapes(drawn.motion.x).colour.mean(1).argmax(1)
                   : at::zeros({n}, at::kLong);
  return drawn;
}

}  // namespace

const NamedDataset& clip_set(const std::string& name) {
  static const auto all = [] {
    auto sets = dataset_list();
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

std::int64_t looks_of(const std::string& dataset) { return has_shapes(dataset) ? 3 : 1; }

std::vector<std::string> class_names(const std::string& dataset, const DataFolder& data) {
  if (!clip_set(dataset).recorded()) return {"right", "down"};
  return videos_below(data, dataset).classes;
}

std::vector<Missing> missing_clips(const std::string& dataset, const Settings& settings,
                                   const DataFolder& data) {
  if (!clip_set(dataset).recorded() || data.is_assumed()) return {};
  need_datasets({dataset}, data, "--set 'datasets=[\"shape_motion\"]'");
  if (!data.has(dataset)) return data.take_missing();
  const auto folder = data.place(dataset);
  const auto set = dataset_named(dataset).read_videos(folder);
  if (set.classes.size() < 2)
    return {{fmt::format(
                 "{}: its videos are all of one class ({}), and an evaluator tells classes apart",
                 folder.string(), set.classes[0]),
             "add videos of another class"}};
  const Needed needed(settings);
  const auto there = std::ssize(set.videos);
  if (there >= needed.all()) return {};
  return {
      {fmt::format(
           "{}: {} videos are there and {} are needed, each in one part only: {} for generators to learn from, {} for the evaluator and "
           "{} to test it, and {} times {} to compare generators with",
           folder.string(), there, needed.all(), needed.training, needed.evaluator, needed.test,
           first_band_stretch + band_stretches, needed.test),
       "add videos, or lower clips.training, clips.test or judge.clips with --set"}};
}

DrawnClips drawn_clips(const std::string& dataset, Part part, std::int64_t n,
                       const CellContext& context, std::int64_t stretch) {
  if (clip_set(dataset).recorded()) return recorded(dataset, part, n, context, stretch);
  return drawn_shapes(dataset, part, n, context.settings.integer("clips.frames"), context, stretch);
}

training::Examples generated_clips(const std::string& dataset, Part part, std::int64_t n,
                                   std::int64_t frames, const CellContext& context,
                                   std::int64_t stretch) {
  return drawn_shapes(dataset, part, n, frames, context, stretch).motion;
}

at::Tensor windows_of(const training::Examples& clips, std::int64_t T, std::uint64_t seed) {
  if (clips.x.size(1) == T) return clips.x;
  Random random(seed);
  return training::drawn_windows(clips.x, {.frames = T}, random, clips.lengths);
}

}  // namespace reprise::reproduce::mocogan_study
