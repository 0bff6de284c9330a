// Health check of base networks. Other experiments build on them (a PreRNN copies their layers, a
// tracker uses their features), or they evaluate other methods.
//
// A base network passes if all three hold:
//
//     e / e_0 <= 0.95
//     l >= 0.02
//     g <= 0.05
//
//   - e is its best validation error, and e_0 that of the best constant output.
//   - l is the fraction of live units of a hidden layer, the least over the layers. The output of a
//     live unit differs between validation items.
//   - g is the part of the fall e_0 - e in the last tenth of the epochs.
//
// A network that fails is trained again with the next draw: other random streams give its first
// weights and its order of items. Draw 0 has the plain seeds. The last of three draws is kept, and
// its record says that it failed.
// The thresholds lie far from the values of all exploration seeds. docs/log/2026-11-30-health.md
// has the distribution.
//
// Smoke tests (purpose = "smoke_test") train for seconds: their networks are neither checked nor
// trained again.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "training/fit.h"

namespace reprise::reproduce {

struct HealthThresholds {
  double error = 0.95, live_units = 0.02, late_gain = 0.05;
};
inline constexpr HealthThresholds health_thresholds;
inline constexpr std::int64_t most_draws = 3;

/// Result of one training of a base network.
struct BaseTraining {
  training::FitReport report;
  double trivial_error = 0;  ///< validation error of the best constant output
  /// Nothing: no network of stages, or units that cannot die.
  std::optional<double> live_units = {};
};

struct Health {
  double error = 0;                       ///< e / e_0
  std::optional<double> live_units = {};  ///< l
  double late_gain = 0;                   ///< g
  bool passes() const;
};
Health check_health(const BaseTraining& training);

/// Returns the seed of a random stream of this draw; `seed` itself for draw 0.
std::uint64_t seed_of_draw(std::uint64_t seed, std::int64_t draw);

/// Calls `train` with draw 0, then with the next draw as long as the network fails the check or
/// diverges. The last draw is kept in any case.
/// Records draw, healthy (1 or 0), health_error, health_live_units and health_late_gain, with
/// `part` in their names. Diverged: the last draw diverged.
training::FitReport train_base_network(CellContext& context, const std::string& part,
                                       const std::function<BaseTraining(std::int64_t draw)>& train);

/// Trains a network on single frames: epochs, learning_rate and options are those of this section
/// of the settings. `task` needs no `forward`. `checkpoint`: name of a file in the cell's folder.
training::FitReport train_on_frames(models::Backbone& network, const std::string& section,
                                    training::Task task, std::uint64_t seed, CellContext& context,
                                    const std::string& checkpoint = "checkpoint.safetensors");

/// Returns l over `items`, which pass through the network in pieces. `input_of` converts a piece to
/// the network's input.
double least_live_fraction(models::Backbone& network, const at::Tensor& items,
                           const std::function<at::Tensor(const at::Tensor& piece)>& input_of);

/// Returns the error of the best constant output for labels int64 [N]: the cross-entropy of their
/// frequencies, and the error rate of the most frequent class.
double trivial_cross_entropy(const at::Tensor& labels);
double trivial_error_rate(const at::Tensor& labels);

/// Describes in a sentence each base network of a run that needed another draw, or failed in all of
/// them.
std::vector<std::string> health_notes(const std::vector<records::Record>& records);

}  // namespace reprise::reproduce
