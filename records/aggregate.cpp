#include "records/aggregate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "records/fractions.h"

namespace reprise::records {
namespace {

/// A sample while it grows: which record gave which value.
struct Growing {
  struct Value {
    const Record* record;
    const Metric* metric;
  };
  std::vector<Value> values;
};

[[noreturn]] void refuse(const Quantity& quantity, const Growing::Value& a, const Growing::Value& b, const std::string& what,
                         const std::string& one, const std::string& other) {
  throw Error(fmt::format("{}: two {} in one sample: {} in cell {}, {} in cell {}", quantity.text(), what, one, a.record->cell.id(), other,
                          b.record->cell.id()),
              "values of different kind are never averaged: delete the older cells and run them again with the same command");
}

void check_alike(const Quantity& quantity, const Growing::Value& a, const Growing::Value& b) {
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  if (a.metric->protocol != b.metric->protocol) refuse(quantity, a, b, "protocols", quoted(a.metric->protocol), quoted(b.metric->protocol));
  if (a.metric->unit != b.metric->unit) refuse(quantity, a, b, "units", quoted(a.metric->unit), quoted(b.metric->unit));
  if (a.metric->direction != b.metric->direction) refuse(quantity, a, b, "directions", "one", "another");
  if (a.record->profile != b.record->profile) refuse(quantity, a, b, "profiles", quoted(a.record->profile), quoted(b.record->profile));
  if (a.record->cell.study != b.record->cell.study)
    refuse(quantity, a, b, "studies", quoted(a.record->cell.study), quoted(b.record->cell.study));
}

Sample sample_of(const Quantity& quantity, Growing& growing) {
  auto& values = growing.values;
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.record->cell.seed < b.record->cell.seed; });
  const auto& first = values.front();
  Sample sample{.unit = first.metric->unit, .protocol = first.metric->protocol, .direction = first.metric->direction};
  for (const auto& value : values) {
    check_alike(quantity, first, value);
    const auto seed = value.record->cell.seed;
    if (!sample.seeds.empty() && sample.seeds.back() == seed)
      throw Error(fmt::format("{}: seed {} has two values", quantity.text(), seed),
                  "give aggregate one record a cell, with each metric once");
    sample.seeds.push_back(seed);
    sample.values.push_back(value.metric->value);
  }
  sample.mean = mean(sample.values);
  if (sample.n() < 2) return sample;
  std::int64_t items = 0;
  bool counted = true;
  for (const auto& value : values) {
    items += value.metric->items;
    counted &= value.metric->items > 0;
  }
  if (counted) {
    sample.interval = fraction_interval(sample.values, items);
    return sample;
  }
  const Interval plain = mean_interval(sample.values);
  const bool fraction = is_fraction(*first.metric);
  // Every seed at 0 or 1, and no count of items: nothing says how far from it the mean could be.
  if (fraction && plain.low == plain.high && (plain.low == 0 || plain.low == 1)) return sample;
  sample.interval = fraction ? cut_to_fraction(plain) : plain;
  if (sample.interval->low == plain.low && sample.interval->high == plain.high) sample.half_width = (plain.high - plain.low) / 2;
  return sample;
}

}  // namespace

std::string Quantity::text() const { return fmt::format("{}/{}/{} {}", table, dataset, method, metric); }

Samples aggregate(const std::vector<Record>& records) {
  std::map<Quantity, Growing> growing;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    for (const auto& metric : record.metrics)
      growing[{record.cell.table, record.cell.dataset, record.cell.method, metric.name}].values.push_back({&record, &metric});
  }
  Samples samples;
  for (auto& [quantity, values] : growing) samples.emplace_hint(samples.end(), quantity, sample_of(quantity, values));
  return samples;
}

}  // namespace reprise::records
