// Seeds that a run does not use, or exchanges.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/text.h"
#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// The same number but for the last bits of a sum; values of continuous metrics never come so near
/// each other by chance.
bool equal_numbers(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

std::string list_seeds(const std::set<std::int64_t>& seeds) {
  std::vector<std::string> texts;
  for (const auto seed : seeds) texts.push_back(std::to_string(seed));
  return join(texts, ", ");
}

bool all_equal(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return equal_numbers(value, values.front()); });
}

std::size_t count_equal(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::count_if(
      values.begin(), values.end(), [&](double one) { return equal_numbers(one, value); }));
}

/// Number of different values from which fractions of few items do not agree by chance.
constexpr std::size_t enough_fractions = 3;

/// Whether all seeds of the run hold one value that seeds of the reference do not share.
bool lost_all_differences(const std::vector<double>& before, const Sample& now) {
  if (now.n() < 2 || !all_equal(now.values) || all_equal(before)) return false;
  const double value = now.values.front();
  // Continuous values of different seeds never coincide.
  if (!may_repeat(value)) return true;
  // Accuracies of 0.99, 1 and 1 become 1, 1 and 1 without a fault.
  const std::set<double> different(before.begin(), before.end());
  return different.size() >= enough_fractions && 2 * count_equal(before, value) <= before.size();
}

/// Seeds with a value in common that have none in common in the reference.
std::set<std::int64_t> seeds_that_agree(const std::vector<double>& before, const Sample& now) {
  std::set<std::int64_t> agreeing;
  for (std::size_t i = 0; i < before.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (equal_numbers(now.values[i], now.values[j]) && !equal_numbers(before[i], before[j]) &&
          !may_repeat(now.values[i]))
        agreeing.insert({now.seeds[i], now.seeds[j]});
  return agreeing;
}

/// Seeds whose values are those that the same platform gave for other seeds.
std::set<std::int64_t> exchanged_seeds(const std::vector<double>& before, const Sample& now) {
  std::set<std::int64_t> exchanged, of_fractions;
  std::set<double> different;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double value = now.values[i];
    if (equal_numbers(value, before[i]) || count_equal(before, value) == 0) continue;
    (may_repeat(value) ? of_fractions : exchanged).insert(now.seeds[i]);
    different.insert(value);
  }
  // Fractions of few items may meet another seed's by chance; all of them at once do not.
  auto sorted_before = before, sorted_now = now.values;
  std::sort(sorted_before.begin(), sorted_before.end());
  std::sort(sorted_now.begin(), sorted_now.end());
  const bool permuted = std::equal(sorted_before.begin(), sorted_before.end(), sorted_now.begin(),
                                   sorted_now.end(), equal_numbers);
  if (permuted && different.size() >= enough_fractions) exchanged.merge(of_fractions);
  return exchanged;
}

}  // namespace

bool may_repeat(double value) {
  // Counts and fractions, written as float32 or float64. A continuous value is within these
  // distances of one by chance in 6 % of cases.
  constexpr int few_items = 1000, many_items = 100000;
  constexpr double of_float = 6e-8, of_double = 1e-14;
  // float32 rounding is relatively coarse, so large counts are recognised only in float64.
  for (int items = 1; items <= many_items; ++items) {
    const double count = value * items;
    if (std::abs(count - std::round(count)) <= (items <= few_items ? of_float : of_double) * items)
      return true;
  }
  return false;
}

std::string seed_fault(const std::vector<double>& before, bool own_platform, const Sample& now) {
  if (lost_all_differences(before, now)) {
    const auto [least, most] = std::minmax_element(before.begin(), before.end());
    return fmt::format(
        "all {} seeds have the value {:.6g}, and those of the reference differ ({:.6g} to {:.6g}): the seed has no effect",
        now.n(), now.values.front(), *least, *most);
  }
  if (const auto agreeing = seeds_that_agree(before, now); !agreeing.empty())
    return fmt::format(
        "seeds {} have values in common, and differ in the reference: the seed has no effect",
        list_seeds(agreeing));
  // Other platforms give other values, so an exchange cannot be seen.
  if (!own_platform) return "";
  const auto exchanged = exchanged_seeds(before, now);
  if (exchanged.empty()) return "";
  return fmt::format(
      "seeds {} have the values that the reference holds for other seeds of this platform: seeds are exchanged",
      list_seeds(exchanged));
}

}  // namespace reprise::records
