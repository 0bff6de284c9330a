#include "records/claims/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "records/external.h"
#include "records/fields.h"

namespace reprise::records {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;
using Key = ClaimRecords::Key;
using SeedSet = std::set<std::int64_t>;

constexpr const char* registry_file = "preregistered.json";
constexpr int registry_schema = 2;  // 1 registered whole claims
constexpr const char* registry_fix =
    "restore the file, or remove it: then it is unknown when each comparison was registered, until the study is run again in this folder";

template <class Item, class ToJson>
std::string json_lines(const std::vector<Item>& items, const ToJson& item_json) {
  std::vector<std::string> lines;
  for (const auto& item : items) lines.push_back("  " + json_text(item_json(item)));
  // One item per line, so that a new comparison is one line of a diff.
  return lines.empty() ? "[]" : "[\n" + join(lines, ",\n") + "\n ]";
}

std::vector<std::int64_t> seeds_from(const Fields& fields, const char* key) {
  std::vector<std::int64_t> seeds;
  for (const auto& seed : fields.array(key)) {
    if (!seed.is_number_integer() || seed < 0)
      fields.refuse(fmt::format("the field \"{}\" must list seeds, from 0 on", key));
    seeds.push_back(seed.get<std::int64_t>());
  }
  return seeds;
}

SeedSet seed_set(const Fields& fields, const char* key) {
  const auto seeds = seeds_from(fields, key);
  return {seeds.begin(), seeds.end()};
}

bool is_done(const ClaimRecords::Seeds& seeds, std::int64_t seed) {
  const auto found = seeds.find(seed);
  return found != seeds.end() && found->second->status == Status::Done;
}

/// "0 to 4, 7"
std::string ranges_text(const std::vector<std::int64_t>& seeds) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0, end = 0; begin < seeds.size(); begin = end) {
    while (end < seeds.size() &&
           seeds[end] == seeds[begin] + static_cast<std::int64_t>(end - begin))
      ++end;
    parts.push_back(end - begin > 1 ? fmt::format("{} to {}", seeds[begin], seeds[end - 1])
                                    : fmt::format("{}", seeds[begin]));
  }
  return join(parts, ", ");
}

/// Whether the comparison is of counts of parameters. Nobody can choose these by looking at
/// results.
bool is_count(const ClaimTest& test) {
  return test.kind == ClaimKind::Ratio && test.metric.starts_with("parameters.");
}

/// A comparison with its records, and when it was registered.
struct Registered {
  const ClaimRecords::Seeds *method = nullptr, *than = nullptr;
  const Registration* registration = nullptr;  ///< null: not registered

  bool is_finished(std::int64_t seed) const {
    return is_done(*method, seed) && is_done(*than, seed);
  }
  bool is_held_out(std::int64_t seed) const {
    return registration && !registration->seen.contains(seed);
  }
  SeedSet finished_seeds() const {
    SeedSet seeds;
    for (const auto& [seed, record] : *method)
      if (is_finished(seed)) seeds.insert(seed);
    return seeds;
  }
};

std::vector<Registered> registered_comparisons(const ClaimRow& row, const Registry& registry,
                                               const ClaimRecords& records) {
  std::vector<Registered> all;
  for (const auto& planned : planned_comparisons(row, records.methods(), records.own())) {
    // Counts need no registration.
    if (is_count(*planned.test)) continue;
    const auto found = registry.comparisons.find(planned.text());
    all.push_back({.method = &records.seeds(planned.method),
                   .than = &records.seeds(planned.than),
                   .registration = found == registry.comparisons.end() ? nullptr : &found->second});
  }
  return all;
}

/// Returns the commit of the last registered comparison: the one with the most seeds seen.
std::string commit_text(const std::vector<Registered>& comparisons) {
  const Registration* last = nullptr;
  for (const auto& comparison : comparisons) {
    // One comparison without a registration makes the commit of the row unknown.
    if (!comparison.registration) return "";
    if (!last || comparison.registration->seen.size() > last->seen.size())
      last = comparison.registration;
  }
  return !last || last->commit.empty() ? "" : last->commit + (last->dirty ? " with changes" : "");
}

}  // namespace

void Registry::note_finished(const std::vector<Record>& records) {
  for (const auto& record : records)
    if (record.status == Status::Done && !is_external(record))
      finished[{record.cell.table, record.cell.dataset, record.cell.method}].insert(
          record.cell.seed);
}

void Registry::add(const ClaimRow& row, const std::set<Key>& methods,
                   const std::set<std::string>& own_methods, const Registration& now) {
  for (const auto& planned : planned_comparisons(row, methods, own_methods)) {
    if (is_count(*planned.test)) continue;
    Registration registration{.commit = now.commit, .dirty = now.dirty};
    const auto mine = finished.find(planned.method), theirs = finished.find(planned.than);
    // A seed of the comparison can be seen only if both cells have finished.
    if (mine != finished.end() && theirs != finished.end())
      std::ranges::set_intersection(mine->second, theirs->second,
                                    std::inserter(registration.seen, registration.seen.end()));
    // A comparison that is registered already keeps its first registration.
    comparisons.try_emplace(planned.text(), std::move(registration));
  }
}

std::optional<Registry> read_registry(const fs::path& results) {
  const fs::path file = results / registry_file;
  if (!fs::exists(file)) return std::nullopt;
  const auto where = file.string();
  const auto stored = parse_json(read_file(file), where, registry_fix);
  const Fields fields(stored, where, registry_fix);
  // Other versions cannot be read: they registered other things.
  fields.integer("schema", registry_schema, registry_schema);
  Registry registry{.confirm = seeds_from(fields, "confirm")};
  for (const auto& item : fields.array("comparisons")) {
    const Fields comparison(item, where + ", comparisons", registry_fix);
    registry.comparisons[comparison.text("comparison")] = {.commit = comparison.text("commit"),
                                                           .dirty = comparison.flag("dirty"),
                                                           .seen = seed_set(comparison, "seen")};
  }
  for (const auto& item : fields.array("finished")) {
    const Fields cells(item, where + ", finished", registry_fix);
    registry.finished[{cells.text("table"), cells.text("dataset"), cells.text("method")}] =
        seed_set(cells, "seeds");
  }
  return registry;
}

void write_registry(const fs::path& results, const Registry& registry) {
  const std::vector<std::pair<std::string, Registration>> comparisons(registry.comparisons.begin(),
                                                                      registry.comparisons.end());
  const auto comparison_json = [](const auto& entry) -> json {
    const auto& [text, registration] = entry;
    return {{"comparison", text},
            {"commit", registration.commit},
            {"dirty", registration.dirty},
            {"seen", registration.seen}};
  };
  const std::vector<std::pair<Key, SeedSet>> finished_cells(registry.finished.begin(),
                                                            registry.finished.end());
  const auto cells_json = [](const auto& cells) -> json {
    const auto& [table, dataset, method] = cells.first;
    return {{"table", table}, {"dataset", dataset}, {"method", method}, {"seeds", cells.second}};
  };
  write_file(
      results / registry_file,
      fmt::format(
          "{{\n \"schema\": {},\n \"confirm\": {},\n \"comparisons\": {},\n \"finished\": {}\n}}\n",
          registry_schema, json_text(registry.confirm), json_lines(comparisons, comparison_json),
          json_lines(finished_cells, cells_json)));
}

std::string PlannedComparison::text() const {
  const auto& [table, dataset, its_method] = method;
  const auto& [than_table, than_dataset, other] = than;
  auto text =
      fmt::format("{}: {}/{}/{} against {}{}, {}", kind_text(test->kind), table, dataset,
                  its_method, than_table == table ? "" : than_table + "/", other, test->metric);
  if (test->than_metric != test->metric) text += " against " + test->than_metric;
  if (test->margin) text += ", margin " + number_text(*test->margin);
  if (test->at_least) text += ", at least " + number_text(*test->at_least);
  if (test->at_most) text += ", at most " + number_text(*test->at_most);
  return text;
}

std::vector<PlannedComparison> planned_comparisons(const ClaimRow& row,
                                                   const std::set<Key>& methods,
                                                   const std::set<std::string>& own_methods) {
  std::vector<PlannedComparison> planned;
  for (const auto& test : row.tests)
    for (const auto& key : methods)
      if (auto other = find_other(key, test.table, test.dataset, test.methods, test.than_table,
                                  test.than, own_methods))
        if (*other != key || test.than_metric != test.metric)
          planned.push_back({.test = &test, .method = key, .than = std::move(*other)});
  return planned;
}

UsedSeeds used_seeds(const ClaimRow& row, const std::optional<Registry>& registry,
                     const ClaimRecords& records) {
  UsedSeeds used;
  if (!registry) return used;
  const auto comparisons = registered_comparisons(row, *registry, records);
  const auto is_for_verdicts = [&](std::int64_t seed) {
    // Confirmation seeds, if named, are the only ones for verdicts.
    return registry->confirm.empty() ||
           std::ranges::find(registry->confirm, seed) != registry->confirm.end();
  };
  // A finished seed is held out if no comparison had seen it when it was registered.
  SeedSet finished, held_out, seen;
  for (const auto& comparison : comparisons) {
    finished.merge(comparison.finished_seeds());
    // Cells that are not finished are left out too, so that they do not count as missing.
    for (const auto* seeds : {comparison.method, comparison.than})
      for (const auto& [seed, record] : *seeds)
        if (!is_for_verdicts(seed)) used.left_out.insert(seed);
  }
  for (const auto seed : finished) {
    if (!is_for_verdicts(seed)) continue;
    const bool in_all = std::ranges::all_of(comparisons, [&](const auto& comparison) {
      return !comparison.is_finished(seed) || comparison.is_held_out(seed);
    });
    // A seed counts as seen as soon as one comparison had seen it.
    (in_all ? held_out : seen).insert(seed);
  }
  // A verdict needs two held-out seeds in every comparison that has any.
  const auto has_two = [&](const Registered& comparison) {
    const auto seeds = comparison.finished_seeds();
    return seeds.empty() ||
           std::ranges::count_if(seeds, [&](auto seed) { return held_out.contains(seed); }) >= 2;
  };
  const bool confirmed = !held_out.empty() && std::ranges::all_of(comparisons, has_two);
  if (!seen.empty() && confirmed) used.left_out.insert(seen.begin(), seen.end());
  if (!comparisons.empty())
    // Before: no seed of the verdict had been seen when its comparison was registered.
    used.preregistration =
        seen.empty() || confirmed ? Preregistration::Before : Preregistration::PostHoc;
  used.commit = commit_text(comparisons);
  std::ranges::set_intersection(finished, used.left_out, std::back_inserter(used.excluded));
  return used;
}

std::string exclusion_text(const UsedSeeds& used) {
  std::vector<std::string> parts;
  if (used.preregistration == Preregistration::PostHoc)
    parts.push_back(
        used.commit.empty()
            ? "Post hoc: no run has started since the comparison was added or changed."
            : fmt::format(
                  "Post hoc: registered at commit {}, after results on its seeds were known.",
                  used.commit));
  if (!used.excluded.empty())
    parts.push_back(fmt::format(
        "Seeds {} are excluded: exploratory, or seen before the comparison was registered.",
        ranges_text(used.excluded)));
  return join(parts, " ");
}

}  // namespace reprise::records
