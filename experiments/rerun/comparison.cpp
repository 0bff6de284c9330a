#include "experiments/rerun/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "records/aggregate.h"
#include "records/regression/check.h"
#include "statistics/spread.h"
#include "statistics/statistics.h"

namespace reprise::reproduce {
namespace {

using records::Direction;
using records::Metric;
using records::Record;

/// Curves are rounded to 7 digits when they are written, so that neighbours may be a unit of the
/// last digit apart.
constexpr double curve_tolerance = 2e-6;

/// Agreement of a value with the committed one, and its distance in tolerances.
struct MetricStanding {
  std::string metric;
  double committed = 0, measured = 0;
  Agreement agreement = Agreement::Equal;
  double distance = 0;
};

/// A protocol names the weights of the evaluator. By another rounding these are others, and the
/// evaluator is still the same.
bool measured_alike(const Metric& a, const Metric& b, bool exact) {
  if (a.unit != b.unit || a.direction != b.direction) return false;
  return exact ? a.protocol == b.protocol
               : records::without_evaluator(a.protocol) == records::without_evaluator(b.protocol);
}

MetricStanding standing_by_bits(const Metric& committed, const Metric& measured) {
  MetricStanding standing{
      .metric = committed.name, .committed = committed.value, .measured = measured.value};
  if (measured.value == committed.value) return standing;
  standing.distance =
      std::abs(measured.value - committed.value) / records::same_value_tolerance(committed.value);
  standing.agreement = standing.distance <= 1 ? Agreement::WithinTolerance : Agreement::Differs;
  return standing;
}

/// Returns the largest chance distance of two seeds for each metric, from the spread over the
/// committed seeds of the record's table.
std::map<std::string, double> seed_bands(const Record& measured, const std::vector<Record>& alike) {
  // As in the regression check: a level for all metrics of a table together.
  constexpr double level = 0.025;
  std::map<std::pair<std::string, std::string>,
           std::vector<std::pair<records::Quantity, statistics::Spread>>>
      by_metric;
  int family = 0;
  for (const auto& [quantity, sample] : records::aggregate(alike)) {
    if (sample.n() < 2) continue;
    family += sample.direction != Direction::Neither;
    const statistics::Spread spread{.std_dev = statistics::std_dev(sample.values),
                                    .freedom = sample.n() - 1.0};
    by_metric[{quantity.metric, sample.protocol}].push_back({quantity, spread});
  }
  std::map<std::string, double> bands;
  for (const auto& [key, cells] : by_metric) {
    std::vector<statistics::Spread> spreads;
    for (const auto& [quantity, spread] : cells) spreads.push_back(spread);
    spreads = statistics::moderate_spreads(spreads);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto& [table, dataset, method, metric] = cells[i].first;
      if (table != measured.cell.table || dataset != measured.cell.dataset ||
          method != measured.cell.method)
        continue;
      const double t =
          statistics::student_quantile(1 - level / std::max(1, family), spreads[i].freedom);
      bands[metric] = t * statistics::difference_error(spreads[i], 1, 1);
    }
  }
  return bands;
}

MetricStanding standing_by_band(const Metric& committed, const Metric& measured,
                                const std::map<std::string, double>& bands) {
  auto standing = standing_by_bits(committed, measured);
  if (standing.agreement != Agreement::Differs) return standing;
  standing.distance = 0;
  const auto band = bands.find(committed.name);
  if (band == bands.end()) {
    standing.agreement = Agreement::NotComparable;
    return standing;
  }
  // A value that became better by more than the band is no reproduction either.
  const double change = std::abs(measured.value - committed.value);
  standing.agreement = change > band->second ? Agreement::Differs : Agreement::WithinSpread;
  if (band->second > 0) standing.distance = change / band->second;
  return standing;
}

bool same_numbers(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  const auto near = [&](double x, double y) {
    return x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * std::abs(x);
  };
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), near);
}

/// The first curve that differs; nothing where all agree. Agreement::WithinTolerance: by a unit of
/// the last digit.
std::optional<std::pair<std::string, Agreement>> differing_curve(const records::Curves& committed,
                                                                 const records::Curves& measured) {
  std::optional<std::pair<std::string, Agreement>> found;
  for (const auto& [name, values] : committed) {
    const auto now = measured.find(name);
    if (now != measured.end() && same_numbers(values, now->second, 0)) continue;
    if (now == measured.end() || !same_numbers(values, now->second, curve_tolerance))
      return std::pair(name, Agreement::Differs);
    if (!found) found = std::pair(name, Agreement::WithinTolerance);
  }
  return found;
}

/// Whether the study's code computes what it computed for the record. Records that do not keep
/// their processes are older than the versions that say so: they may be of any code.
bool same_code(const Record& committed, const Record& measured) {
  return !committed.processes.empty() && committed.version == measured.version;
}

std::string short_commit(const records::Environment& environment) {
  if (environment.commit.empty()) return "an unknown commit";
  return "commit " + environment.commit.substr(0, 8) + (environment.dirty ? " with changes" : "");
}

/// Names the likeliest difference between two records.
std::string likely_reason(const Record& committed, const Record& measured) {
  const auto& then = *committed.environment;
  const auto& now = *measured.environment;
  if (then.arithmetic != now.arithmetic)
    return fmt::format("another platform: {} here, {} in the record", now.arithmetic,
                       then.arithmetic.empty() ? "unknown" : then.arithmetic);
  for (const auto& [name, hash] : measured.data)
    if (const auto before = committed.data.find(name);
        before == committed.data.end() || before->second != hash)
      return fmt::format("changed data: {} is not what the record was made of", name);
  if (!same_code(committed, measured) || then.commit != now.commit || then.dirty || now.dirty)
    return fmt::format(
        "{}: the record is of {}, this program of {}",
        committed.processes.empty()
            ? "the record is older than code versions, so that bits are not asked for"
            : "changed code",
        short_commit(then), short_commit(now));
  return "nothing that the records state: the same code, data and platform gave another value; please report it";
}

/// The metric to show where nothing differs: what the tables show, else the first that has a
/// direction.
const Metric* metric_to_show(const Record& committed, const std::string& shown) {
  if (const auto* metric = find_metric(committed, shown)) return metric;
  for (const auto& metric : committed.metrics)
    if (metric.direction != Direction::Neither) return &metric;
  return committed.metrics.empty() ? nullptr : &committed.metrics.front();
}

int rank(Agreement agreement) {
  switch (agreement) {
    case Agreement::Equal:
      return 0;
    case Agreement::WithinTolerance:
      return 1;
    case Agreement::WithinSpread:
      return 2;
    case Agreement::NotComparable:
      return 3;
    case Agreement::Differs:
      return 4;
  }
  return 0;
}

}  // namespace

bool bits_are_expected(const Record& committed, const Record& measured) {
  const auto& then = *committed.environment;
  const auto& now = *measured.environment;
  return !now.arithmetic.empty() && then.arithmetic == now.arithmetic &&
         same_code(committed, measured);
}

Comparison compare_cells(const CellValues& committed, const CellValues& measured,
                         const std::string& shown, const std::vector<Record>& alike) {
  const bool exact = bits_are_expected(committed.record, measured.record);
  const auto bands = exact ? std::map<std::string, double>{} : seed_bands(measured.record, alike);
  std::vector<MetricStanding> standings;
  std::string only_described;  // a metric without a direction that has another value now
  for (const auto& before : committed.record.metrics) {
    const auto* now = find_metric(measured.record, before.name);
    if (now == nullptr || !measured_alike(before, *now, exact)) {
      return {
          .agreement = Agreement::Differs,
          .metric = before.name,
          .committed = before.value,
          .measured = now ? now->value : std::nan(""),
          .unit = before.unit,
          .reason = fmt::format("changed code: this program {} {}",
                                now ? "measures in another way" : "does not measure", before.name)};
    }
    // With other rounding, the best epoch and the like change. They describe a training and are no
    // result.
    if (!exact && before.direction == Direction::Neither && now->value != before.value) {
      only_described = before.name;
      continue;
    }
    standings.push_back(exact ? standing_by_bits(before, *now)
                              : standing_by_band(before, *now, bands));
  }
  Comparison comparison;
  if (const auto* metric = metric_to_show(committed.record, shown)) {
    comparison.metric = metric->name;
    comparison.unit = metric->unit;
    comparison.committed = metric->value;
    // Every metric was found above.
    comparison.measured = find_metric(measured.record, metric->name)->value;
  }
  const auto worst = std::max_element(
      standings.begin(), standings.end(), [](const MetricStanding& a, const MetricStanding& b) {
        return std::pair(rank(a.agreement), a.distance) < std::pair(rank(b.agreement), b.distance);
      });
  if (worst != standings.end())
    comparison.agreement = worst->agreement;
  else if (!only_described.empty())
    comparison.agreement = Agreement::NotComparable;
  // Metrics that agree do not make a cell equal whose other values are others.
  if (comparison.agreement == Agreement::Equal && !only_described.empty()) {
    comparison.agreement = Agreement::WithinSpread;
    comparison.reason = fmt::format("{} is not the same; ", only_described);
  }
  if (rank(comparison.agreement) > rank(Agreement::WithinTolerance) && worst != standings.end() &&
      worst->agreement != Agreement::Equal) {
    comparison.metric = worst->metric;
    comparison.unit = find_metric(committed.record, worst->metric)->unit;
    comparison.committed = worst->committed;
    comparison.measured = worst->measured;
  }
  // Counts depend on neither platform nor rounding.
  if (comparison.agreement != Agreement::Differs &&
      committed.record.parameters != measured.record.parameters) {
    comparison.agreement = Agreement::Differs;
    comparison.reason = "changed code: other counts (parameters) than in the record";
    return comparison;
  }
  // If equal bits are not expected, another curve is no difference by itself, but the cell is not
  // equal either.
  auto curve = differing_curve(committed.curves, measured.curves);
  if (curve && !exact && curve->second == Agreement::Differs)
    curve->second = Agreement::WithinSpread;
  if (curve && rank(curve->second) > rank(comparison.agreement)) {
    comparison.agreement = curve->second;
    comparison.reason = fmt::format("the curve {} is not the same; ", curve->first);
  }
  for (const auto& [name, hash] : committed.record.data)
    if (const auto now = measured.record.data.find(name);
        now != measured.record.data.end() && now->second != hash)
      // Other data cannot show that the committed values come again.
      comparison.agreement = Agreement::Differs;
  if (comparison.agreement != Agreement::Equal)
    comparison.reason += likely_reason(committed.record, measured.record);
  return comparison;
}

std::string agreement_text(Agreement agreement) {
  switch (agreement) {
    case Agreement::Equal:
      return "equal";
    case Agreement::WithinTolerance:
      return "within 1e-6";
    case Agreement::WithinSpread:
      return "within the spread of seeds";
    case Agreement::Differs:
      return "differs";
    case Agreement::NotComparable:
      return "not comparable";
  }
  return "";
}

}  // namespace reprise::reproduce
