#include "records/regression/bands.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>

#include "records/regression/check.h"

namespace reprise::records {

double PairedChanges::band() const {
  const double error = spread.std_dev / std::sqrt(static_cast<double>(before.size()));
  // Equal changes in every seed would give a band of 0; rounding of the mean must still pass.
  return std::max(t * error, same_value_tolerance(statistics::mean(before)));
}

double guarded_tables(const Reference& reference) {
  std::set<std::string> tables;
  for (const auto& [quantity, entry] : reference.entries)
    if (entry.sample.direction != Direction::Neither) tables.insert(quantity.table);
  return static_cast<double>(std::max<std::size_t>(1, tables.size()));
}

std::optional<PairedChanges> pair_seeds(const ReferenceEntry& entry, const Sample& now,
                                        std::size_t platform) {
  const Sample& old = entry.sample;
  PairedChanges paired{
      .now = {.unit = now.unit, .protocol = now.protocol, .direction = old.direction},
      .own_platform = platform <= entry.others.size() &&
                      (platform == 0 || !entry.others[platform - 1].empty())};
  // Platform 0 is that of the entry itself; others are stored in order.
  const auto& stored =
      paired.own_platform && platform > 0 ? entry.others[platform - 1] : old.values;
  for (std::size_t i = 0; i < now.seeds.size(); ++i) {
    const auto found = std::find(old.seeds.begin(), old.seeds.end(), now.seeds[i]);
    if (found == old.seeds.end()) continue;
    paired.before.push_back(stored[static_cast<std::size_t>(found - old.seeds.begin())]);
    paired.now.seeds.push_back(now.seeds[i]);
    paired.now.values.push_back(now.values[i]);
  }
  if (paired.before.size() < 2) return std::nullopt;
  paired.now.mean = statistics::mean(paired.now.values);
  return paired;
}

void set_bands(const Reference& reference, Pairs& pairs) {
  std::map<std::string, int> family;
  for (const auto& [quantity, entry] : reference.entries)
    family[quantity.table] += entry.sample.direction != Direction::Neither;
  // Only quantities of one metric and protocol share their spread: others have other units.
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Quantity>> alike;
  for (const auto& [quantity, paired] : pairs)
    alike[{quantity.table, quantity.metric, reference.entries.at(quantity).sample.protocol}]
        .push_back(quantity);
  const double tables = guarded_tables(reference);
  Quantiles quantiles;
  for (const auto& [key, quantities] : alike) {
    std::vector<statistics::Spread> spreads;
    for (const auto& quantity : quantities) {
      const PairedChanges& paired = pairs.at(quantity);
      std::vector<double> changes;
      for (std::size_t i = 0; i < paired.before.size(); ++i)
        changes.push_back(paired.now.values[i] - paired.before[i]);
      const auto n = static_cast<double>(changes.size());
      const double least = least_change * std::sqrt(n) * std::abs(statistics::mean(paired.before));
      spreads.push_back(
          {.std_dev = std::max(statistics::std_dev(changes), least), .freedom = n - 1});
    }
    spreads = statistics::moderate_spreads(spreads);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      PairedChanges& paired = pairs.at(quantities[i]);
      paired.spread = spreads[i];
      // The level is divided by the number of tables and by that of the table's guarding
      // quantities.
      paired.t = quantiles(quantity_level / (tables * std::max(1, family[std::get<0>(key)])),
                           spreads[i].freedom);
    }
  }
}

}  // namespace reprise::records
