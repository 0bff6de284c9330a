#include "records/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <utility>

#include "core/error.h"
#include "core/plain_name.h"
#include "core/printable.h"
#include "records/fields.h"
#include "records/old_names.h"

namespace reprise::records {
namespace {

using nlohmann::json;

/// Signs allowed in the name of a metric, which can contain a limit: "failures@0.08".
constexpr std::string_view metric_signs = ".@+=";

constexpr Name<Status> statuses[] = {
    {Status::Running, "running"}, {Status::Done, "done"}, {Status::Failed, "failed"}};

json metrics_to_json(const Record& record) {
  json list = json::array();
  for (const auto& metric : record.metrics) {
    if (!std::isfinite(metric.value)) {
      // The record of a failed cell keeps its finite values. A finished cell must not hide a value
      // that is not finite.
      if (record.status != Status::Done) continue;
      throw Error(
          fmt::format("cell {}: metric {} is {}, not a finite number", record.cell.id(),
                      metric.name, metric.value),
          "find the frames or clips that cause it; a cell with a metric without a value must fail");
    }
    list.push_back({{"name", metric.name},
                    {"value", metric.value},
                    {"unit", metric.unit},
                    {"direction", choice_text(metric.direction, directions)},
                    {"protocol", metric.protocol}});
    // Only fractions count items.
    if (metric.items > 0) list.back()["items"] = metric.items;
  }
  return list;
}

void expect_schema(const Fields& fields, const std::string& where) {
  if (const auto version = fields.integer("schema"); version != schema_version)
    throw Error(
        fmt::format("{}: the record has schema version {}; this program reads version {}", where,
                    version, schema_version),
        "delete the results folder and regenerate it with the same run command, or read it with the program that wrote it");
}

/// The processes of a record. Error: a time that is none (named); the record's "started" is not
/// that of the first.
std::vector<Process> read_processes(const Fields& fields) {
  // The format of utc_now() (core/environment.h).
  static const std::regex utc_time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)");
  std::vector<Process> processes;
  for (const auto& entry : fields.array("processes")) {
    const Fields process(entry, fields.where() + fmt::format(", processes[{}]", processes.size()),
                         fields.fix());
    processes.push_back({.started = process.text("started"), .seconds = process.number("seconds")});
    const auto& [started, seconds] = processes.back();
    if (!std::regex_match(started, utc_time))
      process.refuse(
          fmt::format("started is \"{}\"; a time such as 2026-11-28T23:35:01Z was expected",
                      printable(started)));
    if (seconds < 0) process.refuse(fmt::format("the process took {} seconds", seconds));
  }
  if (!processes.empty() && fields.text("started") != processes.front().started)
    fields.refuse(fmt::format("started is \"{}\", and the first process started at {}",
                              printable(fields.text("started")), processes.front().started));
  return processes;
}

/// A method's name holds the settings of a trial: "gru+lr=0.01".
void check_name(const Cell& cell, const char* axis, const std::string& name,
                std::string_view also = "") {
  // Names become folders and command-line words.
  if (is_plain_name(name, also)) return;
  throw UsageError(fmt::format("cell {}: '{}' cannot be the name of a {}", printable(cell.id()),
                               printable(name), axis),
                   fmt::format("use letters, digits, '_' and '-', a letter or digit first{}",
                               also.empty() ? "" : "; '+', '=' and '.' in settings"));
}

Environment environment_from_json(const json& json, const std::string& where,
                                  const std::string& fix) {
  const Fields fields(json, where + ", environment", fix);
  return {
      .commit = fields.text("commit"),
      .dirty = fields.flag("dirty"),
      .compiler = fields.text("compiler"),
      .torch = fields.text("torch"),
      .cpu = fields.text("cpu"),
      .gpu = fields.text("gpu"),
      .machine = fields.text("machine"),
      .arithmetic = fields.raw().contains("arithmetic") ? fields.text("arithmetic") : "",
      .threads = static_cast<int>(fields.integer("threads", 0, std::numeric_limits<int>::max()))};
}

/// UsageError: a text of the record cannot be the name of a `what`. Names of a stranger's records
/// reach terminals, tables and spreadsheets.
void expect_name(const Fields& fields, const std::string& name, const char* what,
                 std::string_view also = "") {
  if (is_plain_name(name, also)) return;
  throw UsageError(
      fmt::format("{}: '{}' cannot be the name of a {}", fields.where(), printable(name), what),
      fields.fix());
}

std::vector<Metric> read_metrics(const Fields& fields) {
  std::vector<Metric> metrics;
  for (const auto& entry : fields.array("metrics")) {
    const auto where = fmt::format("{}, metrics[{}]", fields.where(), metrics.size());
    const Fields metric(entry, where, fields.fix());
    metrics.push_back({.name = metric.text("name"),
                       .value = metric.number("value"),
                       .unit = metric.text("unit"),
                       .direction = metric.choice("direction", directions),
                       .protocol = metric.text("protocol"),
                       .items = entry.contains("items") ? metric.integer("items", 1) : 0});
    const auto& read = metrics.back();
    expect_name(fields, read.name, "metric", metric_signs);
    // A line break or escape sequence could forge output in a terminal.
    for (const auto* text : {&read.name, &read.unit, &read.protocol})
      if (has_control_character(*text))
        throw UsageError(fmt::format("{}: '{}' holds a control character", where, printable(*text)),
                         fields.fix());
  }
  return metrics;
}

/// Reads seconds by phase, and counts of parameters.
void read_costs(const Fields& fields, Record& record) {
  const auto seconds = fields.object("seconds");
  for (const auto& [phase, value] : seconds.raw().items()) {
    expect_name(fields, phase, "phase", metric_signs);
    record.seconds[phase] = seconds.number(phase.c_str());
    // A negative time is damage, and would shorten totals.
    if (record.seconds[phase] < 0)
      seconds.refuse(fmt::format("the phase \"{}\" took {} seconds", phase, record.seconds[phase]));
  }
  const auto parameters = fields.object("parameters");
  for (const auto& [name, value] : parameters.raw().items()) {
    expect_name(fields, name, "count of parameters", metric_signs);
    record.parameters[name] = parameters.integer(name.c_str(), 0);
  }
}

}  // namespace

std::string Cell::id() const {
  return fmt::format("{}/{}/{}/seed{}", table, dataset, method, seed);
}

void check_names(const Cell& cell) {
  check_name(cell, "table", cell.table);
  check_name(cell, "dataset", cell.dataset);
  check_name(cell, "method", cell.method, "+=.");
}

std::optional<double> Record::metric(const std::string& name) const {
  for (const auto& metric : metrics)
    if (metric.name == name) return metric.value;
  return std::nullopt;
}

std::vector<Metric> cost_metrics(const Record& record) {
  std::vector<Metric> costs;
  for (const auto& [name, count] : record.parameters)
    costs.push_back({.name = "parameters." + name,
                     .value = static_cast<double>(count),
                     .direction = Direction::Neither});
  for (const auto& [phase, seconds] : record.seconds)
    costs.push_back({.name = "seconds." + phase,
                     .value = seconds,
                     .unit = "s",
                     .direction = Direction::Neither});
  return costs;
}

const Metric* find_metric(const Record& record, const std::string& name) {
  for (const auto& metric : record.metrics)
    if (metric.name == name) return &metric;
  return nullptr;
}

double total_seconds(const Record& record) {
  const auto total = record.seconds.find("total");
  return total == record.seconds.end() ? 0 : total->second;
}

json to_json(const Record& record) {
  const auto& environment = *record.environment;
  json stored = {{"schema", schema_version},
                 {"study", record.cell.study},
                 {"table", record.cell.table},
                 {"dataset", record.cell.dataset},
                 {"method", record.cell.method},
                 {"seed", record.cell.seed},
                 {"version", record.version},
                 {"profile", record.profile},
                 {"options", *record.options},
                 {"metrics", metrics_to_json(record)},
                 {"seconds", record.seconds},
                 {"parameters", record.parameters},
                 {"peak_memory_bytes", record.peak_memory_bytes},
                 {"environment",
                  {{"commit", environment.commit},
                   {"dirty", environment.dirty},
                   {"compiler", environment.compiler},
                   {"torch", environment.torch},
                   {"cpu", environment.cpu},
                   {"gpu", environment.gpu},
                   {"machine", environment.machine},
                   {"arithmetic", environment.arithmetic},
                   {"threads", environment.threads}}},
                 {"status", choice_text(record.status, statuses)},
                 {"error", record.error}};
  // Older records have neither field.
  if (!record.data.empty()) stored["data"] = record.data;
  if (!record.processes.empty()) {
    stored["started"] = record.processes.front().started;
    for (const auto& process : record.processes)
      stored["processes"].push_back({{"started", process.started}, {"seconds", process.seconds}});
  }
  return stored;
}

Record record_from_json(const json& json, const std::string& where, const std::string& fix) {
  const Fields fields(json, where, fix);
  expect_schema(fields, where);
  Record record;
  record.cell = {.study = fields.text("study"),
                 .table = fields.text("table"),
                 .dataset = fields.text("dataset"),
                 .method = fields.text("method"),
                 .seed = fields.integer("seed")};
  expect_name(fields, record.cell.study, "study");
  expect_name(fields, record.cell.table, "table");
  expect_name(fields, record.cell.dataset, "dataset");
  expect_name(fields, record.cell.method, "method", "+=.");
  record.profile = current_profile(fields.text("profile"));
  if (json.contains("version"))
    record.version =
        static_cast<int>(fields.integer("version", 1, std::numeric_limits<int>::max()));
  record.options = current_settings(fields.object("options").raw());
  record.metrics = read_metrics(fields);
  read_costs(fields, record);
  // Older records have neither processes nor data.
  if (json.contains("processes")) record.processes = read_processes(fields);
  record.peak_memory_bytes = fields.integer("peak_memory_bytes", 0);
  if (json.contains("data")) {
    const auto data = fields.object("data");
    for (const auto& [name, hash] : data.raw().items()) record.data[name] = data.text(name.c_str());
  }
  record.environment = environment_from_json(fields.object("environment").raw(), where, fix);
  record.status = fields.choice("status", statuses);
  record.error = fields.text("error");
  if (record.status == Status::Done && !record.error.empty())
    fields.refuse(fmt::format(
        "the status is done, and the error is \"{}\"; a cell is done without an error, or failed",
        printable(record.error)));
  return record;
}

void share_equal(const Record& other, Record& record) {
  if (record.options == other.options) record.options = other.options;
  if (record.environment == other.environment) record.environment = other.environment;
}

Curves curves_from_json(const json& json, const std::string& where, const std::string& fix) {
  const Fields series(json, where, fix);
  Curves curves;
  for (const auto& [name, values] : json.items()) {
    if (!values.is_array()) series.refuse(fmt::format("the series \"{}\" is not a list", name));
    auto& curve = curves[name];
    for (const auto& value : values) {
      if (!value.is_number() && !value.is_null())
        series.refuse(fmt::format("the series \"{}\" holds something that is not a number", name));
      // JSON has no NaN; an epoch without a value is null.
      curve.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                      : value.get<double>());
    }
  }
  return curves;
}

std::string without_evaluator(const std::string& protocol) {
  // A protocol names the weights of its evaluator by a hash: ".../judge-1a2b3c".
  static const std::regex evaluator("/judge-[0-9a-f]+");
  return std::regex_replace(protocol, evaluator, "");
}

}  // namespace reprise::records
