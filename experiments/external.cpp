#include "experiments/external.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/plain_name.h"
#include "core/replace.h"
#include "core/sha256.h"
#include "core/text.h"
#include "records/external.h"
#include "records/trial.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using Tables = std::vector<ExternalTable>;

/// Keeps the tables in which `only` chooses a cell of the method.
Tables chosen_tables(Tables tables, const std::string& name, const std::vector<std::string>& only) {
  const auto chooses = [&](const ExternalTable& table) {
    return std::any_of(table.cells.begin(), table.cells.end(), [&](const PlannedCell& planned) {
      // Tables plan their cells under a placeholder; --only names the method.
      auto cell = planned.cell;
      cell.method = name;
      return std::any_of(only.begin(), only.end(),
                         [&](const std::string& glob) { return matches_glob(cell.id(), glob); });
    });
  };
  std::erase_if(tables, [&](const ExternalTable& table) { return !chooses(table); });
  return tables;
}

/// The table's cells under the method's name.
std::vector<PlannedCell> named_cells(const ExternalTable& table, const std::string& name) {
  auto cells = table.cells;
  for (auto& planned : cells) planned.cell.method = name;
  return cells;
}

UsageError no_table(const Study& study, const ExternalMethod& method, const char* option) {
  return {
      fmt::format("no table of {} in this profile takes {} {}", study.name, option, method.name),
      "name a data set or a method for one of its tables in the profile; docs/new_method.md lists them"};
}

std::vector<PlannedCell> plan_script(const Study& study, const ExternalMethod& method,
                                     const Tables& tables) {
  auto file = method_file(method, method.file);
  std::vector<PlannedCell> cells;
  // A script need not fit every table. The first mismatch is reported if it fits none.
  std::optional<UsageError> mismatch;
  for (const auto& table : tables) {
    // Such a table takes predictions only.
    if (!table.check_script) continue;
    try {
      const auto check = table.check_script(file.path, method.call);
      file.notes.insert(file.notes.end(), check.notes.begin(), check.notes.end());
      auto fitting = table.script_cells ? table.script_cells(method.name, file.path)
                                        : named_cells(table, method.name);
      // A script without trainable parameters has no hyperparameters to search.
      if (!check.learns) {
        std::erase_if(fitting,
                      [](const PlannedCell& planned) { return records::is_trial(planned.cell); });
        for (auto& planned : fitting) {
          std::erase_if(planned.needs, records::is_trial);
          planned.search.reset();
        }
      }
      cells.insert(cells.end(), fitting.begin(), fitting.end());
    } catch (const UsageError& error) {
      if (!mismatch) mismatch = error;
    }
  }
  // The first mismatch explains more than "no table".
  if (cells.empty()) throw mismatch ? *mismatch : no_table(study, method, "a script");
  for (auto& planned : cells) planned.file = file;
  return cells;
}

std::vector<PlannedCell> plan_predictions(const Study& study, const ExternalMethod& method,
                                          const Tables& tables) {
  std::vector<PlannedCell> cells;
  std::vector<std::string> looked_for;
  std::map<fs::path, std::string> mismatches;  // why a table refuses a file
  std::set<fs::path> accepted;
  std::set<std::string> datasets, takes;
  for (const auto& table : tables) {
    if (!table.mismatch) continue;
    takes.insert(table.predictions);
    for (auto& planned : named_cells(table, method.name)) {
      const auto path = method_path(method, planned.cell);
      // Predictions without {seed} serve one seed only (method_path).
      if (path.empty()) continue;
      if (!fs::exists(path)) {
        if (std::find(looked_for.begin(), looked_for.end(), path.string()) == looked_for.end())
          looked_for.push_back(path.string());
        continue;
      }
      // Damaged files are reported before anything runs.
      if (auto reason = table.mismatch(path); !reason.empty()) {
        mismatches.emplace(path, std::move(reason));
        continue;
      }
      accepted.insert(path);
      planned.file = method_file(method, path);
      datasets.insert(planned.cell.dataset);
      cells.push_back(std::move(planned));
    }
  }
  if (takes.empty()) throw no_table(study, method, "predictions");
  for (const auto& [path, reason] : mismatches)
    if (!accepted.contains(path))
      throw UsageError(reason, "give " + join({takes.begin(), takes.end()}, "; or "));
  if (cells.empty())
    throw UsageError(
        "method " + method.name + ": there is no file or folder " + first_few(looked_for),
        "correct the path after " + method.name +
            "=; a cell's seed and data set take the place of {seed} and {dataset}");
  // One file cannot hold predictions of two data sets.
  if (datasets.size() > 1 && method.file.find("{dataset}") == std::string::npos)
    throw UsageError(
        fmt::format("--predictions {}={} could be of {} data sets: {}", method.name, method.file,
                    datasets.size(), join({datasets.begin(), datasets.end()}, ", ")),
        fmt::format(
            "name the file by its data set, with {{dataset}} in its place: mine_{{dataset}}.csv is mine_{0}.csv, ...; or "
            "choose one: --only '*/{0}/{1}/*'",
            *datasets.begin(), method.name));
  return cells;
}

}  // namespace

ExternalMethod external_method(ExternalMethod::Kind kind, const std::string& flag,
                               const std::string& assignment) {
  const auto equals = assignment.find('=');
  // The name may not contain '=', the path may.
  if (equals == std::string::npos || equals + 1 == assignment.size())
    throw UsageError(flag + " " + assignment + " names no file", "write " + flag + " NAME=FILE");
  ExternalMethod method{
      .kind = kind, .name = assignment.substr(0, equals), .file = assignment.substr(equals + 1)};
  if (!is_plain_name(method.name))
    throw UsageError(flag + " " + assignment + ": '" + method.name + "' cannot be a method's name",
                     "use letters, digits, '_' and '-', a letter or digit first");
  return method;
}

MethodFile method_file(const ExternalMethod& method, const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored))
    throw UsageError("method " + method.name + ": there is no file " + path.string(),
                     "correct the path after " + method.name + "=");
  return {.kind = method.kind, .path = path, .sha256 = sha256_path(path)};
}

nlohmann::json method_options(const MethodFile& file) {
  return {{"method.kind",
           file.kind == ExternalMethod::Kind::TorchScript ? "torchscript" : "predictions"},
          {"method.file", file.path.filename().string()},
          {"method.sha256", file.sha256}};
}

fs::path method_path(const ExternalMethod& method, const records::Cell& cell) {
  const bool every_seed = method.kind == ExternalMethod::Kind::TorchScript ||
                          method.file.find("{seed}") != std::string::npos;
  if (!every_seed && cell.seed != method.first_seed) return {};
  return replace_all(replace_all(method.file, "{seed}", std::to_string(cell.seed)), "{dataset}",
                     cell.dataset);
}

std::vector<std::string> external_names(const std::vector<records::Record>& records) {
  std::set<std::string> names;
  for (const auto& record : records)
    if (records::is_external(record) && !records::is_trial(record.cell))
      names.insert(record.cell.method);
  return {names.begin(), names.end()};
}

std::vector<PlannedCell> plan_external(const Study& study, const ExternalMethod& method,
                                       const Settings& settings, const DataFolder& data,
                                       const std::vector<std::string>& only) {
  const auto tables = study.external.tables(settings, data);
  if (method.kind == ExternalMethod::Kind::TorchScript) return plan_script(study, method, tables);
  const auto chosen = chosen_tables(tables, method.name, only);
  // expect_chosen() reports a method without a chosen cell.
  if (chosen.empty() && !tables.empty()) return {};
  return plan_predictions(study, method, chosen);
}

std::vector<reports::Table> external_tables(const Study& study,
                                            const std::vector<std::string>& names,
                                            const Settings& settings) {
  std::vector<reports::Table> tables;
  for (const auto& external : study.external.tables(settings, DataFolder::assume_complete())) {
    reports::Table table{
        .id = "your_methods_" +
              (external.id.empty() ? external.table + "_" + external.dataset : external.id),
        .title = "Your methods and all others, " + external.title,
        .caption = "External methods first. The same data, splits and seeds; paired by seed.",
        .corner = "method",
        .digits = 3};
    table.add_columns(external.columns);
    for (const auto& name : names)
      table.add_row({name, external.table, external.dataset, name}, external.columns);
    for (const auto& [id, title] : external.own_rows)
      table.add_row({title, external.table, external.dataset, id}, external.columns);
    tables.push_back(std::move(table));
  }
  return tables;
}

std::string export_readme(const Study& study, const std::string& dataset, std::int64_t seed,
                          const std::string& flags, const Tables& tables) {
  std::string text = fmt::format(
      "# {}/{}, seed {}\n\n`train` is to learn from, `validation` to choose settings on, and `test` is what is scored: its labels are held "
      "back. A part that is not here has no use in this data set. `SHA256SUMS` is for `sha256sum -c`.\n",
      study.name, dataset, seed);
  for (const auto& table : tables) {
    if (table.dataset != dataset) continue;
    text += fmt::format("\n## Table {}: {}\n", table.table, table.title);
    if (!table.predictions.empty())
      text += fmt::format(
          "\nPredictions: {}.\n\n    ./reprise run {}{} --predictions 'mine=FILE_{{seed}}' --only '{}/{}/mine/*'\n",
          table.predictions, study.name, flags, table.table, dataset);
    if (!table.forward.empty())
      text += fmt::format(
          "\nTorchScript: `{}`.\n\n    ./reprise run {}{} --method-file mine=FILE.pt --only '{}/{}/mine/*'\n",
          table.forward, study.name, flags, table.table, dataset);
  }
  return text + "\ndocs/new_method.md has the rules.\n";
}

bool holds_predictions(const CellContext& context) {
  return context.record.options->value("method.kind", "") == "predictions";
}

std::string kind_mismatch(const fs::path& file, datasets::PredictionKind kind) {
  const auto found = datasets::detect_prediction_kind(file);
  // Reads the whole file, so that damage is found before the run.
  if (found == kind) datasets::read_predictions(file, kind);
  const auto name = [](datasets::PredictionKind of) {
    if (of == datasets::PredictionKind::Labels) return "labels";
    return of == datasets::PredictionKind::Pose ? "poses" : "landmarks";
  };
  return found == kind
             ? ""
             : fmt::format("{} holds {}, expected {}", file.string(), name(found), name(kind));
}

at::Tensor read_paired(const CellContext& context, datasets::PredictionKind kind,
                       const TestItems& truth) {
  const auto& cell = context.record.cell;
  const auto predictions = datasets::read_predictions(context.method_file, kind);
  datasets::Predictions known{
      .item = truth.item, .values = truth.values, .by_row = predictions.by_row};
  // Predictions without item names belong to the test items in their order.
  for (std::size_t i = 0; predictions.by_row && i < known.item.size(); ++i)
    known.item[i] = std::to_string(i);
  try {
    return datasets::align_predictions(predictions, known);
  } catch (const UsageError& error) {
    // The message contains the complete command that exports the expected items.
    const auto data = context.data.empty() ? "" : " --data " + shell_quote(context.data.text());
    throw UsageError(
        context.method_file.string() + ": " + error.problem(),
        fmt::format(
            "{}; the items are those of this command, with the --set of this run: ./reprise data export {}/{} --split "
            "test --seed {} --profile {}{} --out items",
            error.fix(), cell.study, cell.dataset, cell.seed, shell_quote(context.record.profile),
            data));
  }
}

std::string shape_mismatch(const fs::path& file, const at::Tensor& pixels,
                           const std::vector<std::int64_t>& expected) {
  if (pixels.sizes() == at::IntArrayRef(expected)) return "";
  return fmt::format("{} holds [{}], expected [{}]", file.string(), fmt::join(pixels.sizes(), ", "),
                     fmt::join(expected, ", "));
}

}  // namespace reprise::reproduce
