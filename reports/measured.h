// Samples of a results folder, to be looked up by a described quantity.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <ranges>
#include <string>
#include <tuple>
#include <vector>

#include "records/aggregate.h"
#include "records/store.h"
#include "reports/describe.h"

namespace reprise::reports {

class Measured {
 public:
  /// Error: as Store::shared_all() and records::aggregate().
  explicit Measured(const records::Store& store);

  const records::Store& store() const { return store_; }
  /// Returns all records, sorted by cell.
  auto records() const {
    return records_ | std::views::transform(
                          [](const auto& record) -> const records::Record& { return *record; });
  }
  /// Whether verdicts use this seed: it is a confirmation seed, or the folder has none.
  bool confirms(std::int64_t seed) const {
    return !first_that_confirms_ || seed >= *first_that_confirms_;
  }
  /// Lists the finished records of one method: confirmation seeds first, then the others, by seed.
  std::vector<const records::Record*> finished_records(const std::string& table,
                                                       const std::string& dataset,
                                                       const std::string& method) const;
  /// Returns the sample over the confirmation seeds, or over all seeds of a method without any.
  /// Null if no finished record has the metric.
  /// Counts of parameters that are equal in every seed have no interval.
  const records::Sample* sample(const Entry& entry) const;

 private:
  records::Store store_;
  std::optional<std::int64_t> first_that_confirms_;
  std::vector<std::shared_ptr<const records::Record>> records_;
  records::Samples samples_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> done_;
};

/// Formats "0.704": `digits` after the point, at most six digits in all, never "-0.000". Narrow
/// spaces group the thousands from 10000 on.
std::string format_fixed(double value, int digits);
/// As format_fixed(), but "<0.001" for a value that would round to 0.
std::string format_half_width(double half_width, int digits);
/// Returns the text after a mean: "± 0.012", or both ends for an asymmetric interval; "" for a
/// single seed.
std::string spread_text(const records::Sample& sample, int digits);

}  // namespace reprise::reports
