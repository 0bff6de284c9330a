// Costs of a run against the reference: parameters and memory.
#include <fmt/format.h>

#include <algorithm>

#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// Returns the allowed increase, MiB. A heap packs the same work more or less tightly, depending on
/// the earlier work of its process. Runs of one program differed by up to an eighth, and up to 23
/// MiB (profile ci of mocogan, one worker and two). Compared were the smallest cell of a method in
/// one run and the largest in the other.
double most_more_memory(double before_mib) { return std::max(before_mib / 4, 32.0); }

void check_parameters(const MethodKey& key, const Costs& before, const Costs& now,
                      CheckResult& result) {
  for (const auto& [name, count] : before.parameters) {
    const auto found = now.parameters.find(name);
    // A count that is no longer recorded is as wrong as another one.
    const auto value = found == now.parameters.end() ? 0 : found->second;
    if (value == count) continue;
    result.judged.push_back(
        {.quantity = {key.table, key.dataset, key.method, "parameters (" + name + ")"},
         .outcome = Outcome::Differs,
         .old_value = static_cast<double>(count),
         .new_value = static_cast<double>(value),
         .percent = count == 0
                        ? 0
                        : 100.0 * static_cast<double>(value - count) / static_cast<double>(count),
         .worse = true,
         .message = fmt::format("{}/{}/{} has {} parameters ({}), {} before", key.table,
                                key.dataset, key.method, value, name, count)});
  }
}

/// Fails only if every seed's cell takes more than any of the reference. The memory of one cell
/// depends on the earlier work of its process.
void check_memory(const MethodKey& key, double before, double now, CheckResult& result) {
  // The least peak now against the greatest before.
  if (before <= 0 || now <= before + most_more_memory(before)) return;
  result.judged.push_back(
      {.quantity = {key.table, key.dataset, key.method, "peak memory"},
       .outcome = Outcome::Fell,
       .old_value = before,
       .new_value = now,
       .band = most_more_memory(before),
       .percent = 100 * (now / before - 1),
       .worse = true,
       .message = fmt::format(
           "peak memory of {}/{}/{} rose by {:.3g} % ({:.0f} to {:.0f} MiB; {:.0f} MiB more pass)",
           key.table, key.dataset, key.method, 100 * (now / before - 1), before, now,
           most_more_memory(before))});
}

}  // namespace

void check_costs(const Reference& reference, const std::vector<Record>& records,
                 CheckResult& result) {
  const auto now = collect_costs(records);
  for (const auto& [key, before] : reference.costs) {
    const auto its = now.find(key);
    // A method without finished cells fails by its missing quantities.
    if (its == now.end()) continue;
    check_parameters(key, before, its->second, result);
    check_memory(key, before.most_memory_mib, its->second.least_memory_mib, result);
  }
}

}  // namespace reprise::records
