// Changes of an existing reference: an update, and the values of another platform.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "records/regression/check.h"
#include "records/regression/reference.h"

namespace reprise::records {
namespace {

std::string cell_text(const MethodKey& trained) {
  return fmt::format("{}/{}/{}", trained.table, trained.dataset, trained.method);
}

MethodKey method_key(const Quantity& quantity) {
  return {quantity.table, quantity.dataset, quantity.method};
}

/// Describes what the new entry lacks: "no value", "no seed 3, 4", "no direction"; "" if nothing.
std::string find_lack(const Reference& old, const Quantity& quantity, const ReferenceEntry& before,
                      const Reference& now) {
  const auto found = now.entries.find(quantity);
  if (found == now.entries.end()) return "no value";
  const Sample& sample = found->second.sample;
  std::vector<std::string> seeds;
  for (const auto seed : before.sample.seeds)
    if (std::find(sample.seeds.begin(), sample.seeds.end(), seed) == sample.seeds.end())
      seeds.push_back(std::to_string(seed));
  // Fewer seeds would weaken the check without a trace.
  if (!seeds.empty()) return "no seed " + join(seeds, ", ");
  const bool guarded =
      before.sample.direction != Direction::Neither && !old.is_informational(quantity);
  return guarded && sample.direction == Direction::Neither ? "no direction, which it had" : "";
}

/// UsageError: an update would lose what the reference guards and `drop` does not name.
void expect_nothing_lost(const Reference& old, const Reference& now,
                         const std::vector<std::string>& drop) {
  const auto may_go = [&](const std::string& name) {
    return std::any_of(drop.begin(), drop.end(),
                       [&](const std::string& glob) { return matches_glob(name, glob); });
  };
  std::map<MethodKey, std::vector<std::string>> lost;  // by cell: one text per quantity
  std::set<MethodKey> with_entries;
  std::size_t quantities = 0;
  for (const auto& [quantity, entry] : old.entries) {
    with_entries.insert(method_key(quantity));
    const auto lack = find_lack(old, quantity, entry, now);
    if (lack.empty() || may_go(quantity.text())) continue;
    lost[method_key(quantity)].push_back(fmt::format("{} ({})", quantity.text(), lack));
    ++quantities;
  }
  // Cells without quantities, such as the trials of a search, are guarded through their costs.
  for (const auto& [trained, its] : old.costs) {
    const auto name = cell_text(trained) + " cell";
    if (with_entries.contains(trained) || now.costs.contains(trained) || may_go(name)) continue;
    lost[trained].push_back(name);
  }
  if (lost.empty()) return;
  std::vector<std::string> texts;
  std::set<std::string> of_cells, of_tables;
  for (const auto& [trained, its] : lost) {
    texts.push_back(its.size() == 1
                        ? its.front()
                        : fmt::format("{} ({} quantities)", cell_text(trained), its.size()));
    of_cells.insert(fmt::format("--drop '{} *'", cell_text(trained)));
    of_tables.insert(fmt::format("--drop '{}/*'", trained.table));
  }
  constexpr std::size_t few = 3;
  // The suggested command stays short: one --drop per table if many methods are lost.
  const auto& options = of_cells.size() <= few ? of_cells : of_tables;
  throw UsageError(
      fmt::format("the update would lose {} of {} quantities of the reference, of {} methods: {}",
                  quantities, old.entries.size(), lost.size(), first_few(texts)),
      fmt::format(
          "run the study to its end; or update a part alone, with --table NAME or --only GLOB; or let them go, by globs "
          "of 'TABLE/DATASET/METHOD METRIC': {}",
          join({options.begin(), options.end()}, " ")));
}

/// UsageError: platform or settings of the part differ from the rest of the reference.
void expect_fits(const Reference& old, const Reference& part) {
  const std::string fix = "renew the whole reference from one run, without --table and --only";
  // All values of a list must come from one platform.
  if (old.arithmetics.front() != part.arithmetics.front())
    throw UsageError(
        fmt::format("the part was run on the platform \"{}\", and the reference was made on \"{}\"",
                    part.arithmetics.front(), old.arithmetics.front()),
        "run the part on the platform of the reference; or " + fix);
  std::vector<std::string> differences;
  for (const auto& [key, value] : part.settings.items())
    if (const auto before = old.settings.find(key);
        before != old.settings.end() && *before != value)
      differences.push_back(fmt::format("{} {} -> {}", key, json_text(*before), json_text(value)));
  if (!differences.empty())
    throw UsageError(
        "the part was run with other settings or data than the rest of the reference: " +
            first_few(differences),
        fix);
}

/// Removes platforms whose values no entry holds any more; the first one stays.
void remove_empty_platforms(Reference& reference) {
  // From the last one, so that erasing does not move those that remain to be checked.
  for (std::size_t k = reference.arithmetics.size() - 1; k > 0; --k) {
    const bool empty =
        std::all_of(reference.entries.begin(), reference.entries.end(),
                    [&](const auto& entry) { return entry.second.others[k - 1].empty(); });
    if (!empty) continue;
    reference.arithmetics.erase(reference.arithmetics.begin() + static_cast<std::ptrdiff_t>(k));
    for (auto& [quantity, entry] : reference.entries)
      entry.others.erase(entry.others.begin() + static_cast<std::ptrdiff_t>(k - 1));
  }
}

void note_moves(const Reference& old, const Reference& now, Revision& revision) {
  for (const auto& [quantity, entry] : now.entries) {
    const auto before = old.entries.find(quantity);
    if (before == old.entries.end())
      revision.moved.push_back({quantity, std::nullopt, entry.sample.mean});
    else if (before->second.sample.mean != entry.sample.mean)
      revision.moved.push_back({quantity, before->second.sample.mean, entry.sample.mean});
  }
  for (const auto& [quantity, entry] : old.entries)
    if (!now.entries.contains(quantity))
      revision.moved.push_back({quantity, entry.sample.mean, std::nullopt});
}

}  // namespace

Reference update_reference(const Reference& old, const std::vector<Record>& records,
                           const std::string& reason, const UpdatePart& part) {
  const auto some = select_scope(records, part.scope);
  Reference fresh = make_reference(some, reason);
  if (fresh.study != old.study || fresh.profile != old.profile)
    throw Error(
        fmt::format("the reference is of {} ({}), the results are of {} ({})", old.study,
                    old.profile, fresh.study, fresh.profile),
        "give the results of the same study and profile, or make a separate reference for these");
  const Reference before = select_scope(old, part.scope);
  expect_nothing_lost(before, fresh, part.drop);
  if (!part.scope.is_all()) expect_fits(old, fresh);

  const bool same_platform = old.arithmetics.front() == fresh.arithmetics.front();
  for (auto& [quantity, entry] : fresh.entries) {
    if (!same_platform) continue;
    entry.others.resize(old.arithmetics.size() - 1);
    // Values of other platforms stay valid if no value moved here.
    const auto stored = before.entries.find(quantity);
    if (stored != before.entries.end() && stored->second.sample.seeds == entry.sample.seeds &&
        stored->second.sample.values == entry.sample.values)
      entry.others = stored->second.others;
  }

  Reference updated = old;
  updated.arithmetics = same_platform ? old.arithmetics : fresh.arithmetics;
  // A part of a run names only the settings of its cells.
  if (part.scope.is_all())
    updated.settings = fresh.settings;
  else
    updated.settings.update(fresh.settings);
  for (const auto& [quantity, entry] : before.entries) updated.entries.erase(quantity);
  for (const auto& [trained, its] : before.costs) updated.costs.erase(trained);
  updated.entries.merge(fresh.entries);
  updated.costs.merge(fresh.costs);
  remove_empty_platforms(updated);
  note_moves(old, updated, updated.history.emplace_back(Revision{.reason = reason, .moved = {}}));
  return updated;
}

void add_platform_values(Reference& reference, const std::vector<Record>& records,
                         const Scope& scope) {
  const auto some = select_scope(records, scope);
  const auto platform = single_platform(some);
  if (platform.empty())
    throw Error("the records do not say with what arithmetic they were made",
                "run the profile again on one machine");
  const auto found =
      std::find(reference.arithmetics.begin(), reference.arithmetics.end(), platform);
  const auto number = static_cast<std::size_t>(found - reference.arithmetics.begin());
  const auto samples = aggregate(some);
  std::map<Quantity, std::vector<double>> values;
  for (const auto& [quantity, entry] : reference.entries) {
    const bool known =
        number == 0 || (number <= entry.others.size() && !entry.others[number - 1].empty());
    if (!known && scope.holds(quantity.table, quantity.dataset, quantity.method))
      values[quantity] = values_like(entry, quantity, samples, "this run");
  }
  if (values.empty())
    throw UsageError(fmt::format("the reference knows the arithmetic \"{}\" already", platform),
                     "check judges by it; use --update to put new values in place of old ones");
  if (found == reference.arithmetics.end()) {
    reference.arithmetics.push_back(platform);
    for (auto& [quantity, entry] : reference.entries) entry.others.emplace_back();
  }
  for (auto& [quantity, list] : values)
    reference.entries.at(quantity).others[number - 1] = std::move(list);
  for (const auto& [trained, its] : collect_costs(some))
    if (const auto known = reference.costs.find(trained); known != reference.costs.end()) {
      // The range of memory widens, so that both platforms pass the check.
      known->second.least_memory_mib =
          std::min(known->second.least_memory_mib, its.least_memory_mib);
      known->second.most_memory_mib = std::max(known->second.most_memory_mib, its.most_memory_mib);
    }
}

}  // namespace reprise::records
