#include "reproduce/mocogan/clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/random.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/gif.h"
#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/names.h"
#include "reproduce/replicates.h"
#include "training/module_state.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// Clips with the class of their motion, and what else of them the judge tells apart: features of a judge of motion alone are blind to
/// colours that drift.
struct DrawnClips {
  training::Examples motion;
  at::Tensor look;  ///< [N], int64
};

struct ClipSet {
  std::string name;
  std::vector<std::string> classes;  ///< of motion
  std::int64_t looks = 1;
  DrawnClips (*draw)(std::int64_t n, const Settings& settings, std::uint64_t seed);
};

/// The look is the shape's brightest channel.
DrawnClips drawn_shapes(std::int64_t n, const Settings& settings, std::uint64_t seed) {
  const auto shapes = datasets::shape_motion(
      n, {.frames = settings.integer("clips.frames"), .size = static_cast<int>(settings.integer("clips.size"))}, seed);
  return {{datasets::values_of(shapes.clips.colour).permute({0, 1, 4, 2, 3}).contiguous(), shapes.clips.labels},
          shapes.colour_of.to(at::kInt).argmax(1)};
}

const ClipSet& clip_set(const std::string& name) {
  static const std::vector<ClipSet> all{{"shape_motion", {"right", "down"}, 3, drawn_shapes}};
  return find_named(all, "data set", name);
}

const char* part_name(Part part) { return part == Part::Training ? "training" : part == Part::Judge ? "judge" : "test"; }

DrawnClips drawn(const std::string& dataset, Part part, std::int64_t n, const CellContext& context, std::int64_t stretch) {
  const auto seed = part == Part::Judge ? judge_seed : data_seed(context.settings, context.record.cell.seed);
  return clip_set(dataset).draw(n, context.settings,
                                seed_of({"mocogan", dataset, part_name(part), std::to_string(stretch), std::to_string(seed)}));
}

/// Stretches of Part::Test: what generated clips are compared with, and what the bands of real clips are read off.
constexpr std::int64_t test_stretch = 0, real_stretch = 1, first_band_stretch = 2, band_stretches = 3;

using records::Direction;

/// Of each number of ClipScores: which way is better, and how it is measured.
struct Scored {
  std::string name;
  Direction better;
  std::string protocol;       ///< "": by the judge
  bool of_each_clip = false;  ///< a fraction of clips that are right or wrong, each by itself
};

const std::vector<Scored>& scored() {
  static const std::vector<Scored> all{{"acd", Direction::LowerIsBetter, metrics::acd_protocol},
                                       {"diversity", Direction::Neither, "colour distance between clips, 0..255"},
                                       {"step", Direction::Neither, "pixels a frame"},
                                       {"jerk", Direction::LowerIsBetter, "pixels, second difference"},
                                       {"still", Direction::LowerIsBetter, "fraction of clips"},
                                       {"empty", Direction::LowerIsBetter, "fraction of frames"},
                                       {"precision", Direction::HigherIsBetter, ""},
                                       {"recall", Direction::HigherIsBetter, ""},
                                       {"repeats", Direction::LowerIsBetter, "fraction of clips, pixels"},
                                       {"copies", Direction::LowerIsBetter, "fraction of clips, pixels"},
                                       {"frechet", Direction::LowerIsBetter, ""},
                                       {"motion_control", Direction::HigherIsBetter, "", true}};
  return all;
}

models::ClipJudge trained_judge(const CellContext& context) {
  const auto& dataset = context.record.cell.dataset;
  models::ClipJudge judge(judge_options(dataset, context.settings), 0);
  training::load_weights(*judge.network,
                         context.store.folder(cell(judge_table, dataset, judge_method, judge_seed)) / "weights.safetensors");
  return judge;
}

/// Bands are those of a replicate, and its cell of real clips keeps them.
std::filesystem::path bands_file(const CellContext& context) {
  const auto& own = context.record.cell;
  return context.store.folder(cell(worthless_table, own.dataset, real_row, own.seed)) / "bands.safetensors";
}

void write_bands(const std::filesystem::path& file, const std::vector<metrics::Band>& bands) {
  weights::StateDict state;
  for (const auto& band : bands) state.emplace_back(band.metric, torch::tensor({band.low, band.high}, at::kDouble));
  weights::write_safetensors(file, state);
}

std::vector<metrics::Band> read_bands(const std::filesystem::path& file) {
  std::vector<metrics::Band> bands;
  for (const auto& [metric, limits] : weights::read_weights(file))
    bands.push_back({metric, limits[0].item<double>(), limits[1].item<double>()});
  return bands;
}

}  // namespace

training::Examples clips_of(const std::string& dataset, Part part, std::int64_t n, const CellContext& context, std::int64_t stretch) {
  return drawn(dataset, part, n, context, stretch).motion;
}

training::Examples judge_clips_of(const std::string& dataset, std::int64_t n, const CellContext& context) {
  auto clips = drawn(dataset, Part::Judge, n, context, 0);
  clips.motion.labels = clip_set(dataset).looks * clips.motion.labels + clips.look;
  return clips.motion;
}

at::Tensor motions(const models::ClipJudge& judge, const std::string& dataset, const at::Tensor& clips) {
  return judge.probabilities(clips).unflatten(1, std::vector<std::int64_t>{-1, clip_set(dataset).looks}).sum(2).argmax(1);
}

std::vector<std::string> class_names(const std::string& dataset) { return clip_set(dataset).classes; }

models::ClipJudgeOptions judge_options(const std::string& dataset, const Settings& settings) {
  const auto& set = clip_set(dataset);
  return {.size = settings.integer("clips.size"),
          .frames = settings.integer("clips.frames"),
          .classes = static_cast<std::int64_t>(set.classes.size()) * set.looks,
          .trunk = settings.text("judge.trunk"),
          .steps = settings.integer("judge.steps"),
          .batch = settings.integer("judge.batch"),
          .learning_rate = settings.number("judge.learning_rate")};
}

ScoreBench::ScoreBench(const CellContext& context)
    : dataset_(context.record.cell.dataset),
      count_(context.settings.integer("clips.test")),
      training_(clips_of(context.record.cell.dataset, Part::Training, context.settings.integer("clips.training"), context)),
      judge_(trained_judge(context)) {
  const auto test = clips_of(dataset_, Part::Test, count_, context, test_stretch);
  real_ = judged(test.x, test.labels);
  const auto bands = bands_file(context);
  if (context.record.cell.table == worthless_table && context.record.cell.method == real_row) write_bands(bands, measured_bands(context));
  bands_ = read_bands(bands);
}

std::vector<metrics::Band> ScoreBench::measured_bands(const CellContext& context) const {
  std::vector<metrics::ClipScores> real;
  for (std::int64_t i = 0; i < band_stretches; ++i) {
    const auto other = clips_of(dataset_, Part::Test, count_, context, first_band_stretch + i);
    real.push_back(metrics::score_clips(judged(other.x, other.labels), real_, training_.x));
  }
  return metrics::bands_of(real);
}

metrics::JudgedClips ScoreBench::judged(const at::Tensor& clips, const at::Tensor& requested) const {
  metrics::JudgedClips out{.clips = clips, .features = judge_.features(clips)};
  if (requested.defined()) out.predicted = motions(judge_, dataset_, clips), out.requested = requested;
  return out;
}

void ScoreBench::note(const at::Tensor& clips, const at::Tensor& requested, CellContext& context) const {
  auto& record = context.record;
  const auto scores = metrics::score_clips(judged(clips, requested), real_, training_.x);
  const auto n = clips.size(0);
  for (const auto& [name, value] : metrics::values_of(scores)) {
    const auto& one = find_named(scored(), "metric of clips", name);
    record.metrics.push_back({name, value, "", one.better,
                              one.protocol.empty() ? judge_.protocol(name, n) : fmt::format("{}, N={}", one.protocol, n),
                              one.of_each_clip ? n : 0});
  }
  const auto verdict = metrics::judge_clips(scores, bands_);
  record.metrics.push_back({"passes", verdict.passes() ? 1.0 : 0.0, "", Direction::HigherIsBetter, "within every band of real clips"});
  record.metrics.push_back(
      {"failures", static_cast<double>(verdict.failures.size()), "", Direction::LowerIsBetter, "numbers outside the bands of real clips"});
}

models::TrainedMocogan trained_mocogan(const std::string& method, const CellContext& context) {
  const auto& own = context.record.cell;
  return models::load_mocogan(context.store.folder(cell(generated_table, own.dataset, method, own.seed)) / "generator.safetensors");
}

void draw_clips(const CellContext& context, const std::string& name, const at::Tensor& clips) {
  const auto pixels = datasets::pixels_of(clips).permute({0, 1, 3, 4, 2}).contiguous();  // [N, T, H, W, 3]
  datasets::write_png(context.folder / (name + ".png"), datasets::strips(pixels.slice(0, 0, 6)));
  const auto beside = at::constant_pad_nd(pixels.slice(0, 0, 8), {0, 0, 0, 1}, 64);  // a line between neighbours
  datasets::write_gif(context.folder / (name + ".gif"), datasets::enlarged(beside.permute({1, 2, 0, 3, 4}).flatten(2, 3)), 8);
}

}  // namespace reprise::reproduce::mocogan_study
