#include "experiments/base_network.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/random.h"
#include "core/text.h"
#include "experiments/resampling.h"
#include "experiments/sequence_training.h"

namespace reprise::reproduce {
namespace {

using records::Direction;

/// Items per forward pass; bounds the memory.
constexpr std::int64_t items_at_once = 128;

/// Lists the thresholds that are missed: "its validation error is 0.999 of the trivial baseline's
/// (at most 0.95)".
std::string failure_text(const Health& health) {
  const auto& t = health_thresholds;
  std::vector<std::string> failures;
  // The comparisons are negated so that NaN fails.
  if (!(health.error <= t.error))
    failures.push_back(
        fmt::format("its validation error is {:.3g} of the trivial baseline's (at most {})",
                    health.error, t.error));
  if (health.live_units && !(*health.live_units >= t.live_units))
    failures.push_back(fmt::format("{:.3g} of the units of a layer are live (at least {})",
                                   *health.live_units, t.live_units));
  if (!(health.late_gain <= t.late_gain))
    failures.push_back(fmt::format(
        "the last tenth of the epochs brought {:.2g} of the fall of the error (at most {})",
        health.late_gain, t.late_gain));
  return join(failures, "; ");
}

void note_health(const Health& health, std::int64_t draw, const std::string& part,
                 records::Record& record) {
  const auto note = [&](const char* name, double value, Direction direction) {
    record.metrics.push_back({.name = name_with_part(name, part),
                              .value = value,
                              .direction = direction,
                              .protocol = "health check of a base network"});
  };
  note("draw", static_cast<double>(draw), Direction::Neither);
  note("healthy", health.passes() ? 1 : 0, Direction::HigherIsBetter);
  note("health_error", health.error, Direction::LowerIsBetter);
  if (health.live_units) note("health_live_units", *health.live_units, Direction::HigherIsBetter);
  note("health_late_gain", health.late_gain, Direction::LowerIsBetter);
}

}  // namespace

bool Health::passes() const { return failure_text(*this).empty(); }

Health check_health(const BaseTraining& training) {
  const auto& errors = training.report.validation_error;
  const double least = training::best_error(training.report);
  const double fall = training.trivial_error - least;
  Health health{.error = least / training.trivial_error, .live_units = training.live_units};
  // The last tenth of the epochs, at least one.
  const auto late = std::max<std::ptrdiff_t>(1, std::ssize(errors) / 10);
  double before = training.trivial_error;  // nothing was learnt before the first epoch
  for (auto error = errors.begin(); error < errors.end() - late; ++error)
    before = std::min(before, *error);
  // Without a fall its late part is undefined. Such a network fails by its error.
  if (fall > 0) health.late_gain = std::max(0.0, before - least) / fall;
  return health;
}

std::uint64_t seed_of_draw(std::uint64_t seed, std::int64_t draw) {
  return draw == 0 ? seed : seed_of({std::to_string(seed), "draw", std::to_string(draw)});
}

training::FitReport train_base_network(
    CellContext& context, const std::string& part,
    const std::function<BaseTraining(std::int64_t draw)>& train) {
  // A smoke test trains too briefly to pass the check.
  if (context.settings.all().value("purpose", "full_experiment") != "full_experiment")
    return train(0).report;
  for (std::int64_t draw = 0;; ++draw) {
    const bool last = draw + 1 == most_draws;
    std::string failures;
    try {
      auto trained = train(draw);
      const auto health = check_health(trained);
      failures = failure_text(health);
      // The last draw is kept in any case; its record states that it failed.
      if (failures.empty() || last) {
        note_health(health, draw, part, context.record);
        return std::move(trained.report);
      }
    } catch (const training::Diverged& diverged) {
      if (last) throw;
      failures = diverged.what();
    }
    context.progress.done(
        fmt::format("draw {} fails the health check of a base network: {}; training draw {}", draw,
                    failures, draw + 1));
  }
}

training::FitReport train_on_frames(models::Backbone& network, const std::string& section,
                                    training::Task task, std::uint64_t seed, CellContext& context,
                                    const std::string& checkpoint) {
  const auto& settings = context.settings;
  task.forward = [&network](const torch::Tensor& x) { return network(x); };
  const auto options = fit_options(settings, section, settings.integer(section + ".epochs"), seed,
                                   context.folder / checkpoint);
  const auto rate = settings.number(section + ".learning_rate");
  return training::fit(*network, {{network->parameters(), rate}}, task, options, context.progress);
}

double least_live_fraction(models::Backbone& network, const at::Tensor& items,
                           const std::function<at::Tensor(const at::Tensor& piece)>& input_of) {
  const c10::InferenceMode inference;
  network->eval();
  const auto& stages = network->stages();
  std::vector<at::Tensor> low(stages.size()), high(stages.size());  // of each unit over the items
  for (const auto& piece : items.split(items_at_once)) {
    auto x = input_of(piece.to(device_of(*network)));
    // The output layer has no activation that could die, and poolings have no units.
    for (std::size_t i = 0; i + 1 < stages.size(); ++i) {
      x = network->run(x, i, i + 1);
      using Kind = models::StageOptions::Kind;
      const auto kind = stages[i].options().kind;
      if (kind == Kind::MaxPool || kind == Kind::AveragePool) continue;
      const auto units = x.transpose(0, 1).flatten(1);  // [channels, items and places]
      // A unit is live if its output differs between items; its extremes over all pieces show that.
      const auto least = units.amin(1), most = units.amax(1);
      low[i] = low[i].defined() ? at::minimum(low[i], least) : least;
      high[i] = high[i].defined() ? at::maximum(high[i], most) : most;
    }
  }
  double fraction = 1;
  for (std::size_t i = 0; i < stages.size(); ++i)
    if (low[i].defined())
      fraction = std::min(fraction, (high[i] > low[i]).to(at::kDouble).mean().item<double>());
  return fraction;
}

double trivial_cross_entropy(const at::Tensor& labels) {
  const auto counts = labels.bincount().to(at::kDouble);
  const auto frequencies = counts.masked_select(counts > 0) / counts.sum();
  return -(frequencies * frequencies.log()).sum().item<double>();
}

double trivial_error_rate(const at::Tensor& labels) {
  return 1 - static_cast<double>(labels.bincount().max().item<std::int64_t>()) /
                 static_cast<double>(labels.numel());
}

std::vector<std::string> health_notes(const std::vector<records::Record>& records) {
  std::vector<std::string> notes;
  for (const auto& record : records)
    for (const auto& metric : record.metrics) {
      if (metric.name != "draw" && !metric.name.starts_with("draw_")) continue;
      const auto healthy =
          record.metric("healthy" + metric.name.substr(std::string("draw").size()));
      // Networks that pass with their first draw need no note.
      if (!healthy || (*healthy == 1 && metric.value == 0)) continue;
      notes.push_back(fmt::format(
          "Base network {} ({}): {}.", record.cell.id(), metric.name,
          *healthy == 1
              ? fmt::format("draw {} after {} that failed the health check", metric.value,
                            metric.value)
              : fmt::format("it failed the health check in all of {} draws", most_draws)));
    }
  return notes;
}

}  // namespace reprise::reproduce
