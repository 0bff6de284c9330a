#include "metrics/clip_scores.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <array>
#include <limits>

#include "core/error.h"
#include "metrics/classification.h"
#include "metrics/coverage.h"
#include "metrics/frechet.h"
#include "metrics/shape_clips.h"

namespace reprise::metrics {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

using Limits = std::pair<double, double>;

/// Access to the score of a metric, and its band around the mean m of real clips.
struct ScoredMetric {
  const char* name;
  std::optional<double> (*value)(const ClipScores&);
  Limits (*band)(double m);
};

/// Lists the rows of the header's table. The limits have no source in the paper. With them real
/// clips pass on every seed, and each negative control but `noisy` fails (results/mocogan, table
/// worthless).
const std::array<ScoredMetric, 12>& scored_metrics() {
  using Scores = const ClipScores&;
  static const std::array<ScoredMetric, 12> all{{
      {"acd", [](Scores s) -> std::optional<double> { return s.acd; },
       [](double m) {
         return Limits{-none, m + 10};
       }},
      {"diversity", [](Scores s) -> std::optional<double> { return s.diversity; },
       [](double m) {
         return Limits{0.8 * m, 1.2 * m};
       }},
      {"step", [](Scores s) -> std::optional<double> { return s.step; },
       [](double m) {
         return Limits{0.8 * m, 1.2 * m};
       }},
      {"jerk", [](Scores s) -> std::optional<double> { return s.jerk; },
       [](double m) {
         return Limits{-none, 1.5 * m};
       }},
      {"still", [](Scores s) -> std::optional<double> { return s.still; },
       [](double m) {
         return Limits{-none, m + 0.05};
       }},
      {"empty", [](Scores s) -> std::optional<double> { return s.empty; },
       [](double m) {
         return Limits{-none, m + 0.05};
       }},
      {"precision", [](Scores s) -> std::optional<double> { return s.precision; },
       [](double m) {
         return Limits{m - 0.25, none};
       }},
      {"recall", [](Scores s) -> std::optional<double> { return s.recall; },
       [](double m) {
         return Limits{m - 0.25, none};
       }},
      {"repeats", [](Scores s) -> std::optional<double> { return s.repeats; },
       [](double m) {
         return Limits{-none, m + 0.1};
       }},
      {"copies", [](Scores s) -> std::optional<double> { return s.copies; },
       [](double m) {
         return Limits{-none, m + 0.1};
       }},
      {"frechet", [](Scores s) -> std::optional<double> { return s.frechet; },
       [](double m) {
         return Limits{-none, 3 * m};
       }},
      {"motion_control", [](Scores s) { return s.motion_control; },
       [](double m) {
         return Limits{m - 0.05, none};
       }},
  }};
  return all;
}

const ScoredMetric& find_metric(const std::string& name) {
  std::string names;
  for (const auto& metric : scored_metrics()) {
    if (metric.name == name) return metric;
    names += (names.empty() ? "" : ", ") + std::string(metric.name);
  }
  throw UsageError(fmt::format("there is no metric \"{}\" of clips", name),
                   "choose one of " + names);
}

}  // namespace

ClipScores score_clips(const EvaluatedClips& generated, const EvaluatedClips& real,
                       const at::Tensor& training) {
  const auto tracks = track_shapes(generated.clips);
  const auto n = generated.clips.size(0);
  if (real.clips.size(0) < n)
    throw UsageError(fmt::format("there are {} real clips to compare {} generated ones with",
                                 real.clips.size(0), n),
                     "give as many real clips, or more");
  if (generated.requested.defined() && !generated.predicted.defined())
    throw UsageError("classes were requested, but none predicted",
                     "give the classes predicted by an evaluator");
  const auto motion = shape_motion_scores(tracks);
  // Repeats and copies compare the pixels of whole clips.
  const auto pixels = [](const at::Tensor& clips) { return clips.flatten(1); };
  const auto found = precision_recall(real.features, generated.features);
  ClipScores scores{
      .acd = average_content_distance(tracks),
      .diversity = content_diversity(tracks),
      .step = motion.step,
      .jerk = motion.jerk,
      .still = motion.still,
      .empty = motion.empty,
      .precision = found.precision,
      .recall = found.recall,
      .repeats = repeat_fraction(pixels(generated.clips), pixels(real.clips.slice(0, 0, n))),
      .copies = copy_fraction(pixels(generated.clips), pixels(training), pixels(real.clips)),
      .frechet = frechet_distance(generated.features, real.features)};
  if (generated.requested.defined())
    scores.motion_control = accuracy(generated.predicted, generated.requested);
  return scores;
}

std::vector<std::pair<std::string, double>> list_values(const ClipScores& scores) {
  std::vector<std::pair<std::string, double>> values;
  for (const auto& metric : scored_metrics())
    if (const auto value = metric.value(scores)) values.emplace_back(metric.name, *value);
  return values;
}

std::vector<Band> make_bands(const std::vector<ClipScores>& real) {
  if (real.empty())
    throw UsageError("bands of no real clips", "give the scores of one set of real clips or more");
  std::vector<Band> bands;
  for (const auto& metric : scored_metrics()) {
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& scores : real)
      if (const auto value = metric.value(scores)) {
        sum += *value;
        ++count;
      }
    // No set of real clips has the score: there were no requested classes.
    if (count == 0) continue;
    const auto [low, high] = metric.band(sum / static_cast<double>(count));
    bands.push_back({metric.name, low, high});
  }
  return bands;
}

BandCheck check_bands(const ClipScores& scores, const std::vector<Band>& bands) {
  BandCheck check;
  for (const auto& [name, low, high] : bands) {
    const auto value = find_metric(name).value(scores);
    // Written so that NaN fails.
    if (value && !(*value >= low && *value <= high))
      check.failures.push_back({name, *value, low, high});
  }
  return check;
}

std::string BandCheck::text() const {
  std::string text;
  for (const auto& [metric, value, low, high] : failures)
    text += fmt::format("{}{} {:.3g} {} {:.3g}", text.empty() ? "" : "; ", metric, value,
                        value < low ? "below" : "above", value < low ? low : high);
  return text.empty() ? "within every band" : text;
}

}  // namespace reprise::metrics
