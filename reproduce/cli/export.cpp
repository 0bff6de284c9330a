// Records as one long table, for pandas, R, DuckDB and whatever else reads CSV or JSON lines.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/files.h"
#include "records/tidy.h"
#include "reproduce/cli/cli.h"
#include "reproduce/names.h"
#include "reproduce/reporting.h"
#include "reproduce/run/results.h"

namespace reprise::reproduce {
namespace {

struct ExportCall {
  std::vector<std::filesystem::path> results;
  std::string format = "csv";
  std::filesystem::path out;
};

/// JSON has no infinities: what is no number is null.
nlohmann::ordered_json number(double value) { return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(); }

void export_records(const Call& call, const ExportCall& options) {
  if (options.format != "csv" && options.format != "jsonl") throw unknown("--format", options.format, {"csv", "jsonl"});
  const auto form = options.format == "csv" ? records::TidyForm::Csv : records::TidyForm::JsonLines;
  auto columns = records::value_columns();
  columns.insert(columns.end(), {"profile", "commit"});
  records::TidyTable metrics(columns, form);
  records::TidyTable curves({"study", "table", "dataset", "method", "seed", "curve", "index", "value"}, form);
  std::int64_t cells = 0, unfinished = 0;
  std::vector<Error> unreadable;
  for (const auto& folder : options.results) {
    const auto [store, all] = read_records(folder);
    for (const auto& record : all) {
      if (record.status != records::Status::Done) {
        ++unfinished;
        continue;
      }
      ++cells;
      const auto add = [&](const records::Metric& metric) {
        auto row = records::value_row(record.cell, metric);
        row.insert(row.end(), {record.profile, record.environment.commit});
        metrics.add(row);
      };
      for (const auto& metric : record.metrics) add(metric);
      for (const auto& [name, count] : record.parameters) add({.name = "parameters." + name, .value = static_cast<double>(count)});
      for (const auto& [phase, seconds] : record.seconds) add({.name = "seconds." + phase, .value = seconds, .unit = "s"});
      const auto& [study, table, dataset, method, seed] = record.cell;
      for (const auto& [name, values] : store.curves(record.cell))
        for (std::size_t i = 0; i < values.size(); ++i) curves.add({study, table, dataset, method, seed, name, i, number(values[i])});
    }
    for (const auto& error : store.passed_over()) unreadable.push_back(error);
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
               {"unreadable", unreadable_json(unreadable)},
               {"rows", {{"metrics", metrics.rows()}, {"curves", curves.rows()}}}},
              unreadable_text(unreadable) + fmt::format("{}: {} rows of {} cells{}\n{}: {} rows\n", of("metrics").string(), metrics.rows(),
                                                        cells, left_out, of("curves").string(), curves.rows()));
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
