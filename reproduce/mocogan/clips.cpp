#include "reproduce/mocogan/clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/random.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "datasets/formats/webp.h"
#include "experiments/names.h"
#include "metrics/frechet.h"
#include "metrics/shape_clips.h"
#include "reproduce/mocogan/cells.h"
#include "weights/safetensors.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// Of each number of ClipScores: which way is better, and how it is measured.
struct Scored {
  std::string name;
  Direction better;
  std::string protocol;       ///< "": by the evaluator
  bool of_each_clip = false;  ///< a fraction of clips that are right or wrong, each by itself
  bool of_shapes = false;     ///< read off one bright shape on black
};

const std::vector<Scored>& scored() {
  static const std::vector<Scored> all{{"acd", Direction::LowerIsBetter, metrics::acd_protocol, false, true},
                                       {"diversity", Direction::Neither, "colour distance between clips, 0..255", false, true},
                                       {"step", Direction::Neither, "pixels a frame", false, true},
                                       {"jerk", Direction::LowerIsBetter, "pixels, second difference", false, true},
                                       {"still", Direction::LowerIsBetter, "fraction of clips", false, true},
                                       {"empty", Direction::LowerIsBetter, "fraction of frames", false, true},
                                       {"precision", Direction::HigherIsBetter, ""},
                                       {"recall", Direction::HigherIsBetter, ""},
                                       {"repeats", Direction::LowerIsBetter, "fraction of clips, pixels"},
                                       {"copies", Direction::LowerIsBetter, "fraction of clips, pixels"},
                                       {"frechet", Direction::LowerIsBetter, ""},
                                       {"motion_control", Direction::HigherIsBetter, "", true}};
  return all;
}

bool has(const std::string& dataset, const std::string& metric) {
  return has_shapes(dataset) || !find_named(scored(), "metric of clips", metric).of_shapes;
}

models::EvaluatorOptions clip_evaluator_options(const std::string& dataset, const CellContext& context) {
  const auto& settings = context.settings;
  const auto classes = std::ssize(class_names(dataset, context.data)) * looks_of(dataset);
  return evaluator_options({.size = settings.integer("clips.size"), .frames = settings.integer("clips.frames"), .classes = classes},
                           settings);
}

models::Evaluator trained_evaluator(const CellContext& context) {
  const auto& dataset = context.record.cell.dataset;
  return load_evaluator(clip_evaluator_options(dataset, context), evaluator_cell(dataset), context);
}

/// The class of motion of each clip, [N], from the probabilities of motions and looks, [N, K].
at::Tensor likeliest_motion(const at::Tensor& probabilities, const std::string& dataset) {
  return probabilities.unflatten(1, std::vector<std::int64_t>{-1, looks_of(dataset)}).sum(2).argmax(1);
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
  return drawn_clips(dataset, part, n, context, stretch).motion;
}

training::Examples evaluator_clips(const std::string& dataset, std::int64_t n, const CellContext& context) {
  auto clips = drawn_clips(dataset, Part::Evaluator, n, context, 0);
  clips.motion.labels = looks_of(dataset) * clips.motion.labels + clips.look;
  return clips.motion;
}

void run_evaluator(CellContext& context) {
  const auto& settings = context.settings;
  const auto& dataset = context.record.cell.dataset;
  const auto [learned, validation] = models::hold_out_eighth(evaluator_clips(dataset, settings.integer("judge.clips"), context));
  train_evaluator({.options = clip_evaluator_options(dataset, context),
                   .learned = learned,
                   .validation = validation,
                   .test = clips_of(dataset, Part::Evaluator, settings.integer("clips.test"), context, /*stretch=*/1),
                   .seed = seed_of({"mocogan", "judge", dataset}),
                   .predict = [&](const at::Tensor& probabilities) { return likeliest_motion(probabilities, dataset); }},
                  context);
}

ScoreBench::ScoreBench(const CellContext& context)
    : dataset_(context.record.cell.dataset),
      count_(context.settings.integer("clips.test")),
      training_(clips_of(context.record.cell.dataset, Part::Training, context.settings.integer("clips.training"), context)),
      windows_(windows_of(training_, context.settings.integer("clips.frames"), context.record.cell.seed)),
      evaluator_(trained_evaluator(context)) {
  const auto test = clips_of(dataset_, Part::Test, count_, context, test_stretch);
  real_ = evaluate(test.x, test.labels);
  const auto bands = bands_file(context);
  if (context.record.cell.table == worthless_table && context.record.cell.method == real_row) write_bands(bands, measured_bands(context));
  bands_ = read_bands(bands);
}

std::vector<metrics::Band> ScoreBench::measured_bands(const CellContext& context) const {
  std::vector<metrics::ClipScores> real;
  for (std::int64_t i = 0; i < band_stretches; ++i) {
    const auto other = clips_of(dataset_, Part::Test, count_, context, first_band_stretch + i);
    real.push_back(metrics::score_clips(evaluate(other.x, other.labels), real_, windows_));
  }
  auto bands = metrics::bands_of(real);
  std::erase_if(bands, [this](const metrics::Band& band) { return !has(dataset_, band.metric); });
  return bands;
}

metrics::EvaluatedClips ScoreBench::evaluate(const at::Tensor& clips, const at::Tensor& requested) const {
  metrics::EvaluatedClips out{.clips = clips, .features = evaluator_.features(clips)};
  if (requested.defined()) out.predicted = likeliest_motion(evaluator_.probabilities(clips), dataset_), out.requested = requested;
  return out;
}

std::map<std::string, double> ScoreBench::look(const at::Tensor& clips) const {
  std::map<std::string, double> numbers{{"frechet", metrics::frechet_distance(evaluator_.features(clips), real_.features)}};
  if (has_shapes(dataset_)) {
    const auto tracks = metrics::track_shapes(clips);
    numbers["acd"] = metrics::average_content_distance(tracks);
    numbers["step"] = metrics::shape_motion_scores(tracks).step;
  }
  return numbers;
}

void ScoreBench::note_looks(const std::map<std::string, std::vector<double>>& curves, CellContext& context) const {
  if (!curves.contains("frechet")) return;
  const auto& frechet = curves.at("frechet");
  const double mean = std::accumulate(frechet.begin(), frechet.end(), 0.0) / static_cast<double>(frechet.size());
  context.record.metrics.push_back({"frechet_in_training", mean, "", Direction::LowerIsBetter,
                                    fmt::format("{}, mean of {} looks", evaluator_.protocol("frechet", count_), frechet.size())});
}

void ScoreBench::note(const at::Tensor& clips, const at::Tensor& requested, CellContext& context) const {
  auto& record = context.record;
  const auto seen = evaluate(clips, requested);
  const auto scores = metrics::score_clips(seen, real_, windows_);
  const auto n = clips.size(0);
  for (const auto& [name, value] : metrics::values_of(scores)) {
    const auto& one = find_named(scored(), "metric of clips", name);
    if (!has(dataset_, name)) continue;
    record.metrics.push_back({name, value, "", one.better,
                              one.protocol.empty() ? evaluator_.protocol(name, n) : fmt::format("{}, N={}", one.protocol, n),
                              one.of_each_clip ? n : 0});
  }
  record.metrics.push_back(
      {"kernel", metrics::kernel_distance(seen.features, real_.features), "", Direction::LowerIsBetter, evaluator_.protocol("kernel", n)});
  if (requested.defined())
    record.metrics.push_back({"chance", 1.0 / static_cast<double>(class_names(dataset_, context.data).size()), "", Direction::Neither,
                              evaluator_.protocol("motion_control", n)});  // one over the number of classes
  const auto verdict = metrics::judge_clips(scores, bands_);
  record.metrics.push_back({"passes", verdict.passes() ? 1.0 : 0.0, "", Direction::HigherIsBetter, "within every band of real clips"});
  record.metrics.push_back(
      {"failures", static_cast<double>(verdict.failures.size()), "", Direction::LowerIsBetter, "numbers outside the bands of real clips"});
}

models::TrainedMocogan trained_mocogan(const std::string& method, const CellContext& context) {
  const auto& own = context.record.cell;
  return models::load_mocogan(context.store.folder(cell(generated_table, own.dataset, method, own.seed)) / "generator.safetensors",
                              at::Device(context.device));
}

void draw_clips(const CellContext& context, const std::string& name, const at::Tensor& clips) {
  const auto pixels = datasets::pixels_of(clips).permute({0, 1, 3, 4, 2}).contiguous();  // [N, T, H, W, 3]
  datasets::write_png(context.folder / (name + ".png"), datasets::strips(pixels.slice(0, 0, 6)));
  const auto beside = at::constant_pad_nd(pixels.slice(0, 0, 8), {0, 0, 0, 1}, 64);  // a line between neighbours
  datasets::write_webp(context.folder / (name + ".webp"), datasets::enlarged(beside.permute({1, 2, 0, 3, 4}).flatten(2, 3)), 8);
}

}  // namespace reprise::reproduce::mocogan_study
