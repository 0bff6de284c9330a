#include "records/fractions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "statistics/normal_distribution.h"

namespace reprise::records {
namespace {

template <std::size_t N>
bool starts_with_any(const std::string& text, const std::string_view (&beginnings)[N]) {
  return std::any_of(std::begin(beginnings), std::end(beginnings),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

}  // namespace

bool is_fraction(const Metric& metric) {
  static constexpr std::string_view protocols[] = {"accuracy/",     "recall/",    "auc@",
                                                   "failure_rate@", "share ",     "candidates/",
                                                   "agreement/",    "confidence/"};
  static constexpr std::string_view names[] = {"agreement", "confidence", "diverged_", "label_",
                                               "target_reached"};
  if (metric.items > 0) return true;
  // Fractions are pure numbers. Without a count of items, the protocol or the name tells.
  if (!metric.unit.empty()) return false;
  return starts_with_any(metric.protocol, protocols) ||
         (metric.protocol == "langevin" && starts_with_any(metric.name, names));
}

statistics::Interval fraction_interval(std::span<const double> values, std::int64_t items,
                                       double confidence) {
  if (values.size() < 2 || items < 1 ||
      std::any_of(values.begin(), values.end(), [](double p) { return !(p >= 0 && p <= 1); }))
    throw Error(
        fmt::format(
            "no interval of a fraction over {} values and {} items: too few, or a value outside [0, 1]",
            values.size(), items),
        "give two or more fractions and the number of all their items");
  const auto seeds = static_cast<double>(values.size());
  const double p = statistics::mean(values);
  const double scatter = statistics::std_dev(values);
  const double spread = p * (1 - p);
  const double q = (1 + confidence) / 2;
  const double z = statistics::normal_quantile(q);
  const double t = statistics::student_quantile(q, seeds - 1);
  // Effective number of items by their count, and by the scatter of the seeds (fractions.h).
  const auto of_items = static_cast<double>(items);
  const double of_seeds = scatter > 0 ? spread * seeds / (scatter * scatter) : of_items;
  const double n = std::min(of_items, of_seeds) * (z / t) * (z / t);
  // Wilson's score interval of n items: its middle and half its width.
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(spread / n + z * z / (4 * n * n));
  // At 0 and 1 rounding would miss the bound by a last digit.
  statistics::Interval interval{.low = std::max(0.0, middle - half),
                                .high = std::min(1.0, middle + half)};
  if (p == 0) interval.low = 0;
  if (p == 1) interval.high = 1;
  return interval;
}

statistics::Interval cut_to_fraction(const statistics::Interval& interval) {
  return {std::clamp(interval.low, 0.0, 1.0), std::clamp(interval.high, 0.0, 1.0)};
}

}  // namespace reprise::records
