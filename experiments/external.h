// External methods, as all studies take them: planned into the tables that a study opens (ExternalTable), checked before anything runs,
// measured, and shown in a section of the page.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/predictions.h"
#include "experiments/study.h"

namespace reprise::reproduce {

/// The cells of a method, each with its file, in every table that it fits; of predictions, in those of which `only` (globs) chooses a cell.
/// UsageError: it fits no table (what was expected is named); predictions of several data sets without {dataset}; a file that is not there.
std::vector<PlannedCell> plan_external(const Study& study, const ExternalMethod& method, const Settings& settings, const DataFolder& data,
                                       const std::vector<std::string>& only = {"*"});

/// Tables with the rows `names` above the study's own methods.
std::vector<reports::Table> external_tables(const Study& study, const std::vector<std::string>& names, const Settings& settings);

/// README.md of an exported folder: what a program has to return for each table of the data set, and the commands that score it.
std::string export_readme(const Study& study, const std::string& dataset, std::int64_t seed, const std::string& flags,
                          const std::vector<ExternalTable>& tables);

/// A context in which a study draws the data of a cell that does not run: of an export.
class DataContext {
 public:
  DataContext(const records::Cell& cell, const Settings& settings, const DataFolder& data)
      : context_{settings, store_, {}, data, "cpu", record_, silent_} {
    record_.cell = cell;
  }
  const CellContext& cell() const { return context_; }

 private:
  records::Record record_;
  records::Store store_{std::filesystem::path()};
  training::Progress silent_{nullptr};
  CellContext context_;
};

/// A cell whose file holds predictions, not a script.
bool holds_predictions(const CellContext& context);

/// For ExternalTable::mismatch: "" where the file holds one of these kinds, which is then read. UsageError: as datasets::read_predictions().
std::string kind_mismatch(const std::filesystem::path& file, datasets::PredictionKind kind);

/// What predictions are paired with: items by name, and their true values.
struct TestItems {
  std::vector<std::string> item;
  at::Tensor values;  ///< as datasets::Predictions::values
};

/// The values that the cell's file predicts, in the items' order. UsageError: as datasets::paired(), with the file and the export that has the
/// items.
at::Tensor read_paired(const CellContext& context, datasets::PredictionKind kind, const TestItems& truth);

/// For ExternalTable::mismatch of pictures [N, H, W, 3] or clips [N, T, H, W, 3]: "" where they have the expected shape.
std::string shape_mismatch(const std::filesystem::path& file, const at::Tensor& pixels, const std::vector<std::int64_t>& expected);

}  // namespace reprise::reproduce
