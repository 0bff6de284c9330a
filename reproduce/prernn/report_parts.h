// Parts of the study's report: what its files share, and what report() puts together.
#pragma once
#include <string>
#include <vector>

#include "experiments/captions.h"
#include "experiments/study.h"
#include "models/methods.h"

namespace reprise::reproduce::prernn_study {

using models::InputToHidden;
using models::Layer;
using models::MethodTraits;
using models::RecurrentCell;
using reports::Entry;
using reports::Figure;
using reports::Table;
using MethodKind = MethodTraits::Kind;

/// Returns the cells of a method in a table, for a row or series with the method's title.
reports::Source method_source(const models::Method& method, const std::string& table,
                              const std::string& dataset);
std::vector<reports::Source> method_sources(const std::vector<models::Method>& methods,
                                            const std::string& table, const std::string& dataset);

/// Table and data set of the records of a page table.
struct TableCells {
  std::string table, dataset;
};
/// Fills a table with PreRNN at one layer: input weights fixed (claim 2 of the document) and
/// trained (claim 3). One row per cell type with both methods.
Table fill_input_weights(Table table, const TableCells& cells, Layer layer,
                         const std::vector<models::Method>& methods, const std::string& metric);

/// Cells and moment of a figure of gates.
struct GateCells {
  std::string table, dataset;
  std::string part = {};  ///< modality; "" for faces
  bool start = false;     ///< before training
};
/// Return PreRNN with recurrent fc6 and fc7 (figure 2), and two traditional layers.
MethodTraits traits_of_both_layers(RecurrentCell cell);
MethodTraits traits_of_two_appended(RecurrentCell cell);
/// Returns forget gates as in figure 2A. Its id begins with "figure_2a".
Figure forget_gate_figure(const GateCells& cells, const Captions& captions);
/// Returns reset and update gates of the "first" or "second" layer as in figures 2B and 2C.
Figure gate_histogram_figure(const GateCells& cells, const std::string& layer,
                             const Captions& captions);

/// Adds tables, figures and pictures of all data sets of faces.
void report_faces(const Captions& captions, Report& report);
/// Adds tables and figures of all data sets of gestures and actions.
void report_videos(const Captions& captions, Report& report);
/// Returns figure 2D of the document as tables: the layers kept by the rule, its score, and the
/// best candidate's.
std::vector<Table> selection_tables(const Captions& captions);

}  // namespace reprise::reproduce::prernn_study
