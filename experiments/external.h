// External methods in all studies. They are planned into the tables that a study opens
// (ExternalTable), checked before the run, measured, and shown in a section of the page.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/predictions.h"
#include "experiments/study.h"

namespace reprise::reproduce {

/// Plans a method's cells, each with its file, in every table that it fits; predictions only in
/// tables with a cell that `only` (globs) chooses.
/// UsageError: it fits no table (names what was expected); predictions of several data sets without
/// {dataset}; a missing file.
std::vector<PlannedCell> plan_external(const Study& study, const ExternalMethod& method,
                                       const Settings& settings, const DataFolder& data,
                                       const std::vector<std::string>& only = {"*"});

/// Returns tables with the rows `names` above the study's own methods.
std::vector<reports::Table> external_tables(const Study& study,
                                            const std::vector<std::string>& names,
                                            const Settings& settings);

/// Writes README.md of an exported folder: the expected predictions of each table, and the commands
/// that score them.
std::string export_readme(const Study& study, const std::string& dataset, std::int64_t seed,
                          const std::string& flags, const std::vector<ExternalTable>& tables);

/// Context of a cell that does not run: an export draws its data with it.
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

/// Whether the cell's file holds predictions, not a script.
bool holds_predictions(const CellContext& context);

/// Reads a file for ExternalTable::mismatch; "" if it holds predictions of this kind. UsageError:
/// as datasets::read_predictions().
std::string kind_mismatch(const std::filesystem::path& file, datasets::PredictionKind kind);

/// Items to pair predictions with: names and true values.
struct TestItems {
  std::vector<std::string> item;
  at::Tensor values;  ///< as datasets::Predictions::values
};

/// Returns the predicted values in the items' order. UsageError: as datasets::align_predictions(),
/// with the file and the export that has the items.
at::Tensor read_paired(const CellContext& context, datasets::PredictionKind kind,
                       const TestItems& truth);

/// Compares shapes of pictures [N, H, W, 3] or clips [N, T, H, W, 3] for ExternalTable::mismatch;
/// "" if they are as expected.
std::string shape_mismatch(const std::filesystem::path& file, const at::Tensor& pixels,
                           const std::vector<std::int64_t>& expected);

}  // namespace reprise::reproduce
