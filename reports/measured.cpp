#include "reports/measured.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "records/claims/registry.h"

namespace reprise::reports {
namespace {

constexpr std::string_view parameters = "parameters.";

/// Lists the metrics of a record, with its parameters, times and memory as metrics.
std::vector<records::Metric> list_metrics_with_costs(const records::Record& record) {
  auto metrics = record.metrics;
  for (auto& cost : records::cost_metrics(record)) metrics.push_back(std::move(cost));
  if (record.peak_memory_bytes > 0)
    metrics.push_back({.name = "peak_memory_bytes",
                       .value = static_cast<double>(record.peak_memory_bytes),
                       .unit = "B",
                       .direction = records::Direction::Neither});
  return metrics;
}

/// Returns the first confirmation seed of the folder's registry; nothing without confirmation
/// seeds.
std::optional<std::int64_t> read_first_confirmation_seed(const records::Store& store) {
  const auto registry = records::read_registry(store.results());
  if (!registry || registry->confirm.empty()) return std::nullopt;
  return *std::min_element(registry->confirm.begin(), registry->confirm.end());
}

using MethodKey = std::tuple<std::string, std::string, std::string>;

MethodKey method_key(const records::Record& record) {
  return {record.cell.table, record.cell.dataset, record.cell.method};
}

}  // namespace

Measured::Measured(const records::Store& store)
    : store_(store),
      first_that_confirms_(read_first_confirmation_seed(store)),
      records_(store.shared_all()) {
  const auto counts = [&](const records::Record& record) {
    return record.status == records::Status::Done && confirms(record.cell.seed);
  };
  // Methods with a finished confirmation seed: their exploration seeds are not averaged.
  std::set<MethodKey> confirmed;
  for (const auto& record : records())
    if (counts(record)) confirmed.insert(method_key(record));
  records::Aggregation shown;
  for (const auto& record : records())
    if (counts(record) || !confirmed.contains(method_key(record)))
      shown.add(record, list_metrics_with_costs(record));
  samples_ = shown.samples();
  for (auto& [quantity, sample] : samples_)
    // Equal counts are exact. An interval of width 0 would present them as a measurement.
    if (quantity.metric.starts_with(parameters) && sample.half_width == 0.0) {
      sample.half_width.reset();
      sample.interval.reset();
    }
  // Confirmation seeds come first, so that "the first seed" is one of them.
  for (const bool confirming : {true, false})
    for (std::size_t i = 0; i < records_.size(); ++i)
      if (records_[i]->status == records::Status::Done &&
          confirms(records_[i]->cell.seed) == confirming)
        done_[method_key(*records_[i])].push_back(i);
}

std::vector<const records::Record*> Measured::finished_records(const std::string& table,
                                                               const std::string& dataset,
                                                               const std::string& method) const {
  std::vector<const records::Record*> found;
  if (const auto at = done_.find({table, dataset, method}); at != done_.end())
    for (const auto i : at->second) found.push_back(records_[i].get());
  return found;
}

const records::Sample* Measured::sample(const Entry& entry) const {
  const auto at = samples_.find({entry.table, entry.dataset, entry.method, entry.metric});
  return at == samples_.end() ? nullptr : &at->second;
}

std::string format_fixed(double value, int digits) {
  constexpr std::string_view narrow_space = "\u202F", minus = "\u2212";
  // Digits before the point count too: 12345.678 is shown as 12 345.7.
  const auto whole_digits = static_cast<int>(fmt::format("{:.0f}", std::fabs(value)).size());
  std::string text =
      fmt::format("{:.{}f}", std::fabs(value), std::clamp(6 - whole_digits, 0, digits));
  // A small negative value must not become "-0.000".
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  const auto whole = std::min(text.find('.'), text.size());
  // Numbers of four digits are read without groups.
  if (whole > 4)
    for (auto at = whole; at > 3;) text.insert(at -= 3, narrow_space);
  if (text.starts_with(narrow_space)) text.erase(0, narrow_space.size());
  return std::string(std::signbit(value) && !zero ? minus : "") + text;
}

std::string spread_text(const records::Sample& sample, int digits) {
  if (sample.half_width) return "± " + format_half_width(*sample.half_width, digits);
  if (!sample.interval) return "";
  return "[" + format_fixed(sample.interval->low, digits) + ", " +
         format_fixed(sample.interval->high, digits) + "]";
}

std::string format_half_width(double half_width, int digits) {
  const double least = std::pow(10.0, -digits);
  return half_width > 0 && half_width < least / 2 ? "<" + format_fixed(least, digits)
                                                  : format_fixed(half_width, digits);
}

}  // namespace reprise::reports
