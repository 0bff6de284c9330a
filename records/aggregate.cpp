#include "records/aggregate.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "records/fractions.h"

namespace reprise::records {
namespace {

[[noreturn]] void refuse(const Quantity& quantity, const Record& a, const Record& b,
                         const std::string& what, const std::string& one,
                         const std::string& other) {
  throw Error(
      fmt::format("{}: two {} in one sample: {} in cell {}, {} in cell {}", quantity.text(), what,
                  one, a.cell.id(), other, b.cell.id()),
      "values of different kinds are never averaged: delete the older cells and run them again with the same command");
}

void check_alike(const Quantity& quantity, const Record& a, const Metric& of_a, const Record& b,
                 const Metric& of_b) {
  const auto quoted = [](const std::string& text) { return "'" + text + "'"; };
  if (of_a.protocol != of_b.protocol)
    refuse(quantity, a, b, "protocols", quoted(of_a.protocol), quoted(of_b.protocol));
  if (of_a.unit != of_b.unit) refuse(quantity, a, b, "units", quoted(of_a.unit), quoted(of_b.unit));
  if (of_a.direction != of_b.direction) refuse(quantity, a, b, "directions", "one", "another");
  if (a.profile != b.profile)
    refuse(quantity, a, b, "profiles", quoted(a.profile), quoted(b.profile));
  if (a.cell.study != b.cell.study)
    refuse(quantity, a, b, "studies", quoted(a.cell.study), quoted(b.cell.study));
}

}  // namespace

std::string Quantity::text() const {
  return fmt::format("{}/{}/{} {}", table, dataset, method, metric);
}

void Aggregation::add(const Record& record, const std::vector<Metric>& metrics) {
  if (record.status != Status::Done) return;
  for (const auto& metric : metrics) {
    const Quantity quantity{record.cell.table, record.cell.dataset, record.cell.method,
                            metric.name};
    auto& parts = parts_[quantity];
    if (parts.first != nullptr) check_alike(quantity, *parts.first, parts.kind, record, metric);
    // The kind is that of the lowest seed, whatever the order of the records.
    if (parts.first == nullptr || record.cell.seed < parts.first->cell.seed) {
      parts.first = &record;
      parts.kind = metric;
    }
    parts.values.push_back(
        {.seed = record.cell.seed, .value = metric.value, .items = metric.items});
  }
}

Sample Aggregation::make_sample(const Quantity& quantity, SampleParts& parts) {
  auto& values = parts.values;
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return a.seed < b.seed; });
  Sample sample{
      .unit = parts.kind.unit, .protocol = parts.kind.protocol, .direction = parts.kind.direction};
  for (const auto& value : values) {
    // Sorted by seed, so a repeated seed is adjacent.
    if (!sample.seeds.empty() && sample.seeds.back() == value.seed)
      throw Error(fmt::format("{}: seed {} has two values", quantity.text(), value.seed),
                  "give one record per cell, with each metric once");
    sample.seeds.push_back(value.seed);
    sample.values.push_back(value.value);
  }
  sample.mean = statistics::mean(sample.values);
  // One seed has no spread.
  if (sample.n() < 2) return sample;
  // With a count of items in every seed the interval is Wilson's, else Student's t.
  std::int64_t items = 0;
  bool counted = true;
  for (const auto& value : values) {
    items += value.items;
    counted &= value.items > 0;
  }
  if (counted) {
    sample.interval = fraction_interval(sample.values, items);
    return sample;
  }
  const statistics::Interval plain = statistics::mean_interval(sample.values);
  const bool fraction = is_fraction(parts.kind);
  // Every seed at 0 or 1, and no count of items: nothing says how far from it the mean could be.
  if (fraction && plain.low == plain.high && (plain.low == 0 || plain.low == 1)) return sample;
  sample.interval = fraction ? cut_to_fraction(plain) : plain;
  // "mean ± half width" is only right for a symmetric interval.
  if (sample.interval->low == plain.low && sample.interval->high == plain.high)
    sample.half_width = (plain.high - plain.low) / 2;
  return sample;
}

Samples Aggregation::samples() {
  Samples samples;
  for (auto& [quantity, parts] : parts_)
    samples.emplace_hint(samples.end(), quantity, make_sample(quantity, parts));
  return samples;
}

Samples aggregate(const std::vector<Record>& records) {
  Aggregation all;
  for (const auto& record : records) all.add(record, record.metrics);
  return all.samples();
}

}  // namespace reprise::records
