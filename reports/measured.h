// What the records of a results folder measured, ready to be looked up by what a study describes.
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
  /// Error: what the store refuses and records::aggregate names.
  explicit Measured(const records::Store& store);

  const records::Store& store() const { return store_; }
  /// All records, sorted by cell.
  auto records() const {
    return records_ | std::views::transform(
                          [](const auto& record) -> const records::Record& { return *record; });
  }
  /// Where the folder has confirmation seeds: whether verdicts are on this one, and not on the
  /// settings' own exploration.
  bool confirms(std::int64_t seed) const {
    return !first_that_confirms_ || seed >= *first_that_confirms_;
  }
  /// Records of the finished cells of one method: seeds that confirm, by seed, then the others.
  std::vector<const records::Record*> done(const std::string& table, const std::string& dataset,
                                           const std::string& method) const;
  /// Over the seeds that confirm; where the method has none, over all. Null where no finished
  /// record holds the metric. Counts of parameters that are the same in every seed have no
  /// interval.
  const records::Sample* sample(const Entry& entry) const;

 private:
  records::Store store_;
  std::optional<std::int64_t> first_that_confirms_;
  std::vector<std::shared_ptr<const records::Record>> records_;
  records::Samples samples_;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<std::size_t>> done_;
};

/// "0.704": `digits` after the point, fewer where more than six would stand in all; never "-0.000".
/// From 10000 on the thousands are set apart by narrow spaces.
std::string fixed(double value, int digits);
/// As fixed, but "<0.001" for what would be shown as 0 and is not.
std::string fixed_width(double half_width, int digits);
/// What stands behind a mean: "± 0.012", of a fraction whose interval is not its middle's "[0.910,
/// 0.973]", "" for a single seed.
std::string spread_text(const records::Sample& sample, int digits);

}  // namespace reprise::reports
