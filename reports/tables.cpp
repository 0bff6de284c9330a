#include "reports/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/error.h"
#include "core/text.h"
#include "statistics/statistics.h"

namespace reprise::reports {
namespace {

void check_shape(const Table& table) {
  const auto wide = [&](const auto& row) { return row.size() == table.columns.size(); };
  if (table.entries.size() == table.rows.size() &&
      std::all_of(table.entries.begin(), table.entries.end(), wide))
    return;
  throw UsageError(
      fmt::format("table {} has {} rows and {} columns, but its entries are not of that shape",
                  table.id, table.rows.size(), table.columns.size()),
      "give one entry, or an empty one, for each row and column");
}

void check_protocols(const Grid& grid) {
  for (std::size_t column = 0; column < grid.table.columns.size(); ++column) {
    std::map<std::string, std::pair<std::string, std::string>> seen;  // metric -> protocol, row
    for (std::size_t row = 0; row < grid.cells.size(); ++row) {
      const auto& cell = grid.cells[row][column];
      if (!cell.measured) continue;
      const auto [at, is_first] =
          seen.try_emplace(cell.entry->metric, cell.measured->protocol, grid.table.rows[row]);
      if (!is_first && at->second.first != cell.measured->protocol)
        throw Error(
            fmt::format(
                "table {}, column {}: {} has protocol \"{}\" in row {} and \"{}\" in row {}",
                grid.table.id, grid.table.columns[column], cell.entry->metric, at->second.first,
                at->second.second, cell.measured->protocol, grid.table.rows[row]),
            "values of different protocols are not comparable: run the older cells again, or give "
            "them a column of their own");
    }
  }
}

bool is_bound(const std::vector<std::optional<Entry>>& row, const std::set<std::string>& bounds) {
  return std::any_of(row.begin(), row.end(),
                     [&](const auto& entry) { return entry && bounds.contains(entry->method); });
}

/// Moves the rows of bounds to the end. Also returns their number.
std::pair<Table, std::size_t> move_bounds_last(const Table& table,
                                               const std::set<std::string>& bounds) {
  Table out = table;
  out.rows.clear();
  out.entries.clear();
  std::size_t count = 0;
  // Two passes keep the order within both groups: first the methods, then the bounds.
  for (const bool of_bounds : {false, true})
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (is_bound(table.entries[row], bounds) != of_bounds) continue;
      out.rows.push_back(table.rows[row]);
      out.entries.push_back(table.entries[row]);
      count += of_bounds;
    }
  return {out, count};
}

/// Compares two samples over their common seeds. Nothing with fewer than two, because one
/// difference has no interval.
std::optional<PairedDifference> pair_samples(const records::Sample& mine,
                                             const records::Sample& reference) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < mine.seeds.size(); ++i)
    for (std::size_t k = 0; k < reference.seeds.size(); ++k)
      if (mine.seeds[i] == reference.seeds[k])
        differences.push_back(mine.values[i] - reference.values[k]);
  if (differences.size() < 2) return std::nullopt;
  const auto interval = statistics::mean_interval(differences);
  // A t interval is symmetric, so its middle is the mean.
  return PairedDifference{
      .mean = (interval.low + interval.high) / 2, .low = interval.low, .high = interval.high};
}

void compare_with_reference(Grid& grid) {
  if (grid.table.reference.empty()) return;
  const auto& rows = grid.table.rows;
  const auto at = std::find(rows.begin(), rows.end(), grid.table.reference);
  if (at == rows.end())
    throw UsageError(fmt::format("table {}: the reference \"{}\" is no row", grid.table.id,
                                 grid.table.reference),
                     "its rows are " + join(rows, ", "));
  const auto reference = static_cast<std::size_t>(at - rows.begin());
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t column = 0; column < grid.table.columns.size(); ++column) {
      auto& cell = grid.cells[row][column];
      const auto& other = grid.cells[reference][column];
      if (row == reference || !cell.measured || !other.measured ||
          cell.entry->metric != other.entry->metric)
        continue;
      cell.paired = pair_samples(*cell.measured, *other.measured);
    }
}

void mark_best(Grid& grid) {
  // By data set, metric and protocol. Bounds are the last rows, and no rivals.
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<GridCell*>> rivals;
  for (std::size_t row = 0; row + grid.bounds < grid.cells.size(); ++row) {
    if (grid.table.nulls.contains(grid.table.rows[row])) continue;
    for (auto& cell : grid.cells[row])
      if (cell.measured && cell.measured->direction != records::Direction::Neither)
        rivals[{cell.entry->dataset, cell.entry->metric, cell.measured->protocol}].push_back(&cell);
  }
  for (auto& [key, cells] : rivals) {
    // A single value, and equal values, have no best one.
    const auto same = [&](const GridCell* cell) {
      return cell->measured->mean == cells.front()->measured->mean;
    };
    if (std::all_of(cells.begin(), cells.end(), same)) continue;
    const bool higher = cells.front()->measured->direction == records::Direction::HigherIsBetter;
    const auto worse = [&](const GridCell* a, const GridCell* b) {
      return higher ? a->measured->mean < b->measured->mean : a->measured->mean > b->measured->mean;
    };
    const double best = (*std::max_element(cells.begin(), cells.end(), worse))->measured->mean;
    // Equal best means are all marked.
    for (auto* cell : cells) cell->best = cell->measured->mean == best;
  }
}

/// Properties of a grid that its remarks state.
struct RemarkFacts {
  std::vector<std::string> missing;
  std::set<std::string> units, measured_protocols, published_protocols;
  std::set<Tag> tags;
  std::set<std::string> other_data;
  bool interval = false, ends = false, one_seed = false, fewer = false, best = false,
       has_other_data = false;
};

RemarkFacts collect_remark_facts(const Grid& grid) {
  RemarkFacts found;
  for (std::size_t row = 0; row < grid.cells.size(); ++row)
    for (std::size_t column = 0; column < grid.cells[row].size(); ++column) {
      const auto& cell = grid.cells[row][column];
      if (cell.entry && !cell.measured)
        found.missing.push_back(grid.table.rows[row] + " / " + grid.table.columns[column]);
      if (cell.published) {
        found.tags.insert(cell.published->tag);
        found.has_other_data |= cell.other_data && cell.published->value;
        if (cell.other_data && cell.published->data)
          found.other_data.insert(data_text(*cell.published->data));
        if (!cell.published->protocol.empty())
          found.published_protocols.insert(cell.published->protocol);
      }
      if (!cell.measured) continue;
      found.units.insert(cell.entry->metric +
                         (cell.measured->unit.empty() ? "" : " in " + cell.measured->unit));
      if (!cell.measured->protocol.empty())
        found.measured_protocols.insert(cell.entry->metric + ": " + cell.measured->protocol);
      found.interval |= cell.measured->half_width.has_value();
      found.ends |= cell.measured->interval && !cell.measured->half_width;
      found.one_seed |= cell.measured->n() == 1;
      found.fewer |= cell.fewer_seeds;
      found.best |= cell.best;
    }
  return found;
}

std::string list_items(const std::set<std::string>& items, std::string_view separator) {
  return join({items.begin(), items.end()}, separator);
}

/// States which metrics a table shows and how to read its values.
std::string explain_values(const Grid& grid, const RemarkFacts& found) {
  std::string text = "Shown: " + list_items(found.units, ", ") + ". ";
  const std::string seeds = fmt::format("{} seed{}", grid.seeds, grid.seeds == 1 ? "" : "s");
  if (found.interval)
    text += fmt::format("Values: mean ± half of the {} interval (Student t over {})",
                        statistics::confidence_text(), seeds);
  else
    text += "Values: mean over " + seeds;
  if (found.ends)
    text += ". In brackets: the " + statistics::confidence_text() +
            " interval of a fraction. It is missing if every seed is at 0 or 1 and items were not "
            "counted";
  if (found.one_seed) text += ". One seed gives no interval";
  text += ".";
  if (found.best) text += " Bold: best mean of its dataset and metric.";
  return text;
}

/// Explains the published values of a table: their protocols, their data, their tags.
void explain_published_values(const RemarkFacts& found, std::vector<std::string>& out) {
  if (!found.published_protocols.empty())
    out.push_back("Protocols of published values. " + list_items(found.published_protocols, ". ") +
                  ".");
  if (found.has_other_data) {
    const std::string which =
        found.other_data.empty() ? "" : " Data: " + list_items(found.other_data, "; ") + ".";
    out.push_back(
        "Published values are for other data: compare the order of methods, not the values." +
        which);
  }
  if (!found.tags.empty()) {
    std::vector<std::string> legend;
    for (const auto tag : found.tags)
      legend.push_back(std::string(tag_text(tag)) + " = " + std::string(tag_meaning(tag)));
    out.push_back("Tags of published values: " + join(legend, "; ") + ".");
  }
}

/// Lists the remarks below a table, the way to read it first.
std::vector<std::string> list_remarks(const Grid& grid) {
  const RemarkFacts found = collect_remark_facts(grid);
  std::vector<std::string> out;
  if (found.units.empty())
    out.push_back("No data: no finished record holds any of these values.");
  else
    out.push_back(explain_values(grid, found));
  if (!grid.table.reference.empty())
    out.push_back("Below each mean: the paired difference to " + grid.table.reference +
                  " with its " + statistics::confidence_text() + " interval.");
  if (grid.bounds > 0)
    out.push_back("Below the line: bounds. They use information that methods do not have.");
  if (found.fewer)
    out.push_back(fmt::format("† Fewer seeds than the {} of the table.", grid.seeds));
  if (!found.missing.empty() && !found.units.empty())
    out.push_back("No record for: " + first_few(found.missing, 3) + ".");
  if (!found.measured_protocols.empty())
    out.push_back("Protocols. " + list_items(found.measured_protocols, ". ") + ".");
  explain_published_values(found, out);
  return out;
}

}  // namespace

Grid resolve(const Table& described, const Measured& measured, const Published& published,
             const std::set<std::string>& bounds) {
  check_shape(described);
  const auto [table, bound_rows] = move_bounds_last(described, bounds);
  Grid grid{.table = table, .cells = {}, .bounds = bound_rows, .seeds = 0, .remarks = {}};
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    auto& cells = grid.cells.emplace_back(table.columns.size());
    for (std::size_t column = 0; column < cells.size(); ++column) {
      auto& cell = cells[column];
      cell.entry = table.entries[row][column];
      if (cell.entry)
        if (const auto* sample = measured.sample(*cell.entry)) cell.measured = *sample;
      if (cell.measured) grid.seeds = std::max(grid.seeds, cell.measured->n());
      const auto* figure =
          table.published.empty()
              ? nullptr
              : published.find(table.published, table.rows[row], table.columns[column]);
      if (!figure) continue;
      cell.published = *figure;
      // Without a statement of both data sets the values count as incomparable.
      cell.other_data = !table.data || !figure->data || !is_same_data(*table.data, *figure->data);
    }
  }
  for (auto& row : grid.cells)
    for (auto& cell : row) cell.fewer_seeds = cell.measured && cell.measured->n() < grid.seeds;
  // Means of different protocols must not be compared, so this comes before any mark.
  check_protocols(grid);
  compare_with_reference(grid);
  mark_best(grid);
  grid.remarks = list_remarks(grid);
  return grid;
}

void mark_rerun(Grid& grid, const Rerun& rerun) {
  const auto is_of = [](const RerunCell& cell, const Entry& entry) {
    return cell.table == entry.table && cell.dataset == entry.dataset &&
           cell.method == entry.method;
  };
  for (auto& row : grid.cells)
    for (auto& cell : row) {
      if (!cell.entry || !cell.measured) continue;
      // Re-runs that compared this metric count first. Else any re-run of the method vouches for
      // it, because all metrics of a re-run cell were compared.
      std::vector<const RerunCell*> found;
      for (const bool same_metric : {true, false}) {
        if (!found.empty()) break;
        for (const auto& again : rerun.cells)
          if (is_of(again, *cell.entry) && (!same_metric || again.metric == cell.entry->metric))
            found.push_back(&again);
      }
      if (found.empty()) continue;
      std::vector<std::string> parts;
      RerunMark mark{.equal = true, .agrees = true};
      for (const auto* again : found) {
        mark.equal &= again->equal;
        mark.agrees &= again->agrees;
        parts.push_back(
            fmt::format("seed {}, {}: {}, committed {}, {}", again->seed, again->metric,
                        number_text(again->measured), number_text(again->committed),
                        again->from_checkpoint ? "re-evaluated from its checkpoint" : "re-run"));
      }
      mark.title = first_few(parts, 4);
      cell.rerun = std::move(mark);
    }
}

Grid select_part(const Grid& grid, const std::vector<std::string>& rows,
                 const std::vector<std::string>& columns) {
  const auto place = [&](const std::vector<std::string>& titles, const std::string& title) {
    const auto at = std::find(titles.begin(), titles.end(), title);
    if (at == titles.end())
      throw UsageError(fmt::format("table {} has no row or column \"{}\"", grid.table.id, title),
                       "it has " + join(titles, "; "));
    return static_cast<std::size_t>(at - titles.begin());
  };
  Grid out{
      .table = grid.table, .cells = {}, .bounds = 0, .seeds = grid.seeds, .remarks = grid.remarks};
  out.table.rows = rows;
  out.table.columns = columns;
  out.table.entries.clear();
  out.table.column_digits.clear();
  for (const auto& column : columns)
    out.table.column_digits.push_back(grid.table.digits_of(place(grid.table.columns, column)));
  for (const auto& row : rows) {
    auto& cells = out.cells.emplace_back();
    auto& entries = out.table.entries.emplace_back();
    for (const auto& column : columns) {
      cells.push_back(grid.cells[place(grid.table.rows, row)][place(grid.table.columns, column)]);
      entries.push_back(cells.back().entry);
    }
  }
  // A column of other data would take the place of a measured one; rows of their own do not.
  if (!has_other_data_rows(out))
    for (auto& row : out.cells)
      for (auto& cell : row)
        if (has_other_data(cell)) cell.published.reset();
  return out;
}

bool has_other_data(const GridCell& cell) {
  return cell.other_data && cell.published && cell.published->value;
}

namespace {

/// Lists the columns with published values of other data.
std::vector<std::size_t> find_other_data_columns(const Grid& grid) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < grid.table.columns.size(); ++column)
    if (std::ranges::any_of(grid.cells,
                            [&](const auto& row) { return has_other_data(row[column]); }))
      columns.push_back(column);
  return columns;
}

}  // namespace

bool has_other_data_rows(const Grid& grid) { return find_other_data_columns(grid).size() > 1; }

std::vector<ShownColumn> shown_columns(const Grid& grid) {
  std::vector<ShownColumn> out;
  for (std::size_t column = 0; column < grid.table.columns.size(); ++column)
    out.push_back({.of = column, .other_data = false, .title = grid.table.columns[column]});
  if (const auto others = find_other_data_columns(grid); others.size() == 1)
    out.push_back({.of = others.front(), .other_data = true, .title = other_data_title});
  return out;
}

namespace {

/// Fills blocks with as many columns as fit into `width`, at most `most`.
ColumnBlocks fill_blocks(const std::vector<double>& widths, double titles, double width,
                         std::size_t most) {
  ColumnBlocks out;
  double filled = 0;
  for (std::size_t column = 0; column < widths.size(); ++column) {
    if (out.empty() || filled + widths[column] > width || column - out.back().first >= most) {
      out.emplace_back(column, column);
      filled = titles;
    }
    filled += widths[column];
    out.back().second = column + 1;
  }
  return out;
}

}  // namespace

ColumnBlocks column_blocks(const std::vector<double>& widths, double titles, double width) {
  // The first pass counts the blocks that are needed. The second gives all of them about as many
  // columns, so that the last block does not have a single one.
  const auto all = widths.size();
  const auto blocks = std::max<std::size_t>(1, fill_blocks(widths, titles, width, all).size());
  return fill_blocks(widths, titles, width, (all + blocks - 1) / blocks);
}

}  // namespace reprise::reports
