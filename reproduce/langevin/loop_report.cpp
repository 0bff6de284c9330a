#include "reproduce/langevin/loop_report.h"

#include <iterator>

#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/inversion_report.h"
#include "reproduce/langevin/method_report.h"

namespace reprise::reproduce::langevin_study {
namespace {

using reports::Figure;
using reports::Table;

/// Rows of a sheet of table churn: clean and damaged digits, then the rounds.
const RoundRows damaged_rows{.before = {"clean", "damaged"}};

/// Shows the main columns for the searched methods of table churn. The whole table is too wide for
/// a page.
Table make_loop_table(const Captions& captions) {
  auto [table, columns] = captions.table("loop");
  table.add_columns(columns);
  for (const auto& method : captions.settings().texts("methods.churn")) {
    const auto config = parse_configuration(method, "churn");
    // Only methods with D as D', as the search chose them.
    if (!config.hyperparameters.empty() || config.method.aux != Network::Main) continue;
    const auto title = method_title(method, "churn");
    table.add_row({.title = title, .table = "churn", .dataset = "digits", .method = method},
                  columns);
    if (generates_nothing(config.method)) table.nulls.insert(title);
  }
  return table;
}

/// Makes the opening picture of the page: sheets of table churn, all from the same damaged digits.
reports::Gallery make_opening_gallery(const Captions& captions) {
  auto gallery = captions.gallery("opening");
  const auto sheets = list_round_sheets("churn", damaged_rows, captions.settings());
  for (const std::string method : {"backprop", "renoised", "sdedit", "real"})
    for (auto sheet : sheets)
      if (sheet.method == method) {
        sheet.caption = captions.text("sheets_" + method);
        gallery.pictures.push_back(std::move(sheet));
      }
  return gallery;
}

/// Metrics of a figure of Pareto fronts. Its caption is frontier_NAME.
struct FrontMetrics {
  std::string name;
  std::string x;
  std::string y;
};

/// Returns whether the search chooses hyperparameters of a method, so that its trials have a front.
bool has_front(const std::string& method, const std::string& table, const std::string& dataset,
               const Settings& settings) {
  return make_search(cell(table, dataset, method, 0), parse_configuration(method, table), settings)
      .chooses();
}

/// Draws the front of each method's trials as a line, and the chosen candidates as points.
Figure make_front_figure(const FrontMetrics& axes, const Captions& captions) {
  const auto& settings = captions.settings();
  auto figure = captions.figure("frontier_" + axes.name);
  for (const auto& method : settings.texts("methods.churn")) {
    const auto config = parse_configuration(method, "churn");
    const auto title = method_title(method, "churn");
    const bool real = config.method.algorithm == Algorithm::RealItems;
    // Other real items have no given picture.
    if (real && axes.x == "content") continue;
    // Trials with a fixed churn are among those of the method.
    const bool fixed_churn = !config.hyperparameters.empty();
    if (!fixed_churn && has_front(method, "churn", "digits", settings))
      figure.series.push_back({.label = title,
                               .table = pareto_front_table,
                               .dataset = "digits",
                               .method = method,
                               .x = "x_" + axes.name,
                               .y = "y_" + axes.name,
                               .colour = config.method.info.id,
                               .dash = "as chosen"});
    figure.series.push_back({.label = title,
                             .table = "churn",
                             .dataset = "digits",
                             .method = method,
                             .x = "one_" + axes.x,
                             .y = "one_" + axes.y,
                             .colour = config.method.info.id,
                             .dash = fixed_churn ? "fixed churn" : "as chosen",
                             .star = real});
  }
  return figure;
}

}  // namespace

void report_churn(const Captions& captions, Report& out) {
  out.tables.push_back(make_loop_table(captions));
  out.tables.push_back(
      add_method_rows("churn", "digits", captions.table("churn"), captions.settings()));
  for (const auto* curve : {"energy", "confidence"})
    out.figures.push_back(make_rounds_figure("churn", "digits", curve, captions));
  // The cells of table frontier have the same axes (pareto_front.cpp).
  for (const auto& axes :
       std::vector<FrontMetrics>{{.name = "label", .x = "label_kept", .y = "log_frechet_end"},
                                 {.name = "content", .x = "content", .y = "log_frechet_end"},
                                 {.name = "energy", .x = "label_kept", .y = "energy_end"}})
    out.figures.push_back(make_front_figure(axes, captions));
  out.galleries.push_back(make_opening_gallery(captions));
  out.galleries.push_back(make_rounds_gallery("churn", damaged_rows, captions));
}

void report_exact(const Captions& captions, Report& out) {
  const auto& settings = captions.settings();
  out.tables.push_back(
      add_method_rows(exact_table, "mixture", captions.table("mixture"), settings));
  for (const auto sigma : settings.numbers("exact.sigmas"))
    out.figures.push_back(make_churn_bias_figure(sigma, captions));
  auto& fronts = out.figures.emplace_back(captions.figure("frontier_mixture"));
  for (const auto& method : settings.texts("methods.exact"))
    if (has_front(method, exact_table, "mixture", settings))
      fronts.add_series({{.title = method_title(method, exact_table),
                          .table = pareto_front_table,
                          .dataset = "mixture",
                          .method = method}},
                        "x_kept", "y_kept");
  out.figures.push_back(make_rounds_figure(exact_table, "mixture", "nll", captions));
}

}  // namespace reprise::reproduce::langevin_study
