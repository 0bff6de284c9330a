#include "records/regression/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "records/regression/check.h"
#include "statistics/statistics.h"

namespace reprise::records {
namespace {

using nlohmann::json;

void check_usable(const std::vector<Record>& records, const std::string& reason) {
  if (records.empty())
    throw Error("a reference cannot be made: the results hold no record", "run the study first");
  // The history must explain every change of numbers.
  if (reason.find_first_not_of(" \t\n") == std::string::npos)
    throw Error("a reference needs a reason",
                "say in one sentence why these values are the right ones");
  std::vector<std::string> unfinished;
  const Record& first = records.front();
  for (const auto& record : records) {
    if (record.cell.study != first.cell.study || record.profile != first.profile)
      throw Error(
          fmt::format(
              "a reference is of one study and profile; cell {} is of {} ({}), cell {} of {} ({})",
              first.cell.id(), first.cell.study, first.profile, record.cell.id(), record.cell.study,
              record.profile),
          "give the results folder of one run");
    if (record.status != Status::Done) unfinished.push_back(record.cell.id());
  }
  if (!unfinished.empty())
    throw Error(fmt::format("a reference cannot be made: {} cells are not done: {}",
                            unfinished.size(), first_few(unfinished)),
                "run the study again; finished cells are kept");
}

}  // namespace

std::vector<double> values_like(const ReferenceEntry& entry, const Quantity& quantity,
                                const Samples& samples, const std::string& run) {
  const auto found = samples.find(quantity);
  // Values are stored by seed, so the seeds must be the same.
  if (found == samples.end() || found->second.seeds != entry.sample.seeds)
    throw Error(
        fmt::format(
            "{} has {} of {}, where the reference has {}", run,
            found == samples.end() ? "no value" : fmt::format("{} seeds", found->second.n()),
            quantity.text(), fmt::format("{} seeds", entry.sample.n())),
        "run it whole, with the reference's seeds; a part of the reference is named by --only or --table");
  return found->second.values;
}

std::map<MethodKey, std::string> platforms_by_method(const std::vector<Record>& records) {
  std::map<MethodKey, std::vector<Record>> cells;
  for (const auto& record : records)
    cells[{record.cell.table, record.cell.dataset, record.cell.method}].push_back(record);
  std::map<MethodKey, std::string> platforms;
  for (const auto& [trained, its] : cells) platforms[trained] = common_platform(its);
  return platforms;
}

std::string common_platform(const std::vector<Record>& records) {
  std::string arithmetic;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    const auto& its = record.environment->arithmetic;
    // Records of several platforms have no common one.
    if (its.empty() || (!arithmetic.empty() && arithmetic != its)) return "";
    arithmetic = its;
  }
  return arithmetic;
}

// Equal for every seed, and no result: a seed cannot change it.
bool ReferenceEntry::is_constant() const {
  return sample.direction == Direction::Neither &&
         std::all_of(sample.values.begin(), sample.values.end(),
                     [&](double value) { return value == sample.values.front(); });
}

bool Reference::is_informational(const Quantity& quantity) const {
  return std::any_of(informational.begin(), informational.end(),
                     [&](const std::string& glob) { return matches_glob(quantity.metric, glob); });
}

json collect_settings(const std::vector<Record>& records) {
  json settings = json::object();
  std::map<std::string, std::string> first_cell;
  const auto keep = [&](const std::string& key, const json& value, const Record& record) {
    // A setting has one value in a run; cells only differ in which settings they read.
    const auto place = settings.find(key);
    if (place == settings.end()) {
      settings[key] = value;
      first_cell[key] = record.cell.id();
    } else if (*place != value) {
      throw UsageError(fmt::format("{} is {} in cell {} and {} in cell {}", key, json_text(*place),
                                   first_cell[key], json_text(value), record.cell.id()),
                       "give the results of one run: run the study into a new folder with --out");
    }
  };
  for (const auto& record : records) {
    // run.data names all sets below --data, and method.* the file of an external method: neither is
    // a setting.
    for (const auto& [key, value] : record.options->items())
      if (key != "run.data" && !key.starts_with("method.")) keep(key, value, record);
    for (const auto& [name, hash] : record.data) keep("data/" + name, hash, record);
  }
  return settings;
}

std::map<MethodKey, Costs> collect_costs(const std::vector<Record>& records) {
  std::map<MethodKey, Costs> costs;
  std::map<MethodKey, std::vector<double>> peaks;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    const MethodKey trained{record.cell.table, record.cell.dataset, record.cell.method};
    auto& its = costs[trained];
    // Counts do not depend on the seed.
    if (its.parameters.empty()) its.parameters = record.parameters;
    its.seeds.push_back(record.cell.seed);
    // MiB, as the reference stores them.
    peaks[trained].push_back(static_cast<double>(record.peak_memory_bytes) / 0x1p20);
  }
  for (auto& [trained, its] : costs) std::sort(its.seeds.begin(), its.seeds.end());
  for (const auto& [trained, values] : peaks)
    if (values.size() > 1) {
      const auto [least, most] = std::minmax_element(values.begin(), values.end());
      costs[trained].least_memory_mib = *least;
      costs[trained].most_memory_mib = *most;
    }
  return costs;
}

Reference select_scope(const Reference& reference, const Scope& scope) {
  Reference part = reference;
  const auto outside = [&](const auto& item) {
    return !scope.holds(item.first.table, item.first.dataset, item.first.method);
  };
  // Settings and history are those of the whole reference.
  std::erase_if(part.entries, outside);
  std::erase_if(part.costs, outside);
  return part;
}

std::vector<Record> select_scope(const std::vector<Record>& records, const Scope& scope) {
  std::vector<Record> part;
  std::copy_if(records.begin(), records.end(), std::back_inserter(part), [&](const Record& record) {
    return scope.holds(record.cell.table, record.cell.dataset, record.cell.method);
  });
  return part;
}

std::string single_platform(const std::vector<Record>& records) {
  const Record* first = nullptr;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    if (first == nullptr) first = &record;
    if (record.environment->arithmetic != first->environment->arithmetic)
      throw Error(
          fmt::format("the records are of several platforms: cell {} of \"{}\", cell {} of \"{}\"",
                      first->cell.id(), first->environment->arithmetic, record.cell.id(),
                      record.environment->arithmetic),
          "run the cells of one of them again on the platform of the others (--redo)");
  }
  return first == nullptr ? "" : first->environment->arithmetic;
}

Reference make_reference(const std::vector<Record>& records, const std::string& reason) {
  check_usable(records, reason);
  Reference reference{.study = records.front().cell.study,
                      .profile = records.front().profile,
                      .settings = collect_settings(records),
                      .arithmetics = {single_platform(records)},
                      .costs = collect_costs(records)};
  // 0 rather than unknown: a method without entries is complete, too.
  for (auto& [trained, its] : reference.costs) its.quantities = 0;
  std::vector<std::string> thin;
  for (auto& [quantity, sample] : aggregate(records)) {
    if (sample.n() < 2) {
      // The trials of a search run on one seed: they have no spread to judge by.
      thin.push_back(quantity.text());
      continue;
    }
    reference.entries[quantity] = {.sample = sample};
    ++*reference.costs.at({quantity.table, quantity.dataset, quantity.method}).quantities;
  }
  if (reference.entries.empty())
    throw Error(fmt::format("a reference cannot be made: {} quantities have one seed only: {}",
                            thin.size(), first_few(thin)),
                "run at least two seeds (--seeds); the tolerance comes from the spread over them");
  reference.history.push_back({.reason = reason, .moved = {}});
  return reference;
}

bool Scope::holds(const std::string& table, const std::string& dataset,
                  const std::string& method) const {
  return only.empty() || matches_glob(table + "/" + dataset + "/" + method, only);
}

std::string find_defect(const Reference& reference) {
  const auto guards = [&](const auto& entry) {
    return entry.second.sample.direction != Direction::Neither &&
           !reference.is_informational(entry.first);
  };
  if (std::none_of(reference.entries.begin(), reference.entries.end(), guards))
    return fmt::format(
        "none of its {} quantities guards accuracy: each is informational or has no direction",
        reference.entries.size());
  std::map<MethodKey, int> quantities;
  for (const auto& [quantity, entry] : reference.entries) {
    const MethodKey trained{quantity.table, quantity.dataset, quantity.method};
    ++quantities[trained];
    const auto its = reference.costs.find(trained);
    if (its == reference.costs.end())
      return fmt::format("\"costs\" does not name {}/{}/{}, which has entries", trained.table,
                         trained.dataset, trained.method);
    const auto& known = its->second.seeds;
    // Seeds of entries are those of finished cells, which the costs list.
    if (!std::includes(known.begin(), known.end(), entry.sample.seeds.begin(),
                       entry.sample.seeds.end()))
      return fmt::format("{} has seeds that \"costs\" does not name", quantity.text());
  }
  for (const auto& [trained, its] : reference.costs) {
    // A method with one seed, as a trial of a search, has no spread to judge by and no entry.
    // A lost entry would weaken the check without a trace, so the number is stored.
    const int has = quantities[trained];
    if (its.quantities ? has != *its.quantities : has == 0 && its.seeds.size() > 1)
      return fmt::format("{}/{}/{} has {} entries, and \"costs\" names {}", trained.table,
                         trained.dataset, trained.method, has,
                         its.quantities ? fmt::format("{} of them", *its.quantities)
                                        : fmt::format("{} seeds of it", its.seeds.size()));
  }
  const std::set<std::string> different(reference.arithmetics.begin(), reference.arithmetics.end());
  if (different.size() < reference.arithmetics.size())
    return "\"arithmetics\" names a platform twice";
  for (std::size_t k = 1; k < reference.arithmetics.size(); ++k)
    if (std::all_of(reference.entries.begin(), reference.entries.end(), [&](const auto& entry) {
          return k > entry.second.others.size() || entry.second.others[k - 1].empty();
        }))
      return fmt::format("\"arithmetics\" names {}, and no entry has its values",
                         reference.arithmetics[k]);
  return "";
}

std::string revision_text(const Revision& revision, std::size_t quantities) {
  std::string text = fmt::format("{} of {} quantities moved: {}\n", revision.moved.size(),
                                 quantities, revision.reason);
  for (const auto& change : revision.moved) {
    const auto value = [](const std::optional<double>& number) {
      return number ? fmt::format("{:.6g}", *number) : std::string("none");
    };
    text += fmt::format("  {}: {} -> {}\n", change.quantity.text(), value(change.old_value),
                        value(change.new_value));
  }
  return text;
}

}  // namespace reprise::records
