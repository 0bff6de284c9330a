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
            "an interval of a fraction of {} items over {} values was asked for, or one of them is outside [0, 1]",
            items, values.size()),
        "give two or more shares and the number of all their items");
  const auto seeds = static_cast<double>(values.size());
  const double p = statistics::mean(values), scatter = statistics::std_dev(values),
               spread = p * (1 - p);
  const double q = (1 + confidence) / 2, z = statistics::normal_quantile(q),
               t = statistics::student_quantile(q, seeds - 1);
  // Effective number of items by their count, and by the scatter of the seeds (fractions.h).
  const double of_items = static_cast<double>(items),
               of_seeds = scatter > 0 ? spread * seeds / (scatter * scatter) : of_items;
  const double n = std::min(of_items, of_seeds) * (z / t) * (z / t);
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(spread / n + z * z / (4 * n * n));
  // At 0 and 1 rounding would miss the bound by a last digit.
  return {p == 0 ? 0 : std::max(0.0, middle - half), p == 1 ? 1 : std::min(1.0, middle + half)};
}

statistics::Interval cut_to_fraction(const statistics::Interval& interval) {
  return {std::clamp(interval.low, 0.0, 1.0), std::clamp(interval.high, 0.0, 1.0)};
}

}  // namespace reprise::records
