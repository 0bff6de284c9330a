// Aggregation of records over seeds: the mean, its 95 % interval and n of a table cell.
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

/// A measured quantity: one metric of one method on one dataset in one table.
struct Quantity {
  std::string table, dataset, method, metric;
  auto operator<=>(const Quantity&) const = default;
  /// "TABLE/DATASET/METHOD METRIC", for messages.
  std::string text() const;
};

/// Values of one quantity: one per finished seed, by rising seed.
struct Sample {
  std::string unit{}, protocol{};
  Direction direction = Direction::Neither;
  std::vector<std::int64_t> seeds{};
  std::vector<double> values{};
  double mean = 0;
  /// The 95 % interval of the mean: Student t, or for a fraction as in fractions.h. Nothing for a
  /// single seed, and for a fraction of 0 or 1 in every seed without a count of items.
  std::optional<statistics::Interval> interval{};
  /// Half the width of a t interval that was not cut.
  std::optional<double> half_width{};
  int n() const { return static_cast<int>(values.size()); }
};

using Samples = std::map<Quantity, Sample>;

/// Collects the values of records, one record after another. Cells that are not finished are left
/// out.
class Aggregation {
 public:
  /// `metrics`: metrics of the record, or its costs as metrics. The record must outlive this.
  /// Error: two protocols, directions, units or profiles in one sample; both records are named.
  void add(const Record& record, const std::vector<Metric>& metrics);
  /// Returns the samples; call it once, at the end. Error: one seed twice.
  Samples samples();

 private:
  struct Value {
    std::int64_t seed = 0;
    double value = 0;
    std::int64_t items = 0;
  };
  struct SampleParts {
    const Record* first = nullptr;  ///< record of the least seed
    Metric kind;                    ///< its metric
    std::vector<Value> values;
  };
  static Sample make_sample(const Quantity& quantity, SampleParts& growing);

  std::map<Quantity, SampleParts> parts_;
};

/// Aggregates the finished cells. Error: as Aggregation.
Samples aggregate(const std::vector<Record>& records);

}  // namespace reprise::records
