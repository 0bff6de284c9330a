#include "reproduce/run/plan.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/error.h"
#include "core/text.h"

namespace reprise::reproduce {
namespace {

using Positions = std::map<std::string, std::size_t>;

Positions positions_of(const std::vector<PlannedCell>& plan) {
  Positions positions;
  for (std::size_t i = 0; i < plan.size(); ++i)
    if (!positions.emplace(plan[i].cell.id(), i).second)
      throw Error("the study plans two cells named " + plan[i].cell.id(), "give each cell its own table, dataset, method or seed");
  return positions;
}

std::vector<std::vector<std::size_t>> needs_of(const std::vector<PlannedCell>& plan, const Positions& positions) {
  std::vector<std::vector<std::size_t>> needs(plan.size());
  for (std::size_t i = 0; i < plan.size(); ++i)
    for (const auto& need : plan[i].needs) {
      const auto place = positions.find(need.id());
      if (place == positions.end())
        throw Error("cell " + plan[i].cell.id() + " needs " + need.id() + ", which the study does not plan", "plan that cell too");
      needs[i].push_back(place->second);
    }
  return needs;
}

/// Cells such that each stands after those it needs.
std::vector<std::size_t> sorted_by_need(const std::vector<PlannedCell>& plan, const std::vector<std::vector<std::size_t>>& needs) {
  std::vector<std::size_t> order;
  std::vector<bool> placed(plan.size(), false);
  while (order.size() < plan.size()) {
    const std::size_t before = order.size();
    for (std::size_t i = 0; i < plan.size(); ++i) {
      if (placed[i] || !std::all_of(needs[i].begin(), needs[i].end(), [&](std::size_t need) { return placed[need]; })) continue;
      placed[i] = true;
      order.push_back(i);
    }
    if (order.size() != before) continue;
    const auto stuck = static_cast<std::size_t>(std::find(placed.begin(), placed.end(), false) - placed.begin());
    throw Error("the needs of cell " + plan[stuck].cell.id() + " go in a circle", "take one need out of it");
  }
  return order;
}

std::vector<std::string> ids_of(const std::vector<PlannedCell>& plan) {
  std::vector<std::string> ids;
  for (const auto& planned : plan) ids.push_back(planned.cell.id());
  return ids;
}

}  // namespace

std::vector<Step> steps_to_run(const std::vector<PlannedCell>& plan, const std::string& only,
                               const std::function<bool(const records::Cell&)>& done) {
  const auto positions = positions_of(plan);
  const auto needs = needs_of(plan, positions);
  const auto by_need = sorted_by_need(plan, needs);
  std::vector<bool> runs(plan.size(), false);
  bool matched = false;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!matches_glob(plan[i].cell.id(), only)) continue;
    matched = true;
    runs[i] = !done(plan[i].cell);
  }
  if (!matched)
    throw UsageError("--only " + only + " matches none of the " + std::to_string(plan.size()) + " cells",
                     "a cell is named TABLE/DATASET/METHOD/seedN, for example " + first_few(ids_of(plan), 3));
  // From the last to the first: what a running cell needs runs too, and a chain is as long as what waits at its end.
  std::vector<double> chain(plan.size(), 0);
  for (auto place = by_need.rbegin(); place != by_need.rend(); ++place) {
    const std::size_t i = *place;
    if (!runs[i]) continue;
    chain[i] += plan[i].cost;
    for (const auto need : needs[i]) {
      if (!runs[need]) runs[need] = !done(plan[need].cell);
      chain[need] = std::max(chain[need], chain[i]);
    }
  }
  std::vector<std::size_t> order;
  for (const auto i : by_need)
    if (runs[i]) order.push_back(i);
  // Stable: cells that cost nothing still stand after what they need.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return chain[a] > chain[b]; });
  std::vector<std::optional<std::size_t>> step_of(plan.size());
  for (std::size_t s = 0; s < order.size(); ++s) step_of[order[s]] = s;
  std::vector<Step> steps;
  for (const auto i : order) {
    steps.push_back({plan[i], {}});
    for (const auto need : needs[i])
      if (step_of[need]) steps.back().needs.push_back(*step_of[need]);
  }
  return steps;
}

}  // namespace reprise::reproduce
