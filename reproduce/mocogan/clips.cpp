// Clips of study mocogan: the evaluator, its scores and the bands of real clips.
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

/// A score of ClipScores: its direction and protocol.
struct ClipMetric {
  std::string name;
  Direction better;
  std::string protocol;       ///< "": the evaluator's
  bool of_each_clip = false;  ///< a fraction of independent clips
  bool of_shapes = false;     ///< needs one bright shape on black
};

const std::vector<ClipMetric>& clip_metrics() {
  static const std::vector<ClipMetric> all{
      {.name = "acd",
       .better = Direction::LowerIsBetter,
       .protocol = metrics::acd_protocol,
       .of_shapes = true},
      {.name = "diversity",
       .better = Direction::Neither,
       .protocol = "colour distance between clips, 0..255",
       .of_shapes = true},
      {.name = "step",
       .better = Direction::Neither,
       .protocol = "pixels a frame",
       .of_shapes = true},
      {.name = "jerk",
       .better = Direction::LowerIsBetter,
       .protocol = "pixels, second difference",
       .of_shapes = true},
      {.name = "still",
       .better = Direction::LowerIsBetter,
       .protocol = "fraction of clips",
       .of_shapes = true},
      {.name = "empty",
       .better = Direction::LowerIsBetter,
       .protocol = "fraction of frames",
       .of_shapes = true},
      {.name = "precision", .better = Direction::HigherIsBetter, .protocol = ""},
      {.name = "recall", .better = Direction::HigherIsBetter, .protocol = ""},
      {.name = "repeats",
       .better = Direction::LowerIsBetter,
       .protocol = "fraction of clips, pixels"},
      {.name = "copies",
       .better = Direction::LowerIsBetter,
       .protocol = "fraction of clips, pixels"},
      {.name = "frechet", .better = Direction::LowerIsBetter, .protocol = ""},
      {.name = "motion_control",
       .better = Direction::HigherIsBetter,
       .protocol = "",
       .of_each_clip = true}};
  return all;
}

/// Returns whether clips of a data set have a metric.
bool has_metric(const std::string& dataset, const std::string& metric) {
  return has_shapes(dataset) || !find_named(clip_metrics(), "metric of clips", metric).of_shapes;
}

models::EvaluatorOptions clip_evaluator_options(const std::string& dataset,
                                                const CellContext& context) {
  const auto& settings = context.settings;
  const auto classes = std::ssize(class_names(dataset, context.data)) * appearance_count(dataset);
  return evaluator_options({.size = settings.integer("clips.size"),
                            .frames = settings.integer("clips.frames"),
                            .classes = classes},
                           settings);
}

models::Evaluator load_trained_evaluator(const CellContext& context) {
  const auto& dataset = context.record.cell.dataset;
  return load_evaluator(clip_evaluator_options(dataset, context), evaluator_cell(dataset), context);
}

/// Returns the most likely motion of each clip, [N], from probabilities of motion and appearance,
/// [N, K].
at::Tensor find_likeliest_motion(const at::Tensor& probabilities, const std::string& dataset) {
  return probabilities.unflatten(1, std::vector<std::int64_t>{-1, appearance_count(dataset)})
      .sum(2)
      .argmax(1);
}

/// Returns the file of the bands. The cell of real clips measures them for its seed.
std::filesystem::path bands_file(const CellContext& context) {
  const auto& own = context.record.cell;
  return context.store.folder(cell(controls_table, own.dataset, real_row, own.seed)) /
         "bands.safetensors";
}

void write_bands(const std::filesystem::path& file, const std::vector<metrics::Band>& bands) {
  weights::StateDict state;
  for (const auto& band : bands)
    state.emplace_back(band.metric, torch::tensor({band.low, band.high}, at::kDouble));
  weights::write_safetensors(file, state);
}

std::vector<metrics::Band> read_bands(const std::filesystem::path& file) {
  std::vector<metrics::Band> bands;
  for (const auto& [metric, limits] : weights::read_weights(file))
    bands.push_back({metric, limits[0].item<double>(), limits[1].item<double>()});
  return bands;
}

}  // namespace

training::Examples load_clips(const std::string& dataset, Part part, std::int64_t n,
                              const CellContext& context, std::int64_t segment) {
  return load_clips_with_appearance(dataset, part, n, context, segment).motion;
}

training::Examples load_evaluator_clips(const std::string& dataset, std::int64_t n,
                                        const CellContext& context) {
  auto clips = load_clips_with_appearance(dataset, Part::Evaluator, n, context, 0);
  // One class for each pair of motion and appearance.
  clips.motion.labels = appearance_count(dataset) * clips.motion.labels + clips.appearance;
  return clips.motion;
}

void run_evaluator(CellContext& context) {
  const auto& settings = context.settings;
  const auto& dataset = context.record.cell.dataset;
  const auto [learned, validation] = models::hold_out_eighth(
      load_evaluator_clips(dataset, settings.integer("evaluator.clips"), context));
  train_evaluator({.options = clip_evaluator_options(dataset, context),
                   .learned = learned,
                   .validation = validation,
                   .test = load_clips(dataset, Part::Evaluator, settings.integer("clips.test"),
                                      context, /*segment=*/1),
                   .seed = seed_of({"mocogan", "judge", dataset}),
                   .predict =
                       [&](const at::Tensor& probabilities) {
                         return find_likeliest_motion(probabilities, dataset);
                       }},
                  context);
}

ClipEvaluator::ClipEvaluator(const CellContext& context)
    : dataset_(context.record.cell.dataset),
      count_(context.settings.integer("clips.test")),
      training_(load_clips(context.record.cell.dataset, Part::Training,
                           context.settings.integer("clips.training"), context)),
      windows_(cut_windows(training_, context.settings.integer("clips.frames"),
                           context.record.cell.seed)),
      evaluator_(load_trained_evaluator(context)) {
  // Generated clips are compared with the first test segment.
  const auto test = load_clips(dataset_, Part::Test, count_, context, test_segment);
  real_ = evaluate(test.x, test.labels);
  const auto bands = bands_file(context);
  // The cell of real clips measures the bands; all other cells of the seed read them.
  if (context.record.cell.table == controls_table && context.record.cell.method == real_row)
    write_bands(bands, measure_bands(context));
  bands_ = read_bands(bands);
}

std::vector<metrics::Band> ClipEvaluator::measure_bands(const CellContext& context) const {
  std::vector<metrics::ClipScores> real;
  // Scores of further real segments set the bands.
  for (std::int64_t i = 0; i < band_segments; ++i) {
    const auto other = load_clips(dataset_, Part::Test, count_, context, first_band_segment + i);
    real.push_back(metrics::score_clips(evaluate(other.x, other.labels), real_, windows_));
  }
  auto bands = metrics::make_bands(real);
  // Sets without shapes have no bands for metrics of shapes.
  std::erase_if(bands,
                [this](const metrics::Band& band) { return !has_metric(dataset_, band.metric); });
  return bands;
}

metrics::EvaluatedClips ClipEvaluator::evaluate(const at::Tensor& clips,
                                                const at::Tensor& requested) const {
  metrics::EvaluatedClips out{.clips = clips, .features = evaluator_.features(clips)};
  // Without requested classes there is no motion control.
  if (requested.defined()) {
    out.predicted = find_likeliest_motion(evaluator_.probabilities(clips), dataset_);
    out.requested = requested;
  }
  return out;
}

std::map<std::string, double> ClipEvaluator::evaluate(const at::Tensor& clips) const {
  std::map<std::string, double> numbers{
      {"frechet", metrics::frechet_distance(evaluator_.features(clips), real_.features)}};
  if (has_shapes(dataset_)) {
    const auto tracks = metrics::track_shapes(clips);
    numbers["acd"] = metrics::average_content_distance(tracks);
    numbers["step"] = metrics::shape_motion_scores(tracks).step;
  }
  return numbers;
}

void ClipEvaluator::record_mean_distance(const std::map<std::string, std::vector<double>>& curves,
                                         CellContext& context) const {
  // A generator without evaluations has no curve.
  if (!curves.contains("frechet")) return;
  const auto& frechet = curves.at("frechet");
  const double mean =
      std::accumulate(frechet.begin(), frechet.end(), 0.0) / static_cast<double>(frechet.size());
  context.record.metrics.push_back(
      {.name = "frechet_in_training",
       .value = mean,
       .unit = "",
       .direction = Direction::LowerIsBetter,
       .protocol = fmt::format("{}, mean of {} looks", evaluator_.protocol("frechet", count_),
                               frechet.size())});
}

void ClipEvaluator::record_scores(const at::Tensor& clips, const at::Tensor& requested,
                                  CellContext& context) const {
  auto& record = context.record;
  // Scores against real clips of the seed.
  const auto evaluated = evaluate(clips, requested);
  const auto scores = metrics::score_clips(evaluated, real_, windows_);
  const auto n = clips.size(0);
  for (const auto& [name, value] : metrics::list_values(scores)) {
    const auto& one = find_named(clip_metrics(), "metric of clips", name);
    if (!has_metric(dataset_, name)) continue;
    record.metrics.push_back({.name = name,
                              .value = value,
                              .unit = "",
                              .direction = one.better,
                              .protocol = one.protocol.empty()
                                              ? evaluator_.protocol(name, n)
                                              : fmt::format("{}, N={}", one.protocol, n),
                              .items = one.of_each_clip ? n : 0});
  }
  record.metrics.push_back({.name = "kernel",
                            .value = metrics::kernel_distance(evaluated.features, real_.features),
                            .unit = "",
                            .direction = Direction::LowerIsBetter,
                            .protocol = evaluator_.protocol("kernel", n)});
  // Accuracy of a guess.
  if (requested.defined())
    record.metrics.push_back(
        {.name = "chance",
         .value = 1.0 / static_cast<double>(class_names(dataset_, context.data).size()),
         .unit = "",
         .direction = Direction::Neither,
         .protocol = evaluator_.protocol("motion_control", n)});
  const auto check = metrics::check_bands(scores, bands_);
  record.metrics.push_back({.name = "passes",
                            .value = check.passes() ? 1.0 : 0.0,
                            .unit = "",
                            .direction = Direction::HigherIsBetter,
                            .protocol = "within every band of real clips"});
  record.metrics.push_back({.name = "failures",
                            .value = static_cast<double>(check.failures.size()),
                            .unit = "",
                            .direction = Direction::LowerIsBetter,
                            .protocol = "numbers outside the bands of real clips"});
}

models::TrainedMocogan load_trained_mocogan(const std::string& method, const CellContext& context) {
  const auto& own = context.record.cell;
  return models::load_mocogan(
      context.store.folder(cell(generated_table, own.dataset, method, own.seed)) /
          "generator.safetensors",
      at::Device(context.device));
}

void write_clip_images(const CellContext& context, const std::string& name,
                       const at::Tensor& clips) {
  // To pictures [N, T, H, W, 3].
  const auto pixels = datasets::to_pixels(clips).permute({0, 1, 3, 4, 2}).contiguous();
  // Six clips as strips of frames, eight as an animation.
  datasets::write_png(context.folder / (name + ".png"),
                      datasets::draw_strips(pixels.slice(0, 0, 6)));
  // A grey line of one pixel separates clips that stand side by side.
  const auto separated = at::constant_pad_nd(pixels.slice(0, 0, 8), {0, 0, 0, 1}, 64);
  datasets::write_webp(context.folder / (name + ".webp"),
                       datasets::enlarge(separated.permute({1, 2, 0, 3, 4}).flatten(2, 3)), 8);
}

}  // namespace reprise::reproduce::mocogan_study
