#include "examples/shrinkage/study.h"

#include <algorithm>

#include "core/random.h"
#include "examples/embedded.h"
#include "experiments/names.h"

namespace reprise::reproduce {
namespace {

struct Estimator {
  std::string name, title;
  double (*factor)(double length2, double p);  ///< factor of x; length2 = |x|^2
};

const std::vector<Estimator>& estimators() {
  static const std::vector<Estimator> all{
      {.name = "observation",
       .title = "the observation",
       .factor = [](double, double) { return 1.0; }},
      {.name = "james_stein",
       .title = "James-Stein",
       .factor = [](double length2, double p) { return 1 - (p - 2) / length2; }},
      // Close to the origin the factor of James-Stein is negative and turns the estimate around.
      {.name = "positive_part", .title = "positive part", .factor = [](double length2, double p) {
         return std::max(0.0, 1 - (p - 2) / length2);
       }}};
  return all;
}

struct Space {
  std::string name, title;
  int dimensions = 0;
};

const std::vector<Space>& spaces() {
  // James-Stein is better than the observation from three dimensions on.
  static const std::vector<Space> all{{.name = "three", .title = "3 dimensions", .dimensions = 3},
                                      {.name = "ten", .title = "10 dimensions", .dimensions = 10}};
  return all;
}

/// Estimates the risk for a mean at `distance` from the origin along the first axis. Its direction
/// does not matter.
double risk(const Estimator& estimator, const Space& space, double distance, std::int64_t draws,
            Random random) {
  double sum = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    const double first = distance + random.normal();
    double length2 = first * first;
    for (int k = 1; k < space.dimensions; ++k) {
      const double x = random.normal();
      length2 += x * x;
    }
    const double factor = estimator.factor(length2, space.dimensions);
    // |factor x - theta|^2, with theta along the first axis.
    sum += factor * factor * length2 - 2 * factor * first * distance + distance * distance;
  }
  return sum / static_cast<double>(draws);
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder&) {
  // Cells need neither data nor each other, so `needs` is empty. A cost in seconds orders the work.
  std::vector<PlannedCell> cells;
  for (std::int64_t seed = 0; seed < settings.integer("seeds"); ++seed)
    for (const auto& space : spaces())
      for (const auto& estimator : estimators())
        cells.push_back({.cell = {.study = "shrinkage",
                                  .table = "risk",
                                  .dataset = space.name,
                                  .method = estimator.name,
                                  .seed = seed},
                         .needs = {},
                         .cost = 0.1});
  return cells;
}

void run(CellContext& context) {
  const auto& cell = context.record.cell;
  const auto& estimator = find_named(estimators(), "estimator", cell.method);
  const auto& space = find_named(spaces(), "space", cell.dataset);
  const auto distances = context.settings.numbers("distances");
  // Every estimator gets the same observations, so their differences have little noise.
  const auto risk_at = [&](double distance) {
    // The seed of the random numbers comes from names, not from the order of cells.
    const Random random(seed_of({"shrinkage", space.name, std::to_string(cell.seed)}));
    return risk(estimator, space, distance, context.settings.integer("draws"), random);
  };
  context.record.metrics = {{.name = "risk",
                             .value = risk_at(0),
                             .unit = "",
                             .direction = records::Direction::LowerIsBetter,
                             .protocol = "squared error, mean at the origin"}};
  std::vector<double> risks;
  for (const double distance : distances) risks.push_back(risk_at(distance));
  context.store.write_curves(cell, {{"distance", distances}, {"risk", risks}});
}

Report report(const Settings&) {
  reports::Table table{
      .id = "risk",
      .title = "Risk where the mean is the origin",
      .caption = "Mean of the squared distance between estimate and mean. Lower is better.",
      .corner = "estimator",
      .published = "risk",
      .data = reports::DataProtocol{.set = "one observation, mean at the origin"},
      .digits = 2};
  reports::Figure figure{
      .id = "risk_ten",
      .title = "Risk in 10 dimensions",
      .caption = "Far from the origin nothing is gained, and nothing lost. Mean over seeds.",
      .x_label = "distance of the mean from the origin",
      .y_label = "risk"};
  for (const auto& space : spaces()) table.columns.push_back(space.title);
  for (const auto& estimator : estimators()) {
    table.rows.push_back(estimator.title);
    auto& row = table.entries.emplace_back();
    for (const auto& space : spaces())
      row.push_back(reports::Entry{
          .table = "risk", .dataset = space.name, .method = estimator.name, .metric = "risk"});
    // x and y name the curves that run() writes.
    figure.series.push_back({.label = estimator.title,
                             .table = "risk",
                             .dataset = "ten",
                             .method = estimator.name,
                             .x = "distance",
                             .y = "risk"});
  }
  return {.tables = {table},
          .figures = {figure},
          .galleries = {},
          .notes = {"Each seed has its own observations."}};
}

}  // namespace

Study shrinkage() {
  return {.name = "shrinkage",
          .title = "Estimation with quadratic loss",
          .document = "James and Stein, Berkeley Symposium 1961",
          .version = shrinkage_version,
          .profiles = {{"smoke", example_file("shrinkage/smoke.toml")}},
          .claims = example_file("shrinkage/claims.toml"),
          .published = example_file("shrinkage/published.toml"),
          .findings = example_file("shrinkage/findings.toml"),
          .sample = example_file("shrinkage/sample.toml"),
          .plan = plan,
          .run = run,
          .report = report};
}

}  // namespace reprise::reproduce
