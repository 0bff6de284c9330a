// Records over seeds: the mean, its 95 % interval and n that a table cell shows.
#pragma once
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "records/record.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// What is measured: one metric of one method on one dataset in one table.
struct Quantity {
  std::string table, dataset, method, metric;
  auto operator<=>(const Quantity&) const = default;
  /// "TABLE/DATASET/METHOD METRIC", for messages.
  std::string text() const;
};

/// The values of one quantity, one a finished seed, by rising seed.
struct Sample {
  std::string unit{}, protocol{};
  Direction direction = Direction::Neither;
  std::vector<std::int64_t> seeds{};
  std::vector<double> values{};
  double mean = 0;
  /// The 95 % interval of the mean: Student t; of a fraction as fractions.h says. Nothing for a
  /// single seed, and for a fraction that is 0 or 1 in every seed without a count of its items.
  std::optional<Interval> interval{};
  /// Half its width where it is a t interval that nothing cut.
  std::optional<double> half_width{};
  int n() const { return static_cast<int>(values.size()); }
};

using Samples = std::map<Quantity, Sample>;

/// Collects the values of records, one record after another. Cells that are not finished are left
/// out.
class Aggregation {
 public:
  /// `metrics`: those of the record, or what else it holds as metrics. The record must outlive
  /// this. Error: two protocols, directions, units or profiles in one sample; both records are
  /// named.
  void add(const Record& record, const std::vector<Metric>& metrics);
  /// Once, at the end. Error: one seed twice.
  Samples samples();

 private:
  struct Value {
    std::int64_t seed = 0;
    double value = 0;
    std::int64_t items = 0;
  };
  struct Growing {
    const Record* first = nullptr;  ///< the one of the least seed
    Metric kind;                    ///< its metric
    std::vector<Value> values;
  };
  static Sample sample_of(const Quantity& quantity, Growing& growing);

  std::map<Quantity, Growing> growing_;
};

/// Finished cells only. Error: two protocols, directions, units or profiles in one sample, or one
/// seed twice; both records are named.
Samples aggregate(const std::vector<Record>& records);

}  // namespace reprise::records
