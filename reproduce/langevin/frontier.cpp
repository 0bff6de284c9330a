// Table frontier: what a method can reach, whatever one values more. Of its trials, as points of
// what is kept and of realism, those that no other trial beats in both.
#include <algorithm>
#include <cmath>

#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/measures.h"
#include "reproduce/langevin/variants.h"

namespace reprise::reproduce::langevin_study {
namespace {

struct Axes {
  std::string name, kept, lost;  ///< of curves; metrics: the more the better, the less the better
};

/// Of the table that a frontier's data set belongs to.
struct Searched {
  std::string table;
  std::vector<Axes> axes;
};
const Searched& searched_for(const std::string& dataset) {
  static const Searched exact{exact_table, {{"kept", "kept", "nll_end"}}},
      churn{"churn",
            {{"label", "label_kept", "log_frechet_end"},
             {"content", "content", "log_frechet_end"},
             {"energy", "label_kept", "energy_end"}}};
  return is_exact(dataset) ? exact : churn;
}

}  // namespace

void run_frontier(CellContext& context) {
  const auto& own = context.record.cell;
  const auto& searched = searched_for(own.dataset);
  auto cell = own;
  cell.table = searched.table;
  const auto search = search_for(cell, variant_of(own.method, searched.table), context.settings);
  const auto tried = trials_of(search, finished_search(search, context.store).grid);
  records::Curves curves;
  for (const auto& axes : searched.axes) {
    std::vector<std::pair<double, double>> points;
    for (const auto& trial : tried) {
      const auto mean = [&](const std::string& metric) {
        return trial_mean(search, trial, metric, records::Direction::Neither,
                          records_in(context.store));
      };
      points.emplace_back(mean(axes.kept), mean(axes.lost));
    }
    std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    for (double least = INFINITY; const auto& [kept, lost] : points) {
      if (lost >= least) continue;
      least = lost;
      curves["x_" + axes.name].push_back(kept);
      curves["y_" + axes.name].push_back(lost);
    }
  }
  note(context.record, trials_metric, static_cast<double>(tried.size()),
       records::Direction::Neither);
  context.store.write_curves(own, curves);
}

}  // namespace reprise::reproduce::langevin_study
