// Report of gestures, actions, and the selection of layers.
#pragma once
#include <string>
#include <vector>

#include "experiments/captions.h"
#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

/// Return the cells of methods in a table, for rows and series.
reports::Source source(const models::Method& method, const std::string& table,
                       const std::string& dataset);
std::vector<reports::Source> sources(const std::vector<models::Method>& methods,
                                     const std::string& table, const std::string& dataset);

/// Table and data set of the records of a page table.
struct TableCells {
  std::string table, dataset;
};
/// Fills a table with PreRNN at one layer: input weights fixed (claim 2 of the document) and
/// trained (claim 3). One row per cell type with both methods.
reports::Table input_weights(reports::Table table, const TableCells& cells, models::Layer layer,
                             const std::vector<models::Method>& methods, const std::string& metric);

/// Adds tables and figures of all data sets of both tasks.
void report_videos(const Captions& captions, Report& report);

/// Returns figure 2D of the document as tables: the layers kept by the rule, its score, and the
/// best candidate's.
std::vector<reports::Table> selection_tables(const Captions& captions);

/// Return forget gates as in figure 2A, and reset and update gates as in figures 2B and 2C. table,
/// dataset: cells of the methods. part: modality, "" for faces. Ids begin with "figure_2a",
/// "figure_2b", "figure_2c".
reports::Figure forget_gates(const std::string& table, const std::string& dataset,
                             const std::string& part, bool start, const Captions& captions);
reports::Figure gate_histogram(const std::string& table, const std::string& dataset,
                               const std::string& part, const std::string& layer, bool start,
                               const Captions& captions);

}  // namespace reprise::reproduce::prernn_study
