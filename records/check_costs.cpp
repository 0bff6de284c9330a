// What a run costs, beside what the reference's did: parameters, memory, time.
#include <fmt/format.h>

#include <algorithm>

#include "records/check.h"

namespace reprise::records {
namespace {

/// The peak of the largest cell also holds what its process kept of the cells before it, whose order changes from run to run (126 MiB were
/// seen): it is reported.
double most_more_memory(double before_mib) { return std::max(0.1 * before_mib, 64.0); }

}  // namespace

void check_parameters(const Reference& reference, const std::vector<Record>& records, CheckResult& result) {
  const auto now = parameters_of(records);
  for (const auto& [trained, counts] : reference.parameters) {
    const auto its = now.find(trained);
    if (its == now.end()) continue;  // its quantities are missing, and say so
    for (const auto& [name, count] : counts) {
      const auto found = its->second.find(name);
      const auto value = found == its->second.end() ? 0 : found->second;
      if (value == count) continue;
      result.judged.push_back({.quantity = {trained.table, trained.dataset, trained.method, "parameters (" + name + ")"},
                               .outcome = Outcome::Differs,
                               .old_value = static_cast<double>(count),
                               .new_value = static_cast<double>(value),
                               .percent = count == 0 ? 0 : 100.0 * static_cast<double>(value - count) / static_cast<double>(count),
                               .worse = true,
                               .message = fmt::format("{}/{}/{} has {} parameters ({}), {} before", trained.table, trained.dataset,
                                                      trained.method, value, name, count)});
    }
  }
}

void check_memory(const Reference& reference, const std::vector<Record>& records, CheckResult& result) {
  const double before = reference.peak_memory_mib, now = peak_memory_mib(records);
  if (before <= 0 || now <= before + most_more_memory(before)) return;
  result.judged.push_back(
      {.quantity = {"run", "all", "largest cell", "peak_memory"},
       .outcome = Outcome::Moved,
       .old_value = before,
       .new_value = now,
       .band = most_more_memory(before),
       .percent = 100 * (now / before - 1),
       .worse = true,
       .message = fmt::format("peak memory of the largest cell rose by {:.3g} % ({:.0f} to {:.0f} MiB; {:.0f} MiB more are usual)",
                              100 * (now / before - 1), before, now, most_more_memory(before))});
}

void check_speed(const Reference& reference, const std::map<std::string, double>& now, CheckResult& result) {
  for (const auto& [name, before] : reference.speed) {
    Judged judged{.quantity = {"speed", "benchmarks", name, "time over PyTorch"}, .old_value = before};
    if (const auto found = now.find(name); found == now.end()) {
      judged.outcome = Outcome::Missing;
      judged.message = fmt::format("{} was {:.2f} of PyTorch's time; the benchmark's result does not have it", name, before);
    } else {
      judged.new_value = found->second;
      judged.percent = before > 0 ? 100 * (found->second / before - 1) : 0;
      judged.worse = found->second > before;
      judged.band = slower * before;
      judged.outcome = found->second > before + judged.band ? Outcome::Fell : Outcome::Same;
      judged.message = fmt::format("{} takes {:.2f} of PyTorch's time, {:.2f} before ({:+.3g} %; {:.0f} % passes)", name, found->second,
                                   before, judged.percent, 100 * slower);
    }
    result.judged.push_back(std::move(judged));
  }
}

}  // namespace reprise::records
