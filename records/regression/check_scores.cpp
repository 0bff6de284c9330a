// Scores of cells and tables in the regression check: mean standardised changes of several
// quantities.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "records/regression/check.h"
#include "records/regression/score.h"
#include "statistics/spread.h"

namespace reprise::records {
namespace {

/// Quantities of a cell's or table's score: those that both runs measured in the same way.
using Group = std::vector<const PairedChanges*>;

struct TableGroups {
  std::map<std::pair<std::string, std::string>, Group> cells;  ///< by dataset and method
  Group all;
};

std::map<std::string, TableGroups> group_changes(const Pairs& pairs,
                                                 const std::set<Quantity>& lacking,
                                                 const std::set<MethodKey>& failed) {
  std::map<std::string, TableGroups> tables;
  for (const auto& [quantity, paired] : pairs) {
    const MethodKey cell{quantity.table, quantity.dataset, quantity.method};
    if (lacking.contains(quantity) || failed.contains(cell)) continue;
    auto& table = tables[quantity.table];
    table.cells[{quantity.dataset, quantity.method}].push_back(&paired);
    table.all.push_back(&paired);
  }
  return tables;
}

/// A score's smallest standard deviation over seeds: as least_change, for quantities whose changes
/// hardly differ over the seeds.
constexpr double least_score = 0.5;

void judge_score(const Score& score, const statistics::Spread& spread, double t,
                 ScoreCheck& judged) {
  judged.quantities = score.quantities;
  judged.change = score.change;
  judged.band =
      t * std::max(spread.std_dev, least_score) / std::sqrt(static_cast<double>(score.seeds));
  const char* verb = "stay within the band";
  judged.outcome = Outcome::Same;
  if (judged.change < -judged.band) {
    verb = "became worse by more than the band";
    judged.outcome = Outcome::Fell;
  } else if (judged.change > judged.band) {
    verb = "became better by more than the band";
    judged.outcome = Outcome::Rose;
  }
  // The band is in standard deviations; the percentage is only for the reader.
  judged.percent = score.percent;
  // The text says "worse" or "better" instead of a sign, because the mean is over metrics of both
  // directions.
  judged.message = fmt::format(
      "{} {}: {} by {:.3g} % on average, {} metrics by {:.3g} standard deviations, band {:.3g}",
      judged.text(), verb, judged.change < 0 ? "worse" : "better", std::abs(judged.percent),
      judged.quantities, std::abs(judged.change), judged.band);
}

/// The cells of a table that have several metrics, then the table as a whole when it has several
/// cells.
void judge_table(const std::string& table, const TableGroups& groups, double tables,
                 std::vector<ScoreCheck>& judged) {
  std::vector<Score> scores;
  std::vector<statistics::Spread> spreads;
  const std::size_t first = judged.size();
  for (const auto& [cell, group] : groups.cells)
    if (const auto of_cell = score(group)) {
      judged.push_back({.table = table, .dataset = cell.first, .method = cell.second});
      scores.push_back(*of_cell);
      spreads.push_back(of_cell->spread);
    }
  // Few seeds give uncertain spreads, so they borrow from the other cells of the table.
  spreads = statistics::moderate_spreads(spreads);
  Quantiles quantiles;
  for (std::size_t i = 0; i < scores.size(); ++i)
    judge_score(
        scores[i], spreads[i],
        quantiles(cell_level / (tables * static_cast<double>(scores.size())), spreads[i].freedom),
        judged[first + i]);
  // With one cell the table's score would be the cell's.
  if (groups.cells.size() < 2) return;
  if (const auto whole = score(groups.all))
    judge_score(*whole, whole->spread, quantiles(table_level / tables, whole->spread.freedom),
                judged.emplace_back(ScoreCheck{.table = table}));
}

}  // namespace

void check_scores(const Reference& reference, const Pairs& pairs, const std::set<Quantity>& lacking,
                  const std::set<MethodKey>& failed, std::vector<ScoreCheck>& scores) {
  const double tables = guarded_tables(reference);
  for (const auto& [table, groups] : group_changes(pairs, lacking, failed))
    judge_table(table, groups, tables, scores);
}

}  // namespace reprise::records
