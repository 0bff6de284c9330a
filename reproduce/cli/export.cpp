// Records as one long table, for pandas, R, DuckDB and whatever else reads CSV or JSON lines.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/csv.h"
#include "core/files.h"
#include "core/text.h"
#include "reproduce/cli/cli.h"
#include "reproduce/names.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace {

using nlohmann::ordered_json;

struct ExportCall {
  std::vector<std::filesystem::path> results;
  std::string format = "csv";
  std::filesystem::path out;
};

/// A table that grows by rows: CSV with a header, or an object a line.
class LongTable {
 public:
  LongTable(std::vector<std::string> columns, bool lines) : columns_(std::move(columns)), lines_(lines) {
    if (!lines_) text_ = csv_line(columns_) + "\n";
  }
  void add(const std::vector<ordered_json>& values) {
    ++rows_;
    if (lines_) {
      ordered_json row;
      for (std::size_t c = 0; c < columns_.size(); ++c) row[columns_[c]] = values[c];
      text_ += row.dump() + "\n";
      return;
    }
    std::vector<std::string> fields;
    for (const auto& value : values)
      fields.push_back(value.is_null()           ? ""
                       : value.is_string()       ? value.get<std::string>()
                       : value.is_number_float() ? number_text(value.get<double>())
                                                 : value.dump());
    text_ += csv_line(fields) + "\n";
  }
  const std::string& text() const { return text_; }
  std::int64_t rows() const { return rows_; }

 private:
  std::vector<std::string> columns_;
  bool lines_;
  std::string text_;
  std::int64_t rows_ = 0;
};

/// JSON has no infinities: what is no number is null, an empty field in CSV.
ordered_json number(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

const char* name_of(records::Direction direction) {
  return direction == records::Direction::HigherIsBetter ? "higher" : direction == records::Direction::LowerIsBetter ? "lower" : "neither";
}

void export_records(const Call& call, const ExportCall& options) {
  if (options.format != "csv" && options.format != "jsonl") throw unknown("--format", options.format, {"csv", "jsonl"});
  const bool lines = options.format == "jsonl";
  LongTable metrics(
      {"study", "table", "dataset", "method", "seed", "metric", "value", "unit", "direction", "protocol", "profile", "commit"}, lines);
  LongTable curves({"study", "table", "dataset", "method", "seed", "curve", "index", "value"}, lines);
  std::int64_t cells = 0, unfinished = 0;
  for (const auto& folder : options.results) {
    read_description(folder);  // refuses what is no results folder
    const auto store = cells_in(folder);
    for (const auto& record : store.all()) {
      if (record.status != records::Status::Done) {
        ++unfinished;
        continue;
      }
      ++cells;
      const auto& [study, table, dataset, method, seed] = record.cell;
      const auto add = [&](const std::string& name, double value, const std::string& unit, const char* direction,
                           const std::string& protocol) {
        metrics.add({study, table, dataset, method, seed, name, number(value), unit, direction, protocol, record.profile,
                     record.environment.commit});
      };
      for (const auto& metric : record.metrics) add(metric.name, metric.value, metric.unit, name_of(metric.direction), metric.protocol);
      for (const auto& [name, count] : record.parameters) add("parameters." + name, static_cast<double>(count), "", "neither", "");
      for (const auto& [phase, seconds] : record.seconds) add("seconds." + phase, seconds, "s", "neither", "");
      for (const auto& [name, values] : store.curves(record.cell))
        for (std::size_t i = 0; i < values.size(); ++i) curves.add({study, table, dataset, method, seed, name, i, number(values[i])});
    }
  }
  const auto out = options.out.empty() ? options.results.front() / "export" : options.out;
  const auto of = [&](const std::string& name) { return out / (name + "." + options.format); };
  write_file(of("metrics"), metrics.text());
  write_file(of("curves"), curves.text());
  const auto left_out = unfinished == 0 ? "" : fmt::format("; cells that failed or did not finish, and are left out: {}", unfinished);
  call.answer({{"metrics", of("metrics").string()},
               {"curves", of("curves").string()},
               {"cells", cells},
               {"unfinished", unfinished},
               {"rows", {{"metrics", metrics.rows()}, {"curves", curves.rows()}}}},
              fmt::format("{}: {} rows of {} cells{}\n{}: {} rows\n", of("metrics").string(), metrics.rows(), cells, left_out,
                          of("curves").string(), curves.rows()));
}

}  // namespace

void add_export(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, call, "export",
      "Records as two long tables for other tools: metrics (a row a metric of a cell, with what the cell took and counted as seconds.* and "
      "parameters.*) and curves (a row a point). Only cells that are done. docs/analysis.md reads them with pandas and DuckDB.",
      "reprise export results/prernn/quick --format csv --out tables");
  const auto options = std::make_shared<ExportCall>();
  verb->add_option("RESULTS", options->results, "results folders, of any studies, or packed ones (reports/desk/STUDY)")->required();
  verb->add_option("--format", options->format, "csv, or jsonl: a JSON object a line")->capture_default_str();
  verb->add_option("--out", options->out, "folder (default: RESULTS/export, of the first)");
  verb->callback([options, &call] { export_records(call, *options); });
}

}  // namespace reprise::reproduce
