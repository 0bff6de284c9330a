#include "records/regression/bands.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// Of the mean, as a standard deviation: what rounding may always do, however little the reference's own draws differ.
constexpr double least_rounding = 2e-3;

}  // namespace

double guarded_tables(const Reference& reference) {
  std::set<std::string> tables;
  for (const auto& [quantity, entry] : reference.entries)
    if (entry.sample.direction != Direction::Neither) tables.insert(quantity.table);
  return static_cast<double>(std::max<std::size_t>(1, tables.size()));
}

std::map<Quantity, Basis> bases_of(const Looks& looks) {
  const Reference& reference = looks.reference;
  std::map<std::string, int> family;
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<Quantity>> alike;
  for (const auto& [quantity, entry] : reference.entries) {
    family[quantity.table] += entry.sample.direction != Direction::Neither;
    alike[{quantity.table, quantity.metric, entry.sample.protocol}].push_back(quantity);
  }
  std::map<Quantity, Basis> bases;
  const double tables = guarded_tables(reference);
  Quantiles quantiles;
  for (const auto& [key, quantities] : alike) {
    std::vector<Spread> spreads;
    for (const auto& quantity : quantities) {
      const Sample& sample = reference.entries.at(quantity).sample;
      const double least = looks.in_draws.contains(quantity) ? least_rounding * std::abs(sample.mean) : 0;
      spreads.push_back({.deviation = std::max(deviation(sample.values), least), .freedom = sample.n() - 1.0});
    }
    spreads = moderated(spreads);
    for (std::size_t i = 0; i < quantities.size(); ++i) {
      const auto& table = quantities[i].table;
      bases[quantities[i]] = {.spread = spreads[i],
                              .t = quantiles(quantity_level / (tables * std::max(1, family[table])), spreads[i].freedom)};
    }
  }
  return bases;
}

}  // namespace reprise::records
