// Simulated tables for the check: cells whose metrics vary over seeds with a known spread.
#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "core/random.h"
#include "records/regression/check.h"
#include "statistics/statistics.h"

namespace reprise::records {

/// A table of `cells` methods with `metrics` metrics each. In standard deviations, a seed's value is
///     sqrt(shared) c_seed + sqrt(1 - shared) (sqrt(alike) d_{cell, seed} + sqrt(1 - alike) e_{cell, metric, seed})
struct SimulatedTable {
  int cells = 22, metrics = 1;
  double shared = 0;  ///< of the variance: what a seed does to all cells
  double alike = 0;   ///< of a cell's own variance: what moves all its metrics
  double deviation = 0.01;

  static constexpr double mean = 0.5;

  static std::string method(int cell) { return "method" + std::to_string(cell); }

  /// Samples over seeds 0, 1, ..., lowered in cell 0 by `one` and everywhere by `all` deviations.
  Samples run(int seeds, double one, double all, Random& random) const {
    Samples samples;
    std::vector<double> common;
    for (int s = 0; s < seeds; ++s) common.push_back(random.normal());
    for (int cell = 0; cell < cells; ++cell) {
      std::vector<double> own;
      for (int s = 0; s < seeds; ++s) own.push_back(random.normal());
      for (int metric = 0; metric < metrics; ++metric) {
        Sample sample{.direction = Direction::HigherIsBetter};
        for (int s = 0; s < seeds; ++s) {
          const double within = std::sqrt(alike) * own[s] + std::sqrt(1 - alike) * random.normal();
          const double z = std::sqrt(shared) * common[s] + std::sqrt(1 - shared) * within - all - (cell == 0 ? one : 0);
          sample.seeds.push_back(s);
          sample.values.push_back(mean + deviation * z);
        }
        sample.mean = records::mean(sample.values);
        samples[{"table1", "faces", method(cell), "metric" + std::to_string(metric)}] = sample;
      }
    }
    return samples;
  }
};

inline Reference reference_of(const Samples& samples) {
  Reference reference{.study = "prernn", .profile = "smoke"};
  for (const auto& [quantity, sample] : samples) reference.entries[quantity] = {.sample = sample};
  return reference;
}

}  // namespace reprise::records
