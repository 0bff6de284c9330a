// What a run costs, beside what the reference's did: parameters, memory, time.
#include <fmt/format.h>

#include <algorithm>

#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// What passes. A heap holds the same work tighter or looser, by what its process did before: in
/// runs of one program the smallest cell of a method took up to an eighth, and up to 23 MiB, more
/// than the largest of another run's (profile ci of mocogan, one worker and two).
double most_more_memory(double before_mib) { return std::max(before_mib / 4, 32.0); }

void check_parameters(const Trained& trained, const Costs& before, const Costs& now,
                      CheckResult& result) {
  for (const auto& [name, count] : before.parameters) {
    const auto found = now.parameters.find(name);
    const auto value = found == now.parameters.end() ? 0 : found->second;
    if (value == count) continue;
    result.judged.push_back(
        {.quantity = {trained.table, trained.dataset, trained.method, "parameters (" + name + ")"},
         .outcome = Outcome::Differs,
         .old_value = static_cast<double>(count),
         .new_value = static_cast<double>(value),
         .percent = count == 0
                        ? 0
                        : 100.0 * static_cast<double>(value - count) / static_cast<double>(count),
         .worse = true,
         .message = fmt::format("{}/{}/{} has {} parameters ({}), {} before", trained.table,
                                trained.dataset, trained.method, value, name, count)});
  }
}

/// Every seed's cell must take more than any of the reference's did: what one takes depends on what
/// its process did before.
void check_memory(const Trained& trained, double before, double now, CheckResult& result) {
  if (before <= 0 || now <= before + most_more_memory(before)) return;
  result.judged.push_back(
      {.quantity = {trained.table, trained.dataset, trained.method, "peak memory"},
       .outcome = Outcome::Fell,
       .old_value = before,
       .new_value = now,
       .band = most_more_memory(before),
       .percent = 100 * (now / before - 1),
       .worse = true,
       .message = fmt::format(
           "peak memory of {}/{}/{} rose by {:.3g} % ({:.0f} to {:.0f} MiB; {:.0f} MiB more pass)",
           trained.table, trained.dataset, trained.method, 100 * (now / before - 1), before, now,
           most_more_memory(before))});
}

}  // namespace

void check_costs(const Reference& reference, const std::vector<Record>& records,
                 CheckResult& result) {
  const auto now = costs_of(records);
  for (const auto& [trained, before] : reference.costs) {
    const auto its = now.find(trained);
    if (its == now.end()) continue;  // its quantities are missing, and say so
    check_parameters(trained, before, its->second, result);
    check_memory(trained, before.most_memory_mib, its->second.least_memory_mib, result);
  }
}

}  // namespace reprise::records
