// The file of a reference: reading, writing, locking.
#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/plain_name.h"
#include "core/printable.h"
#include "records/fields.h"
#include "records/old_names.h"
#include "records/regression/reference.h"

namespace reprise::records {
namespace {

using nlohmann::json;

constexpr int reference_version = 5;
constexpr const char* reference_fix =
    "take back an earlier version of the file; or remove it and make it from trusted results: ./reprise check RESULTS --against FILE --update "
    "--reason \"...\"";

json to_json(const Quantity& quantity) {
  return {{"table", quantity.table},
          {"dataset", quantity.dataset},
          {"method", quantity.method},
          {"metric", quantity.metric}};
}

Quantity quantity_from(const Fields& fields) {
  const auto name = [&](const char* key) {
    auto text = fields.text(key);
    // Names are printed in terminals and Markdown, so they must be plain.
    if (!is_plain_name(text, ".@+="))
      fields.refuse(fmt::format("'{}' cannot be the name of a {}", printable(text), key));
    return text;
  };
  return {.table = name("table"),
          .dataset = name("dataset"),
          .method = name("method"),
          .metric = name("metric")};
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

std::vector<std::vector<double>> lists_from(const Fields& fields, const char* key,
                                            std::size_t length) {
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

/// Error: a seed is no integer, or not above the one before it. A repeated seed would count twice.
std::vector<std::int64_t> seeds_from(const Fields& fields) {
  std::vector<std::int64_t> seeds;
  for (const auto& seed : fields.array("seeds")) {
    if (!seed.is_number_integer()) fields.refuse("\"seeds\" must hold integers");
    if (!seeds.empty() && seed.get<std::int64_t>() <= seeds.back())
      fields.refuse(fmt::format("\"seeds\" must rise, and seed {} comes after seed {}",
                                seed.get<std::int64_t>(), seeds.back()));
    seeds.push_back(seed.get<std::int64_t>());
  }
  return seeds;
}

ReferenceEntry entry_from(const Fields& fields, std::size_t arithmetics) {
  ReferenceEntry entry{.sample = {.unit = fields.text("unit"),
                                  .protocol = fields.text("protocol"),
                                  .direction = fields.choice("direction", directions)}};
  Sample& sample = entry.sample;
  sample.seeds = seeds_from(fields);
  if (sample.seeds.size() < 2)
    fields.refuse(fmt::format("{} seeds; at least two are needed", sample.seeds.size()));
  auto values = lists_from(fields, "values", sample.seeds.size());
  if (values.size() != arithmetics || values.front().empty())
    fields.refuse(
        fmt::format("{} lists of values for {} arithmetics, and the first may not be empty",
                    values.size(), arithmetics));
  sample.values = values.front();
  entry.others.assign(values.begin() + 1, values.end());
  // The mean is not stored: it follows from the values.
  sample.mean = statistics::mean(sample.values);
  return entry;
}

Revision revision_from(const Fields& fields, const std::string& where) {
  Revision revision{.reason = fields.text("reason"), .moved = {}};
  const auto value = [](const Fields& change, const char* key) -> std::optional<double> {
    return change.at(key).is_null() ? std::nullopt : std::optional(change.number(key));
  };
  for (const auto& entry : fields.array("moved")) {
    const Fields change(entry, fmt::format("{}, moved[{}]", where, revision.moved.size()),
                        reference_fix);
    revision.moved.push_back({quantity_from(change), value(change, "old"), value(change, "new")});
  }
  return revision;
}

}  // namespace

json to_json(const Reference& reference) {
  json entries = json::array(), history = json::array(), costs = json::array();
  for (const auto& [quantity, entry] : reference.entries) {
    const Sample& sample = entry.sample;
    json item = to_json(quantity), values = json::array({sample.values});
    // The first list is of the first arithmetic; a platform without the quantity has an empty one.
    for (const auto& other : entry.others) values.push_back(other);
    item.update({{"protocol", sample.protocol},
                 {"unit", sample.unit},
                 {"direction", choice_text(sample.direction, directions)},
                 {"seeds", sample.seeds},
                 {"values", values}});
    entries.push_back(std::move(item));
  }
  for (const auto& [key, its] : reference.costs) {
    costs.push_back({{"table", key.table},
                     {"dataset", key.dataset},
                     {"method", key.method},
                     {"seeds", its.seeds},
                     {"parameters", its.parameters},
                     {"peak_memory_mib", {its.least_memory_mib, its.most_memory_mib}}});
    if (its.quantities) costs.back()["quantities"] = *its.quantities;
  }
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
    fields.refuse(fmt::format("the reference has schema version {}; this program reads version {}",
                              version, reference_version));
  Reference reference{.study = fields.text("study"),
                      .profile = current_profile(fields.text("profile")),
                      .settings = current_settings(fields.object("settings").raw())};
  const auto texts = [&](const char* key) {
    std::vector<std::string> list;
    for (const auto& text : fields.array(key)) {
      if (!text.is_string()) fields.refuse(fmt::format("\"{}\" must hold texts", key));
      list.push_back(text.get<std::string>());
    }
    return list;
  };
  reference.arithmetics = texts("arithmetics");
  if (reference.arithmetics.empty())
    fields.refuse("\"arithmetics\" is empty; it names how the values were computed");
  reference.informational = texts("informational");
  for (const auto& item : fields.array("entries")) {
    const Fields entry(item, fmt::format("{}, entries[{}]", where, reference.entries.size()),
                       reference_fix);
    if (!reference.entries
             .emplace(quantity_from(entry), entry_from(entry, reference.arithmetics.size()))
             .second)
      entry.refuse("this quantity occurs twice in the file");
  }
  for (const auto& item : fields.array("costs")) {
    const Fields entry(item, fmt::format("{}, costs[{}]", where, reference.costs.size()),
                       reference_fix);
    const auto [place, added] = reference.costs.try_emplace(
        {entry.text("table"), entry.text("dataset"), entry.text("method")},
        Costs{.seeds = seeds_from(entry)});
    if (!added) entry.refuse("the costs of this method occur twice in the file");
    auto& its = place->second;
    // Older files do not have this field.
    if (item.contains("quantities"))
      its.quantities =
          static_cast<int>(entry.integer("quantities", 0, std::numeric_limits<int>::max()));
    const auto& peaks = entry.array("peak_memory_mib");
    if (peaks.size() != 2 || !peaks[0].is_number() || !peaks[1].is_number() || peaks[0] < 0 ||
        peaks[1] < peaks[0])
      entry.refuse(
          "\"peak_memory_mib\" must be [least, most], of the seeds that took least and most");
    its.least_memory_mib = peaks[0].get<double>();
    its.most_memory_mib = peaks[1].get<double>();
    const Fields given = entry.object("parameters");
    for (const auto& [name, count] : given.raw().items())
      its.parameters[name] = given.integer(name.c_str(), 0);
  }
  for (const auto& item : fields.array("history")) {
    const auto place = fmt::format("{}, history[{}]", where, reference.history.size());
    reference.history.push_back(revision_from({item, place, reference_fix}, place));
  }
  if (const auto defect = find_defect(reference); !defect.empty()) fields.refuse(defect);
  return reference;
}

Reference read_reference(const std::filesystem::path& path) {
  const auto stored = parse_json(read_file(path), path.string(), reference_fix);
  try {
    return reference_from_json(stored, path.string());
  } catch (const Error& error) {
    // An unusable file is wrong use of the command, not a failed check.
    throw UsageError(error.problem(), error.fix());
  }
}

void write_reference(const std::filesystem::path& path, const Reference& reference) {
  if (const auto defect = find_defect(reference); !defect.empty())
    throw Error(path.string() + " is not written: " + defect,
                "make the reference from the results of a whole run");
  // One item of a list, or one setting, per line: a change of one quantity changes one line.
  std::string text = "{\n";
  // The object must outlive items(), which refers to it.
  const json whole = to_json(reference);
  for (const auto& [key, value] : whole.items()) {
    text += fmt::format("{}\"{}\": ", text.size() > 2 ? ",\n" : "", key);
    // Texts, numbers and empty lists fit into one line.
    if (value.empty() || !value.is_structured()) {
      text += json_text(value);
      continue;
    }
    const bool list = value.is_array();
    std::string items;
    for (const auto& [name, item] : value.items())
      items += fmt::format("{}\n  {}{}", items.empty() ? "" : ",",
                           list ? "" : json_text(name) + ": ", json_text(item));
    text += list ? "[" + items + "\n]" : "{" + items + "\n}";
  }
  write_file(path, text + "\n}\n");
}

namespace {

/// Lock file of a reference, in the same folder. If the reference is a link, in its target's
/// folder.
std::filesystem::path lock_file(const std::filesystem::path& path) {
  std::error_code unresolved;
  auto target = std::filesystem::weakly_canonical(path, unresolved);
  // The lock lies next to the file that a link leads to, so that both paths share it.
  if (unresolved) target = std::filesystem::absolute(path);
  std::filesystem::create_directories(target.parent_path(), unresolved);
  return target.parent_path() / ("." + target.filename().string() + ".lock");
}

}  // namespace

ReferenceLock::ReferenceLock(const std::filesystem::path& path)
    : FileLock(lock_file(path),
               {.name = path.string(),
                .holder = "another update",
                .fix = "wait for it to end, and run the same command again"},
               std::chrono::minutes(1)) {}

}  // namespace reprise::records
