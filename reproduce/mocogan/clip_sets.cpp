#include "reproduce/mocogan/clip_sets.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/random.h"
#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "datasets/whole_clips.h"
#include "experiments/dataset_list.h"
#include "experiments/names.h"
#include "experiments/replicates.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "training/windows.h"

namespace reprise::reproduce::mocogan_study {
namespace {

const char* part_name(Part part) { return part == Part::Training ? "training" : part == Part::Judge ? "judge" : "test"; }

/// The look is the shape's brightest channel.
DrawnClips drawn_shapes(const std::string& dataset, Part part, std::int64_t n, std::int64_t frames, const CellContext& context,
                        std::int64_t stretch) {
  const auto& settings = context.settings;
  const auto seed = part == Part::Judge ? judge_seed : data_seed(settings, context.record.cell.seed);
  const auto shapes = datasets::shape_motion(
      n, {.frames = frames, .size = static_cast<int>(settings.integer("clips.size")), .scale = settings.number("clips.scale")},
      seed_of({"mocogan", "shapes", dataset, part_name(part), std::to_string(stretch), std::to_string(seed)}));
  return {{datasets::values_of(shapes.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(), shapes.clips.labels},
          shapes.colour_of.to(at::kInt).argmax(1)};
}

/// How many videos each part takes.
struct Needed {
  explicit Needed(const Settings& settings)
      : training(settings.integer("clips.training")), test(settings.integer("clips.test")), judge(settings.integer("judge.clips")) {}
  std::int64_t of_judge() const { return judge + test; }
  std::int64_t all() const { return of_judge() + training + (first_band_stretch + band_stretches) * test; }
  std::int64_t training, test, judge;
};

datasets::VideoSet videos_below(const DataFolder& data, const std::string& dataset) {
  return dataset_named(dataset).read_videos(data / dataset);
}

/// Which videos are the n of a part.
std::vector<std::int64_t> dealt(const datasets::VideoSet& set, const std::string& dataset, Part part, std::int64_t n, std::int64_t stretch,
                                const CellContext& context) {
  const Needed needed(context.settings);
  auto order = Random(seed_of({"mocogan", "videos", dataset})).permutation(static_cast<std::int64_t>(set.videos.size()));
  std::int64_t first = 0;
  if (part == Part::Judge) {
    first = stretch * needed.judge;
  } else {
    const std::vector<std::int64_t> left(order.begin() + needed.of_judge(), order.end());
    const auto seed = data_seed(context.settings, context.record.cell.seed);
    const auto places = Random(seed_of({"mocogan", "videos", dataset, std::to_string(seed)})).permutation(std::ssize(left));
    order.clear();
    for (const auto place : places) order.push_back(left[static_cast<std::size_t>(place)]);
    if (part == Part::Test) first = needed.training + stretch * needed.test;
  }
  return {order.begin() + first, order.begin() + first + n};
}

datasets::WholeClipOptions reading(const Settings& settings, const DataFolder& data) {
  datasets::WholeClipOptions options{.least = settings.integer("clips.frames"),
                                     .every_nth = settings.integer("clips.every_nth"),
                                     .longest = std::max(settings.integer("clips.longest"), settings.integer("clips.frames")),
                                     .size = settings.integer("clips.size")};
  if (const auto margin = settings.number("clips.face"); margin != 0) {
    const auto detector = settings.text("clips.face_detector");
    options.face = datasets::FaceCut{.margin = margin, .detector = detector.empty() ? std::filesystem::path() : data / detector};
  }
  return options;
}

DrawnClips recorded(const ClipSet& set, Part part, std::int64_t n, const CellContext& context, std::int64_t stretch) {
  require_present({{.cell = context.record.cell, .missing = missing_clips(set.name, context.settings, context.data)}}, context.data);
  const auto videos = videos_below(context.data, set.name);
  const auto seed = seed_of({"mocogan", set.name, "frames"});
  auto read =
      datasets::read_whole_clips(videos, dealt(videos, set.name, part, n, stretch, context), reading(context.settings, context.data), seed);
  DrawnClips drawn{.motion = {.x = datasets::values_of(read.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(),
                              .labels = read.clips.labels,
                              .lengths = read.lengths},
                   .look = {}};
  const auto T = context.settings.integer("clips.frames");
  if (part != Part::Training) drawn.motion = {.x = windows_of(drawn.motion, T, seed), .labels = read.clips.labels};
  // No file says which colour a shape has: it is read off the pixels.
  drawn.look =
      set.looks > 1 && part == Part::Judge ? metrics::track_shapes(drawn.motion.x).colour.mean(1).argmax(1) : at::zeros({n}, at::kLong);
  return drawn;
}

}  // namespace

const std::vector<ClipSet>& clip_sets() {
  static const std::vector<ClipSet> all = [] {
    std::vector<ClipSet> sets{
        {.name = "shape_motion", .title = "shape motion", .shapes = true, .looks = 3, .recorded = false},
        {.name = "shapes", .title = "released shape motion", .shapes = true, .looks = 3},
        {.name = "mug", .title = "MUG"},
        {.name = "weizmann", .title = "Weizmann"},
        {.name = "ucf101", .title = "UCF101"},
        {.name = "hmdb51", .title = "HMDB51"},
        {.name = "video_folders", .title = "videos"},
    };
    for (const auto& known : dataset_list())
      if (known.read_videos && std::ranges::none_of(sets, [&](const ClipSet& set) { return set.name == known.name; }))
        sets.push_back({.name = known.name, .title = known.name});
    return sets;
  }();
  return all;
}

const ClipSet& clip_set(const std::string& name) { return find_named(clip_sets(), "data set of mocogan", name); }

std::vector<std::string> class_names(const std::string& dataset, const DataFolder& data) {
  if (!clip_set(dataset).recorded) return {"right", "down"};
  return videos_below(data, dataset).classes;
}

std::vector<Missing> missing_clips(const std::string& dataset, const Settings& settings, const DataFolder& data) {
  if (!clip_set(dataset).recorded || data.is_assumed()) return {};
  if (!data.need(dataset, dataset_named(dataset).says, "--set 'datasets=[\"shape_motion\"]'")) return data.take_missing();
  const auto folder = data.place(dataset);
  const auto set = dataset_named(dataset).read_videos(folder);
  if (set.classes.size() < 2)
    return {{fmt::format("{}: its videos are all of one class ({}), and a judge tells classes apart", folder.string(), set.classes[0]),
             "add videos of another class"}};
  const Needed needed(settings);
  const auto there = std::ssize(set.videos);
  if (there >= needed.all()) return {};
  return {{fmt::format(
               "{}: {} videos are there and {} are needed, each in one part only: {} for generators to learn from, {} for the judge and "
               "{} to test it, and {} times {} to compare generators with",
               folder.string(), there, needed.all(), needed.training, needed.judge, needed.test, first_band_stretch + band_stretches,
               needed.test),
           "add videos, or lower clips.training, clips.test or judge.clips with --set"}};
}

DrawnClips drawn_clips(const std::string& dataset, Part part, std::int64_t n, const CellContext& context, std::int64_t stretch) {
  const auto& set = clip_set(dataset);
  if (set.recorded) return recorded(set, part, n, context, stretch);
  return drawn_shapes(dataset, part, n, context.settings.integer("clips.frames"), context, stretch);
}

training::Examples generated_clips(const std::string& dataset, Part part, std::int64_t n, std::int64_t frames, const CellContext& context,
                                   std::int64_t stretch) {
  return drawn_shapes(dataset, part, n, frames, context, stretch).motion;
}

at::Tensor windows_of(const training::Examples& clips, std::int64_t T, std::uint64_t seed) {
  if (clips.x.size(1) == T) return clips.x;
  Random random(seed);
  return training::drawn_windows(clips.x, {.frames = T}, random, clips.lengths);
}

}  // namespace reprise::reproduce::mocogan_study
