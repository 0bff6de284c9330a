#include "records/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "records/check.h"
#include "records/fields.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

using nlohmann::json;

constexpr int reference_version = 5;
constexpr const char* reference_fix = "write the reference anew from trusted results: ./reprise check RESULTS --against FILE --update";

void check_usable(const std::vector<Record>& records, const std::string& reason) {
  if (records.empty()) throw Error("a reference cannot be made: the results hold no record", "run the study first");
  if (reason.find_first_not_of(" \t\n") == std::string::npos)
    throw Error("a reference needs a reason", "say in one sentence why these values are the right ones");
  std::vector<std::string> unfinished;
  const Record& first = records.front();
  for (const auto& record : records) {
    if (record.cell.study != first.cell.study || record.profile != first.profile)
      throw Error(fmt::format("a reference is of one study and profile; cell {} is of {} ({}), cell {} of {} ({})", first.cell.id(),
                              first.cell.study, first.profile, record.cell.id(), record.cell.study, record.profile),
                  "give the results folder of one run");
    if (record.status != Status::Done) unfinished.push_back(record.cell.id());
  }
  if (!unfinished.empty())
    throw Error(fmt::format("a reference cannot be made: {} cells are not done: {}", unfinished.size(), first_few(unfinished)),
                "run the study again; finished cells are kept");
}

json to_json(const Quantity& quantity) {
  return {{"table", quantity.table}, {"dataset", quantity.dataset}, {"method", quantity.method}, {"metric", quantity.metric}};
}

Quantity quantity_from(const Fields& fields) {
  return {
      .table = fields.text("table"), .dataset = fields.text("dataset"), .method = fields.text("method"), .metric = fields.text("metric")};
}

json to_json(const Revision& revision) {
  json moved = json::array();
  for (const auto& change : revision.moved) {
    json entry = to_json(change.quantity);
    entry["old"] = change.old_value ? json(*change.old_value) : json();
    entry["new"] = change.new_value ? json(*change.new_value) : json();
    moved.push_back(std::move(entry));
  }
  return {{"reason", revision.reason}, {"moved", moved}};
}

std::vector<std::vector<double>> lists_from(const Fields& fields, const char* key, std::size_t length) {
  std::vector<std::vector<double>> lists;
  for (const auto& item : fields.array(key)) {
    if (!item.is_array() || (!item.empty() && item.size() != length))
      fields.refuse(fmt::format("\"{}\" must hold lists of {} numbers, one per seed", key, length));
    auto& list = lists.emplace_back();
    for (const auto& value : item) {
      if (!value.is_number()) fields.refuse(fmt::format("\"{}\" must hold numbers", key));
      list.push_back(value.get<double>());
    }
  }
  return lists;
}

ReferenceEntry entry_from(const Fields& fields, std::size_t arithmetics) {
  ReferenceEntry entry{
      .sample = {.unit = fields.text("unit"), .protocol = fields.text("protocol"), .direction = fields.choice("direction", directions)}};
  Sample& sample = entry.sample;
  for (const auto& seed : fields.array("seeds")) {
    if (!seed.is_number_integer()) fields.refuse("\"seeds\" must hold integers");
    sample.seeds.push_back(seed.get<std::int64_t>());
  }
  if (sample.seeds.size() < 2) fields.refuse(fmt::format("{} seeds; at least two are needed", sample.seeds.size()));
  auto values = lists_from(fields, "values", sample.seeds.size());
  if (values.size() != arithmetics || values.front().empty())
    fields.refuse(fmt::format("{} lists of values for {} arithmetics, and the first may not be empty", values.size(), arithmetics));
  sample.values = values.front();
  entry.others.assign(values.begin() + 1, values.end());
  entry.rounded = lists_from(fields, "rounded", sample.seeds.size());
  sample.mean = mean(sample.values);
  return entry;
}

/// A reference that guards nothing would pass every run.
void check_guards(const Reference& reference, const Fields& fields) {
  const auto guards = [&](const auto& entry) {
    return entry.second.sample.direction != Direction::Neither && !reference.is_informational(entry.first);
  };
  if (std::none_of(reference.entries.begin(), reference.entries.end(), guards))
    fields.refuse(
        fmt::format("none of its {} quantities guards accuracy: each is informational or has no direction", reference.entries.size()));
}

Revision revision_from(const Fields& fields, const std::string& where) {
  Revision revision{.reason = fields.text("reason"), .moved = {}};
  const auto value = [](const Fields& change, const char* key) -> std::optional<double> {
    return change.at(key).is_null() ? std::nullopt : std::optional(change.number(key));
  };
  for (const auto& entry : fields.array("moved")) {
    const Fields change(entry, fmt::format("{}, moved[{}]", where, revision.moved.size()), reference_fix);
    revision.moved.push_back({quantity_from(change), value(change, "old"), value(change, "new")});
  }
  return revision;
}

/// The sample's values of these seeds. Error: it lacks the quantity or has other seeds.
std::vector<double> values_like(const ReferenceEntry& entry, const Quantity& quantity, const Samples& samples, const std::string& run) {
  const auto found = samples.find(quantity);
  if (found == samples.end() || found->second.seeds != entry.sample.seeds)
    throw Error(fmt::format("{} has {} of {}, where the reference has {}", run,
                            found == samples.end() ? "no value" : fmt::format("{} seeds", found->second.n()), quantity.text(),
                            fmt::format("{} seeds", entry.sample.n())),
                "run it whole, with the reference's seeds");
  return found->second.values;
}

}  // namespace

std::string arithmetic_of(const std::vector<Record>& records) {
  std::string arithmetic;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    const auto& its = record.environment.arithmetic;
    if (its.empty() || (!arithmetic.empty() && arithmetic != its)) return "";
    arithmetic = its;
  }
  return arithmetic;
}

bool ReferenceEntry::is_fact() const {
  return sample.direction == Direction::Neither &&
         std::all_of(sample.values.begin(), sample.values.end(), [&](double value) { return value == sample.values.front(); });
}

bool Reference::is_informational(const Quantity& quantity) const {
  return std::any_of(informational.begin(), informational.end(),
                     [&](const std::string& glob) { return matches_glob(quantity.metric, glob); });
}

json settings_of(const std::vector<Record>& records) {
  json settings = json::object();
  std::map<std::string, std::string> first_cell;
  const auto keep = [&](const std::string& key, const json& value, const Record& record) {
    const auto place = settings.find(key);
    if (place == settings.end()) {
      settings[key] = value;
      first_cell[key] = record.cell.id();
    } else if (*place != value) {
      throw UsageError(
          fmt::format("{} is {} in cell {} and {} in cell {}", key, place->dump(), first_cell[key], value.dump(), record.cell.id()),
          "give the results of one run: run the study into a folder of its own with --out");
    }
  };
  for (const auto& record : records) {
    for (const auto& [key, value] : record.options.items())
      if (key != "rounding" && key != "run.data" && !key.starts_with("method.")) keep(key, value, record);
    for (const auto& [name, hash] : record.data) keep("data/" + name, hash, record);
  }
  return settings;
}

std::map<Trained, Costs> costs_of(const std::vector<Record>& records) {
  std::map<Trained, Costs> costs;
  std::map<Trained, std::vector<double>> peaks;
  for (const auto& record : records) {
    if (record.status != Status::Done) continue;
    const Trained trained{record.cell.table, record.cell.dataset, record.cell.method};
    auto& its = costs[trained];
    if (its.parameters.empty()) its.parameters = record.parameters;
    its.seeds.push_back(record.cell.seed);
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

Reference make_reference(const std::vector<Record>& records, const std::string& reason, const std::vector<std::vector<Record>>& rounded) {
  check_usable(records, reason);
  Reference reference{.study = records.front().cell.study,
                      .profile = records.front().profile,
                      .settings = settings_of(records),
                      .arithmetics = {arithmetic_of(records)},
                      .costs = costs_of(records)};
  std::vector<std::string> thin;
  for (auto& [quantity, sample] : aggregate(records)) {
    if (sample.n() < 2)
      thin.push_back(quantity.text());  // the trials of a search run on one seed: they have no spread to judge by
    else
      reference.entries[quantity] = {.sample = sample};
  }
  if (reference.entries.empty())
    throw Error(fmt::format("a reference cannot be made: {} quantities have one seed only: {}", thin.size(), first_few(thin)),
                "run at least two seeds (--seeds); the tolerance comes from the spread over them");
  for (const auto& run : rounded) {
    check_usable(run, reason);
    if (arithmetic_of(run) != reference.arithmetics.front())
      throw Error(fmt::format("a rounded run has the arithmetic \"{}\", the reference's run \"{}\"", arithmetic_of(run),
                              reference.arithmetics.front()),
                  "make all runs of a reference by the same program on one machine");
    const auto samples = aggregate(run);
    for (auto& [quantity, entry] : reference.entries) entry.rounded.push_back(values_like(entry, quantity, samples, "the rounded run"));
  }
  reference.history.push_back({.reason = reason, .moved = {}});
  return reference;
}

namespace {

/// Quantities whose new values are the old ones, or off them by no more than another rounding makes.
std::set<Quantity> within_rounding(const Reference& old, const std::vector<Record>& records) {
  std::set<Quantity> within;
  for (const auto& judged : judge(old, aggregate(records), arithmetic_of(records)).judged)
    if (judged.outcome == Outcome::Same || judged.outcome == Outcome::Changed) within.insert(judged.quantity);
  return within;
}

}  // namespace

Reference update_reference(const Reference& old, const std::vector<Record>& records, const std::string& reason,
                           const std::vector<std::vector<Record>>& rounded) {
  Reference updated = make_reference(records, reason, rounded);
  if (updated.study != old.study || updated.profile != old.profile)
    throw Error(
        fmt::format("the reference is of {} ({}), the results are of {} ({})", old.study, old.profile, updated.study, updated.profile),
        "give the results of the same study and profile, or make a reference of its own for these");
  Revision& revision = updated.history.back();
  const bool same_values = rounded.empty() && old.arithmetics.front() == updated.arithmetics.front() &&
                           std::all_of(updated.entries.begin(), updated.entries.end(), [&](const auto& entry) {
                             const auto before = old.entries.find(entry.first);
                             return before != old.entries.end() && before->second.sample.values == entry.second.sample.values &&
                                    before->second.sample.seeds == entry.second.sample.seeds;
                           });
  if (same_values) updated.arithmetics = old.arithmetics;
  const bool keeps_draws = rounded.empty() && old.arithmetics.front() == updated.arithmetics.front();
  const auto within = keeps_draws ? within_rounding(old, records) : std::set<Quantity>{};
  for (auto& [quantity, entry] : updated.entries) {
    const auto before = old.entries.find(quantity);
    if (before == old.entries.end())
      revision.moved.push_back({quantity, std::nullopt, entry.sample.mean});
    else if (before->second.sample.mean != entry.sample.mean)
      revision.moved.push_back({quantity, before->second.sample.mean, entry.sample.mean});
    if (within.contains(quantity) && before->second.sample.seeds == entry.sample.seeds) entry.rounded = before->second.rounded;
    if (same_values) entry.others = before->second.others;
  }
  for (const auto& [quantity, entry] : old.entries)
    if (!updated.entries.contains(quantity)) revision.moved.push_back({quantity, entry.sample.mean, std::nullopt});
  updated.informational = old.informational;
  updated.history.insert(updated.history.begin(), old.history.begin(), old.history.end());
  return updated;
}

void remember(Reference& reference, const std::vector<Record>& records) {
  const auto arithmetic = arithmetic_of(records);
  if (arithmetic.empty())
    throw Error("the records do not say with what arithmetic they were made, or come from several", "run the profile anew on one machine");
  if (std::find(reference.arithmetics.begin(), reference.arithmetics.end(), arithmetic) != reference.arithmetics.end())
    throw UsageError(fmt::format("the reference knows the arithmetic \"{}\" already", arithmetic),
                     "check judges by it; use --update to put new values in place of old ones");
  const auto samples = aggregate(records);
  std::map<Quantity, std::vector<double>> values;
  for (const auto& [quantity, entry] : reference.entries) values[quantity] = values_like(entry, quantity, samples, "this run");
  for (auto& [quantity, entry] : reference.entries) entry.others.push_back(std::move(values.at(quantity)));
  for (const auto& [trained, its] : costs_of(records))
    if (const auto known = reference.costs.find(trained); known != reference.costs.end()) {
      known->second.least_memory_mib = std::min(known->second.least_memory_mib, its.least_memory_mib);
      known->second.most_memory_mib = std::max(known->second.most_memory_mib, its.most_memory_mib);
    }
  reference.arithmetics.push_back(arithmetic);
}

std::string text_of(const Revision& revision, std::size_t quantities) {
  std::string text = fmt::format("{} of {} quantities moved: {}\n", revision.moved.size(), quantities, revision.reason);
  for (const auto& change : revision.moved) {
    const auto value = [](const std::optional<double>& number) { return number ? fmt::format("{:.6g}", *number) : std::string("none"); };
    text += fmt::format("  {}: {} -> {}\n", change.quantity.text(), value(change.old_value), value(change.new_value));
  }
  return text;
}

json to_json(const Reference& reference) {
  json entries = json::array(), history = json::array(), costs = json::array();
  for (const auto& [quantity, entry] : reference.entries) {
    const Sample& sample = entry.sample;
    json item = to_json(quantity), values = json::array({sample.values});
    for (const auto& other : entry.others) values.push_back(other);
    item.update({{"protocol", sample.protocol},
                 {"unit", sample.unit},
                 {"direction", choice_text(sample.direction, directions)},
                 {"seeds", sample.seeds},
                 {"values", values},
                 {"rounded", entry.rounded}});
    entries.push_back(std::move(item));
  }
  for (const auto& [trained, its] : reference.costs)
    costs.push_back({{"table", trained.table},
                     {"dataset", trained.dataset},
                     {"method", trained.method},
                     {"seeds", its.seeds},
                     {"parameters", its.parameters},
                     {"peak_memory_mib", {its.least_memory_mib, its.most_memory_mib}}});
  for (const auto& revision : reference.history) history.push_back(to_json(revision));
  return {{"schema", reference_version},
          {"study", reference.study},
          {"profile", reference.profile},
          {"settings", reference.settings},
          {"arithmetics", reference.arithmetics},
          {"informational", reference.informational},
          {"entries", entries},
          {"costs", costs},
          {"history", history}};
}

Reference reference_from_json(const json& json, const std::string& where) {
  const Fields fields(json, where, reference_fix);
  if (const auto version = fields.integer("schema"); version != reference_version)
    fields.refuse(fmt::format("the reference has schema version {}; this program reads version {}", version, reference_version));
  Reference reference{.study = fields.text("study"), .profile = fields.text("profile"), .settings = fields.object("settings").raw()};
  const auto texts = [&](const char* key) {
    std::vector<std::string> list;
    for (const auto& text : fields.array(key)) {
      if (!text.is_string()) fields.refuse(fmt::format("\"{}\" must hold texts", key));
      list.push_back(text.get<std::string>());
    }
    return list;
  };
  reference.arithmetics = texts("arithmetics");
  if (reference.arithmetics.empty()) fields.refuse("\"arithmetics\" is empty; it names how the values were computed");
  reference.informational = texts("informational");
  for (const auto& item : fields.array("entries")) {
    const Fields entry(item, fmt::format("{}, entries[{}]", where, reference.entries.size()), reference_fix);
    if (!reference.entries.emplace(quantity_from(entry), entry_from(entry, reference.arithmetics.size())).second)
      entry.refuse("this quantity stands in the file twice");
  }
  for (const auto& item : fields.array("costs")) {
    const Fields entry(item, fmt::format("{}, costs[{}]", where, reference.costs.size()), reference_fix);
    auto& its = reference.costs[{entry.text("table"), entry.text("dataset"), entry.text("method")}];
    const auto& peaks = entry.array("peak_memory_mib");
    if (peaks.size() != 2 || !peaks[0].is_number() || !peaks[1].is_number())
      entry.refuse("\"peak_memory_mib\" must be [least, most], of the seeds that took least and most");
    its.least_memory_mib = peaks[0].get<double>();
    its.most_memory_mib = peaks[1].get<double>();
    for (const auto& seed : entry.array("seeds")) {
      if (!seed.is_number_integer()) entry.refuse("\"seeds\" must hold integers");
      its.seeds.push_back(seed.get<std::int64_t>());
    }
    const Fields given = entry.object("parameters");
    for (const auto& [name, count] : given.raw().items()) its.parameters[name] = given.integer(name.c_str());
  }
  for (const auto& item : fields.array("history")) {
    const auto place = fmt::format("{}, history[{}]", where, reference.history.size());
    reference.history.push_back(revision_from({item, place, reference_fix}, place));
  }
  check_guards(reference, fields);
  return reference;
}

Reference read_reference(const std::filesystem::path& path) {
  return reference_from_json(parse_json(read_file(path), path.string(), reference_fix), path.string());
}

void write_reference(const std::filesystem::path& path, const Reference& reference) {
  // An item of a list, or a setting, per line: a change of one quantity is a change of one line.
  std::string text = "{\n";
  const json whole = to_json(reference);
  for (const auto& [key, value] : whole.items()) {
    text += fmt::format("{}\"{}\": ", text.size() > 2 ? ",\n" : "", key);
    if (value.empty() || !value.is_structured()) {
      text += json_text(value);
      continue;
    }
    const bool list = value.is_array();
    std::string items;
    for (const auto& [name, item] : value.items())
      items += fmt::format("{}\n  {}{}", items.empty() ? "" : ",", list ? "" : json_text(name) + ": ", json_text(item));
    text += fmt::format("{}{}\n{}", list ? '[' : '{', items, list ? ']' : '}');
  }
  write_file(path, text + "\n}\n");
}

}  // namespace reprise::records
