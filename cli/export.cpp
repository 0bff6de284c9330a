// `reprise export`: records as long tables (CSV or JSON lines, for pandas, R or DuckDB) or as event
// files (TensorBoard).
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/cli.h"
#include "core/files.h"
#include "core/links.h"
#include "core/outputs.h"
#include "experiments/names.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "records/event_file.h"
#include "records/tidy.h"

namespace reprise::reproduce {
namespace {

struct ExportCall {
  std::vector<std::filesystem::path> results;
  std::string format = "csv";
  std::filesystem::path out;
};

/// Converts a number to JSON, which has no infinities and no NaN: they become null.
nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

/// Lists the metrics of a cell and its costs (seconds.*, parameters.*).
std::vector<records::Metric> list_metrics_and_costs(const records::Record& record) {
  auto values = record.metrics;
  for (auto& cost : records::cost_metrics(record)) values.push_back(std::move(cost));
  return values;
}

/// Output format of an export. Cells are added one after another; tables are written at the end.
class Exporter {
 public:
  virtual ~Exporter() = default;
  virtual void add(const records::Record& record, const records::Curves& curves) = 0;
  /// Writes the remaining data. Returns the answer as an object and as text.
  virtual std::pair<nlohmann::json, std::string> finish(std::int64_t cells) = 0;
};

class TableExporter : public Exporter {
 public:
  TableExporter(const std::filesystem::path& out, const std::string& format)
      : metrics_file_(out / ("metrics." + format)),
        curves_file_(out / ("curves." + format)),
        metrics_(metric_columns(), form(format)),
        curves_({"study", "table", "dataset", "method", "seed", "curve", "index", "value"},
                form(format)) {
    expect_output(metrics_file_);
    expect_output(curves_file_);
  }

  void add(const records::Record& record, const records::Curves& curves) override {
    for (const auto& value : list_metrics_and_costs(record)) {
      auto row = records::value_row(record.cell, value);
      row.insert(row.end(), {record.profile, record.environment->commit});
      metrics_.add(row);
    }
    // A row per point: tools for long tables group and plot it without reshaping.
    const auto& [study, table, dataset, method, seed] = record.cell;
    for (const auto& [name, values] : curves)
      for (std::size_t i = 0; i < values.size(); ++i)
        curves_.add({study, table, dataset, method, seed, name, i, number(values[i])});
  }
  std::pair<nlohmann::json, std::string> finish(std::int64_t cells) override {
    write_file(metrics_file_, metrics_.text());
    write_file(curves_file_, curves_.text());
    return {{{"metrics", metrics_file_.string()},
             {"curves", curves_file_.string()},
             {"rows", {{"metrics", metrics_.rows()}, {"curves", curves_.rows()}}}},
            fmt::format("{}: {} rows of {} cells\n{}: {} rows\n", metrics_file_.string(),
                        metrics_.rows(), cells, curves_file_.string(), curves_.rows())};
  }

 private:
  static records::TidyForm form(const std::string& format) {
    return format == "csv" ? records::TidyForm::Csv : records::TidyForm::JsonLines;
  }
  static std::vector<std::string> metric_columns() {
    auto columns = records::value_columns();
    columns.insert(columns.end(), {"profile", "commit"});
    return columns;
  }

  std::filesystem::path metrics_file_, curves_file_;
  records::TidyTable metrics_, curves_;
};

class EventExporter : public Exporter {
 public:
  explicit EventExporter(std::filesystem::path out) : out_(std::move(out)) {}

  void add(const records::Record& record, const records::Curves& curves) override {
    write_file(out_ / record.cell.study / record.cell.id() / records::event_file_name,
               records::event_file(list_metrics_and_costs(record), curves));
  }
  std::pair<nlohmann::json, std::string> finish(std::int64_t cells) override {
    return {{{"events", out_.string()}},
            fmt::format("{}: event files of {} cells\n", out_.string(), cells)};
  }

 private:
  std::filesystem::path out_;
};

std::unique_ptr<Exporter> make_exporter(const std::string& format,
                                        const std::filesystem::path& out) {
  if (format == "csv" || format == "jsonl") return std::make_unique<TableExporter>(out, format);
  if (format == "tensorboard") return std::make_unique<EventExporter>(out);
  throw unknown("--format", format, {"csv", "jsonl", "tensorboard"});
}

/// Exports the finished cells of all results folders.
void export_records(const Call& call, const ExportCall& options) {
  // Packed results may come from a stranger: a link in them could lead the export anywhere.
  if (options.out.empty())
    refuse_links_below(options.results.front(), options.results.front() / "export");
  const auto to = make_exporter(
      options.format, options.out.empty() ? options.results.front() / "export" : options.out);
  std::int64_t cells = 0, unfinished = 0;
  std::vector<Error> unreadable;
  for (const auto& folder : options.results) {
    const auto [store, all] = read_records(folder);
    for (const auto& record : all) {
      const bool finished = record.status == records::Status::Done;
      ++(finished ? cells : unfinished);
      if (finished) to->add(record, store.curves(record.cell));
    }
    for (const auto& error : store.skipped_files()) unreadable.push_back(error);
  }
  auto [answer, text] = to->finish(cells);
  answer.update(
      {{"cells", cells}, {"unfinished", unfinished}, {"unreadable", unreadable_json(unreadable)}});
  if (unfinished > 0)
    text += fmt::format("cells that failed or did not finish, and are left out: {}\n", unfinished);
  call.answer(answer, unreadable_text(unreadable) + text);
}

}  // namespace

void add_export(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "export",
      "Write records and curves for pandas, R, DuckDB or TensorBoard. Tables: metrics (one "
      "row per metric of a cell, with its costs as seconds.* and parameters.*) and curves "
      "(one row per point). TensorBoard: one event file per cell. Only finished cells are "
      "exported. docs/analysis.md shows how to read the files.",
      "reprise export runs/prernn/smoke --out tables\n"
      "reprise export results/prernn --format tensorboard --out events");
  const auto options = std::make_shared<ExportCall>();
  verb->add_option("RESULTS", options->results,
                   "results folders of any studies, also packed ones (results/STUDY)")
      ->required();
  verb->add_option("--format", options->format, "tables as CSV or JSON lines, or event files")
      ->type_name("csv|jsonl|tensorboard")
      ->capture_default_str();
  add_output(*verb, "--out", options->out,
             "folder to write (default: RESULTS/export, of the first RESULTS)");
  verb->callback([options, &call] { export_records(call, *options); });
}

}  // namespace reprise::reproduce
