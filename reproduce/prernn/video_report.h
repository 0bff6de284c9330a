// What the study shows of gestures and actions, and of the selection of layers.
#pragma once
#include <string>
#include <vector>

#include "experiments/captions.h"
#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

/// The methods' cells in a table, for rows and series.
reports::Source source(const models::Method& method, const std::string& table,
                       const std::string& dataset);
std::vector<reports::Source> sources(const std::vector<models::Method>& methods,
                                     const std::string& table, const std::string& dataset);

/// Records that a table shows.
struct TableCells {
  std::string table, dataset;
};
/// Fills a table with PreRNN at one layer, input weights fixed (claim 2 of the document) and
/// trained (its claim 3). A row for each cell with both.
reports::Table input_weights(reports::Table table, const TableCells& cells, models::Layer layer,
                             const std::vector<models::Method>& methods, const std::string& metric);

/// Tables and figures of every data set of both tasks.
void report_videos(const Captions& captions, Report& report);

/// Figure 2D of the document as tables: what the rule kept, what it gave, and what the best
/// candidate gave; faces, gestures and actions.
std::vector<reports::Table> selection_tables(const Captions& captions);

/// Forget gates as figure 2A, reset and update gates as figures 2B and 2C have them. table,
/// dataset: where the methods are; part: the modality, "" for faces. Ids begin with "figure_2a",
/// "figure_2b", "figure_2c".
reports::Figure forget_gates(const std::string& table, const std::string& dataset,
                             const std::string& part, bool start, const Captions& captions);
reports::Figure gate_histogram(const std::string& table, const std::string& dataset,
                               const std::string& part, const std::string& layer, bool start,
                               const Captions& captions);

}  // namespace reprise::reproduce::prernn_study
