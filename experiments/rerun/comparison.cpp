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

/// Relative tolerance of curves. They are stored with 7 digits, so equal values may differ by a
/// unit of the last digit.
constexpr double curve_tolerance = 2e-6;

/// Agreement of a value with the committed one, and its distance in tolerances.
struct MetricStanding {
  std::string metric;
  double committed = 0, measured = 0;
  Agreement agreement = Agreement::Equal;
  double distance = 0;
};

/// Whether two metrics were measured in the same way. A protocol contains the hash of the
/// evaluator's weights, which is compared only if equal bits are expected.
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
    // One seed has no spread.
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
      // One value is compared with one value, so both counts are 1.
      bands[metric] = t * statistics::difference_error(spreads[i], 1, 1);
    }
  }
  return bands;
}

MetricStanding standing_by_band(const Metric& committed, const Metric& measured,
                                const std::map<std::string, double>& bands) {
  auto standing = standing_by_bits(committed, measured);
  if (standing.agreement != Agreement::Differs) return standing;
  // The distance is now in bands instead of tolerances.
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

/// Whether the study's version is that of the record. Records without processes are older than
/// versions, so their code is unknown.
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
  // The likeliest reason first: platform, data, then code.
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
            ? "the record is older than code versions, so equal bits are not expected"
            : "changed code",
        short_commit(then), short_commit(now));
  return "nothing that the records state: the same code, data and platform gave another value; please report it";
}

/// Metric to show if nothing differs: that of the tables, else the first with a direction.
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

/// The comparison of a cell with a metric that this program lacks or measures in another way;
/// nothing if there is none.
std::optional<Comparison> find_changed_metric(const Record& committed, const Record& measured,
                                              bool exact) {
  for (const auto& before : committed.metrics) {
    const auto* now = find_metric(measured, before.name);
    if (now != nullptr && measured_alike(before, *now, exact)) continue;
    const char* change = now ? "measures in another way" : "does not measure";
    return Comparison{
        .agreement = Agreement::Differs,
        .metric = before.name,
        .committed = before.value,
        .measured = now ? now->value : std::nan(""),
        .unit = before.unit,
        .reason = fmt::format("changed code: this program {} {}", change, before.name)};
  }
  return std::nullopt;
}

/// Sets the agreement by the worst metric, which is then the one to show unless all agree.
/// `only_described`: a metric without a direction that has another value; "" without one.
void judge_metrics(const std::vector<MetricStanding>& standings, const std::string& only_described,
                   const Record& committed, Comparison& comparison) {
  const auto worst = std::max_element(
      standings.begin(), standings.end(), [](const MetricStanding& a, const MetricStanding& b) {
        return std::pair(rank(a.agreement), a.distance) < std::pair(rank(b.agreement), b.distance);
      });
  if (worst != standings.end())
    comparison.agreement = worst->agreement;
  else if (!only_described.empty())
    comparison.agreement = Agreement::NotComparable;
  // A cell whose descriptions differ is not equal, even if its metrics are.
  if (comparison.agreement == Agreement::Equal && !only_described.empty()) {
    comparison.agreement = Agreement::WithinSpread;
    comparison.reason = fmt::format("{} differs; ", only_described);
  }
  if (rank(comparison.agreement) > rank(Agreement::WithinTolerance) && worst != standings.end() &&
      worst->agreement != Agreement::Equal) {
    comparison.metric = worst->metric;
    comparison.unit = find_metric(committed, worst->metric)->unit;
    comparison.committed = worst->committed;
    comparison.measured = worst->measured;
  }
}

/// Lowers the agreement if a curve differs by more than the metrics do.
void judge_curves(const records::Curves& committed, const records::Curves& measured, bool exact,
                  Comparison& comparison) {
  auto curve = differing_curve(committed, measured);
  // If equal bits are not expected, another curve is no difference by itself, but the cell is not
  // equal either.
  if (curve && !exact && curve->second == Agreement::Differs)
    curve->second = Agreement::WithinSpread;
  if (!curve || rank(curve->second) <= rank(comparison.agreement)) return;
  comparison.agreement = curve->second;
  comparison.reason = fmt::format("the curve {} differs; ", curve->first);
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
  if (auto changed = find_changed_metric(committed.record, measured.record, exact)) return *changed;
  const auto bands = exact ? std::map<std::string, double>{} : seed_bands(measured.record, alike);
  std::vector<MetricStanding> standings;
  std::string only_described;  // a metric without a direction that has another value now
  for (const auto& before : committed.record.metrics) {
    const auto* now = find_metric(measured.record, before.name);
    // With other rounding, descriptions of the training such as the best epoch change. They are no
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
    // find_changed_metric() has found every metric.
    comparison.measured = find_metric(measured.record, metric->name)->value;
  }
  judge_metrics(standings, only_described, committed.record, comparison);
  // Counts depend on neither platform nor rounding.
  if (comparison.agreement != Agreement::Differs &&
      committed.record.parameters != measured.record.parameters) {
    comparison.agreement = Agreement::Differs;
    comparison.reason = "changed code: another number of parameters than in the record";
    return comparison;
  }
  judge_curves(committed.curves, measured.curves, exact, comparison);
  for (const auto& [name, hash] : committed.record.data)
    if (const auto now = measured.record.data.find(name);
        now != measured.record.data.end() && now->second != hash)
      // A run on other data cannot confirm the committed values.
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
