// Table frontier: the Pareto front of a method's trials, between preservation and realism.
#include <algorithm>
#include <cmath>

#include "reproduce/langevin/cells.h"
#include "reproduce/langevin/configurations.h"
#include "reproduce/langevin/measures.h"

namespace reprise::reproduce::langevin_study {
namespace {

struct Axes {
  std::string name;  ///< name in curves
  std::string kept;  ///< metric to raise
  std::string lost;  ///< metric to lower
};

/// Table whose trials make the front of a data set, with its axes.
struct FrontAxes {
  std::string table;
  std::vector<Axes> axes;
};
const FrontAxes& find_front_axes(const std::string& dataset) {
  static const FrontAxes exact{exact_table, {{"kept", "kept", "nll_end"}}},
      churn{"churn",
            {{"label", "label_kept", "log_frechet_end"},
             {"content", "content", "log_frechet_end"},
             {"energy", "label_kept", "energy_end"}}};
  return is_exact(dataset) ? exact : churn;
}

}  // namespace

void run_pareto_front(CellContext& context) {
  const auto& own = context.record.cell;
  const auto& searched = find_front_axes(own.dataset);
  auto cell = own;
  // The search of the method's cell in that table.
  cell.table = searched.table;
  const auto search =
      make_search(cell, parse_configuration(own.method, searched.table), context.settings);
  const auto tried = list_trials(search, finished_search(search, context.store).grid);
  records::Curves curves;
  for (const auto& axes : searched.axes) {
    std::vector<std::pair<double, double>> points;
    for (const auto& trial : tried) {
      // Means over the seeds of the search.
      const auto mean = [&](const std::string& metric) {
        return trial_mean(search, trial, metric, records::Direction::Neither,
                          records_in(context.store));
      };
      points.emplace_back(mean(axes.kept), mean(axes.lost));
    }
    // From the most preserved point on, a point is on the front if it is more realistic than all
    // before it.
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
  add_metric(context.record, trials_metric, static_cast<double>(tried.size()),
             records::Direction::Neither);
  context.store.write_curves(own, curves);
}

}  // namespace reprise::reproduce::langevin_study
