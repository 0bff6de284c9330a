#include "records/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "records/fields.h"
#include "records/statistics.h"

namespace reprise::records {
namespace {

using nlohmann::json;

constexpr int reference_version = 1;
constexpr const char* fix_hint = "write the reference anew from trusted results: ./reprise check RESULTS --against FILE --update";
constexpr Name<Lane> lanes[] = {{Lane::Approximate, "approximate"}, {Lane::Exact, "exact"}};

void check_usable(const std::vector<Record>& records, const std::string& reason) {
  if (records.empty()) throw Error("a reference cannot be made: the results hold no record", "run the study first");
  if (reason.empty()) throw Error("a reference needs a reason", "say in one sentence why these values are the right ones");
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

ReferenceEntry entry_from(const Fields& fields) {
  ReferenceEntry entry{
      .sample = {.unit = fields.text("unit"), .protocol = fields.text("protocol"), .direction = fields.choice("direction", directions)},
      .lane = fields.choice("lane", lanes)};
  Sample& sample = entry.sample;
  for (const auto& seed : fields.array("seeds")) {
    if (!seed.is_number_integer()) fields.refuse("\"seeds\" must hold integers");
    sample.seeds.push_back(seed.get<std::int64_t>());
  }
  for (const auto& value : fields.array("values")) {
    if (!value.is_number()) fields.refuse("\"values\" must hold numbers");
    sample.values.push_back(value.get<double>());
  }
  if (sample.n() < 2 || sample.seeds.size() != sample.values.size())
    fields.refuse(fmt::format("{} seeds and {} values; at least two of each are needed, as many of one as of the other",
                              sample.seeds.size(), sample.values.size()));
  sample.mean = mean(sample.values);
  return entry;
}

Revision revision_from(const Fields& fields) {
  Revision revision{.reason = fields.text("reason"), .moved = {}};
  const auto value = [](const Fields& change, const char* key) -> std::optional<double> {
    return change.at(key).is_null() ? std::nullopt : std::optional(change.number(key));
  };
  for (const auto& entry : fields.array("moved")) {
    const Fields change(entry, "history", fix_hint);
    revision.moved.push_back({quantity_from(change), value(change, "old"), value(change, "new")});
  }
  return revision;
}

}  // namespace

std::optional<Machine> machine_of(const std::vector<Record>& records) {
  std::optional<Machine> machine;
  for (const auto& record : records) {
    const auto& environment = record.environment;
    const Machine its{.cpu = environment.cpu, .gpu = environment.gpu, .torch = environment.torch, .threads = environment.threads};
    if (machine && *machine != its) return std::nullopt;
    machine = its;
  }
  return machine;
}

Reference make_reference(const std::vector<Record>& records, const std::string& reason) {
  check_usable(records, reason);
  Reference reference{.study = records.front().cell.study, .profile = records.front().profile, .machine = machine_of(records)};
  std::vector<std::string> thin;
  for (auto& [quantity, sample] : aggregate(records)) {
    if (sample.n() < 2)
      thin.push_back(quantity.text());  // the trials of a search run on one seed: they have no spread to judge by
    else
      reference.entries[quantity] = {.sample = sample, .lane = Lane::Approximate};
  }
  if (reference.entries.empty())
    throw Error(fmt::format("a reference cannot be made: {} quantities have one seed only: {}", thin.size(), first_few(thin)),
                "run at least two seeds (--seeds); the tolerance comes from the spread over them");
  reference.history.push_back({.reason = reason, .moved = {}});
  return reference;
}

Reference update_reference(const Reference& old, const std::vector<Record>& records, const std::string& reason) {
  Reference updated = make_reference(records, reason);
  if (updated.study != old.study || updated.profile != old.profile)
    throw Error(
        fmt::format("the reference is of {} ({}), the results are of {} ({})", old.study, old.profile, updated.study, updated.profile),
        "give the results of the same study and profile, or make a reference of its own for these");
  Revision& revision = updated.history.back();
  for (auto& [quantity, entry] : updated.entries) {
    const auto before = old.entries.find(quantity);
    if (before != old.entries.end()) entry.lane = before->second.lane;
    if (before == old.entries.end())
      revision.moved.push_back({quantity, std::nullopt, entry.sample.mean});
    else if (before->second.sample.mean != entry.sample.mean)
      revision.moved.push_back({quantity, before->second.sample.mean, entry.sample.mean});
  }
  for (const auto& [quantity, entry] : old.entries)
    if (!updated.entries.contains(quantity)) revision.moved.push_back({quantity, entry.sample.mean, std::nullopt});
  updated.told = old.told;
  updated.history.insert(updated.history.begin(), old.history.begin(), old.history.end());
  return updated;
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
  json entries = json::array(), history = json::array(), machine;
  for (const auto& [quantity, entry] : reference.entries) {
    const Sample& sample = entry.sample;
    json item = to_json(quantity);
    item.update({{"protocol", sample.protocol},
                 {"unit", sample.unit},
                 {"direction", choice_text(sample.direction, directions)},
                 {"lane", choice_text(entry.lane, lanes)},
                 {"value", sample.mean},
                 {"sd", deviation(sample.values)},
                 {"n", sample.n()},
                 {"seeds", sample.seeds},
                 {"values", sample.values}});
    entries.push_back(std::move(item));
  }
  for (const auto& revision : reference.history) history.push_back(to_json(revision));
  if (const auto& from = reference.machine)
    machine = {{"cpu", from->cpu}, {"gpu", from->gpu}, {"torch", from->torch}, {"threads", from->threads}};
  return {{"schema", reference_version}, {"study", reference.study}, {"profile", reference.profile},
          {"machine", machine},          {"told", reference.told},   {"entries", entries},
          {"history", history}};
}

Reference reference_from_json(const json& json, const std::string& where) {
  const Fields fields(json, where, fix_hint);
  if (const auto version = fields.integer("schema"); version != reference_version)
    fields.refuse(fmt::format("the reference has schema version {}; this program reads version {}", version, reference_version));
  Reference reference{.study = fields.text("study"), .profile = fields.text("profile")};
  if (!fields.at("machine").is_null()) {
    const Fields machine = fields.object("machine");
    reference.machine = {.cpu = machine.text("cpu"),
                         .gpu = machine.text("gpu"),
                         .torch = machine.text("torch"),
                         .threads = static_cast<int>(machine.integer("threads"))};
  }
  for (const auto& glob : fields.array("told")) {
    if (!glob.is_string()) fields.refuse("\"told\" must hold texts");
    reference.told.push_back(glob.get<std::string>());
  }
  for (const auto& item : fields.array("entries")) {
    const Fields entry(item, fmt::format("{}, entries[{}]", where, reference.entries.size()), fix_hint);
    if (!reference.entries.emplace(quantity_from(entry), entry_from(entry)).second) entry.refuse("this quantity stands in the file twice");
  }
  for (const auto& item : fields.array("history"))
    reference.history.push_back(revision_from({item, fmt::format("{}, history[{}]", where, reference.history.size()), fix_hint}));
  return reference;
}

Reference read_reference(const std::filesystem::path& path) {
  try {
    return reference_from_json(json::parse(read_file(path)), path.string());
  } catch (const json::exception& damage) {
    throw UsageError(fmt::format("{}: not a reference file: {}", path.string(), damage.what()), fix_hint);
  }
}

void write_reference(const std::filesystem::path& path, const Reference& reference) {
  write_file(path, to_json(reference).dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace reprise::records
