#include "experiments/run/plan.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace reprise::reproduce {
namespace {

using Positions = std::map<std::string, std::size_t>;

Positions index_cells(const std::vector<PlannedCell>& plan) {
  Positions positions;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (!positions.emplace(plan[i].cell.id(), i).second)
      throw Error("the study plans two cells named " + plan[i].cell.id(),
                  "give each cell its own table, dataset, method or seed");
  return positions;
}

std::vector<std::vector<std::size_t>> resolve_needs(const std::vector<PlannedCell>& plan,
                                                    const Positions& positions) {
  std::vector<std::vector<std::size_t>> needs(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i)
    for (const auto& need : plan[i].needs) {
      const auto place = positions.find(need.id());
      if (place == positions.end())
        throw Error(
            "cell " + plan[i].cell.id() + " needs " + need.id() + ", which the study does not plan",
            "plan that cell too");
      needs[i].push_back(place->second);
    }
  return needs;
}

/// Order of the cells in which each comes after those it needs.
std::vector<std::size_t> sorted_by_need(const std::vector<PlannedCell>& plan,
                                        const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(plan.size(), false);
  while (order.size() < plan.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (placed[i] || !std::all_of(needs[i].begin(), needs[i].end(),
                                    [&](std::size_t need) { return placed[need]; }))
        continue;
      placed[i] = true;
      order.push_back(i);
    }
    if (order.size() != before) continue;
    // Each pass places the cells whose needs are placed. A pass that places none has found a
    // circle.
    const auto stuck =
        static_cast<std::size_t>(std::find(placed.begin(), placed.end(), false) - placed.begin());
    throw Error("the needs of cell " + plan[stuck].cell.id() + " are circular",
                "remove one of these needs");
  }
  return order;
}

/// Returns how many characters of a cell's id must change for the glob to match it.
std::size_t distance(std::string_view glob, std::string_view id) {
  // Edit distance in which '*' matches any text for free.
  std::vector<std::size_t> row(id.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (const char c : glob) {
    std::vector<std::size_t> next(row.size());
    next[0] = row[0] + (c == '*' ? 0 : 1);
    for (std::size_t i = 0; i < id.size(); ++i)
      next[i + 1] =
          c == '*'
              ? std::min(next[i], row[i + 1])
              : std::min({row[i] + (c == '?' || c == id[i] ? 0 : 1), row[i + 1] + 1, next[i] + 1});
    row = std::move(next);
  }
  return row.back();
}

/// The cells whose names are most like the glob; the first of a plan where several are.
std::vector<std::string> most_alike(const std::vector<PlannedCell>& plan, const std::string& glob,
                                    std::size_t few) {
  std::vector<std::pair<std::size_t, std::string>> cells;
  for (const auto& planned : plan)
    cells.emplace_back(distance(glob, planned.cell.id()), planned.cell.id());
  std::stable_sort(cells.begin(), cells.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> ids;
  for (const auto& cell : cells)
    if (ids.size() < few) ids.push_back(cell.second);
  return ids;
}

/// Chosen cells that are not done, what these need and lack, and finished cells whose needs are
/// run again; a flag per cell. A cell that runs for its files alone makes no other run again.
std::vector<bool> cells_to_run(const std::vector<std::size_t>& by_need,
                               const std::vector<std::vector<std::size_t>>& needs,
                               const std::vector<bool>& chosen,
                               const std::vector<Standing>& standing) {
  const auto out_of_date = [&](std::size_t i) {
    return standing[i] == Standing::Missing || standing[i] == Standing::Stale;
  };
  std::vector<bool> runs(chosen.size()), renewed(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    runs[i] = renewed[i] = chosen[i] && out_of_date(i);
  // Until nothing changes: a need that runs again renews its dependents, which may have further
  // needs.
  for (bool more = true; more;) {
    const auto before = runs, renewed_before = renewed;
    for (auto place = by_need.rbegin(); place != by_need.rend(); ++place)
      if (runs[*place])
        for (const auto need : needs[*place]) {
          runs[need] = runs[need] || standing[need] != Standing::Done;
          renewed[need] = renewed[need] || out_of_date(need);
        }
    for (const auto i : by_need)
      // A finished cell runs again if one of its needs gets other results.
      if (standing[i] != Standing::Missing &&
          std::any_of(needs[i].begin(), needs[i].end(),
                      [&](std::size_t need) { return renewed[need]; }))
        runs[i] = renewed[i] = true;
    more = runs != before || renewed != renewed_before;
  }
  return runs;
}

}  // namespace

std::vector<bool> chosen_cells(const std::vector<PlannedCell>& plan,
                               const std::vector<std::string>& only,
                               const std::vector<std::int64_t>& seeds) {
  std::vector<bool> chosen(plan.size(), false), of_seed(plan.size(), seeds.empty());
  for (const auto seed : seeds) {
    bool matched = false;
    for (std::size_t i = 0; i < plan.size(); ++i)
      if (plan[i].cell.seed == seed) matched = of_seed[i] = true;
    if (!matched)
      throw UsageError("no cell has seed " + std::to_string(seed), "choose others with --seeds");
  }
  for (const auto& glob : only) {
    bool matched = false;
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (!matches_glob(plan[i].cell.id(), glob)) continue;
      matched = true;
      chosen[i] = of_seed[i];
    }
    if (!matched)
      throw UsageError(
          "--only " + glob + " matches none of the " + std::to_string(plan.size()) + " cells",
          "a cell is named TABLE/DATASET/METHOD/seedN; named most alike: " +
              join(most_alike(plan, glob, 3), ", "));
  }
  return chosen;
}

SearchResults widen_searches(
    std::vector<PlannedCell>& plan,
    const std::function<std::optional<records::Record>(const PlannedCell&, const records::Cell&)>&
        finished) {
  SearchResults results;
  std::map<std::string, std::size_t> trials;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (records::is_trial(plan[i].cell)) trials.emplace(plan[i].cell.id(), i);
  for (std::size_t i = 0, planned = plan.size(); i < planned; ++i) {
    if (!plan[i].search) continue;
    const auto search = *plan[i].search;
    auto result = results.find(search.trials);
    if (result == results.end()) {
      std::map<records::Cell, std::optional<records::Record>> read;
      // A search asks for the same trials again after each widening; each is read once.
      const auto find = [&](const records::Cell& trial) {
        const auto [at, fresh] = read.try_emplace(trial);
        if (fresh) at->second = finished(plan[i], trial);
        return at->second;
      };
      try {
        result = results.emplace(search.trials, follow_search(search, find)).first;
      } catch (const Error&) {
        // No trial can be chosen. The cell reports that when it runs.
        continue;
      }
    }
    // The new trials are like the first one of their seed.
    const auto first = trial_cells(search);
    const bool stands =
        search.widen > 0 && result->second.missing && finished(plan[i], plan[i].cell);
    // A finished cell must not run again only because its search has not ended yet.
    if (stands) std::erase_if(plan[i].needs, records::is_trial);
    for (const auto& trial : trial_cells(search, result->second.grid)) {
      if (std::find(first.begin(), first.end(), trial) != first.end()) continue;
      if (!stands) plan[i].needs.push_back(trial);
      if (trials.contains(trial.id())) continue;
      const auto like = std::find_if(first.begin(), first.end(), [&](const records::Cell& other) {
        return other.seed == trial.seed;
      });
      // Same needs, settings and cost as the listed trial of its seed.
      auto added = plan[trials.at(like->id())];
      added.cell = trial;
      trials.emplace(trial.id(), plan.size());
      plan.push_back(std::move(added));
    }
  }
  return results;
}

std::vector<Step> steps_to_run(const std::vector<PlannedCell>& plan,
                               const std::vector<bool>& chosen,
                               const std::vector<Standing>& standing) {
  const auto positions = index_cells(plan);
  const auto needs = resolve_needs(plan, positions);
  const auto by_need = sorted_by_need(plan, needs);
  const auto runs = cells_to_run(by_need, needs, chosen, standing);
  // Backwards, so that the cost of a chain includes all cells that wait at its end.
  std::vector<double> chain(plan.size(), 0);
  for (auto place = by_need.rbegin(); place != by_need.rend(); ++place) {
    const std::size_t i = *place;
    if (!runs[i]) continue;
    chain[i] += plan[i].cost;
    for (const auto need : needs[i]) chain[need] = std::max(chain[need], chain[i]);
  }
  std::vector<std::size_t> order;
  for (const auto i : by_need)
    if (runs[i]) order.push_back(i);
  // Stable, so that cells without cost stay after their needs.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return chain[a] > chain[b]; });
  std::vector<std::optional<std::size_t>> step_of(plan.size());
  for (std::size_t s = 0; s < order.size(); ++s) step_of[order[s]] = s;
  std::vector<Step> steps;
  for (const auto i : order) {
    steps.push_back({.planned = plan[i], .needs = {}});
    for (const auto need : needs[i])
      if (const auto step = step_of[need]) steps.back().needs.push_back(*step);
  }
  return steps;
}

}  // namespace reprise::reproduce
