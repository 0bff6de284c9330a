// Health check of base networks: those that other experiments build on (the network whose layers a
// PreRNN copies, the network whose features a tracker follows, a prior), and those that evaluate
// other methods.
//
// A base network passes if all three hold:
//
//     error:      e / e_0 <= 0.95       e: its best validation error; e_0: the validation error of the best constant output
//     live units: l >= 0.02             l: of each hidden layer the fraction of units whose output differs between validation items; the
//                                       least over the layers
//     rest:       g <= 0.05             g: of the fall e_0 - e, the part that the last tenth of the epochs brought
//
// A network that fails is trained again with the next draw: its first weights and its order of
// items come from other random streams. Draw 0 has the plain seeds. The last of three draws is kept
// as it is; its record says that it failed. The thresholds were chosen from the exploration seeds,
// far from all of them (docs/log/2026-11-30-health.md has the distribution).
//
// Smoke tests (purpose = "wiring") train for seconds: their networks are neither checked nor
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

/// What one training of a base network came to.
struct BaseTraining {
  training::FitReport report;
  double trivial_error = 0;               ///< validation error of the best constant output
  std::optional<double> live_units = {};  ///< none: no network of stages, or units that cannot die
};

struct Health {
  double error = 0;                       ///< e / e_0
  std::optional<double> live_units = {};  ///< l
  double late_gain = 0;                   ///< g
  bool passes() const;
};
Health health_of(const BaseTraining& training);

/// `seed` of a random stream of this draw; the same for draw 0.
std::uint64_t seed_of_draw(std::uint64_t seed, std::int64_t draw);

/// Calls `train` with draw 0, and with the next one as long as the network fails the check or
/// diverges; the last draw stands as it is. Records draw, healthy (1 or 0), health_error,
/// health_live_units and health_late_gain, each with `part` in its name. Diverged: the last draw
/// diverged.
training::FitReport train_base_network(CellContext& context, const std::string& part,
                                       const std::function<BaseTraining(std::int64_t draw)>& train);

/// Trains a network on single frames: epochs, learning_rate and options are those of this section
/// of the settings. `task` needs no `forward`. `checkpoint`: name of a file in the cell's folder.
training::FitReport train_on_frames(models::Backbone& network, const std::string& section,
                                    training::Task task, std::uint64_t seed, CellContext& context,
                                    const std::string& checkpoint = "checkpoint.safetensors");

/// l of `items`, which pass through the network in pieces, each made its input by `input_of`.
double least_live_fraction(models::Backbone& network, const at::Tensor& items,
                           const std::function<at::Tensor(const at::Tensor& piece)>& input_of);

/// Cross-entropy of labels int64 [N] when the output is always their own frequencies, and error
/// rate when it is always the most frequent class.
double trivial_cross_entropy(const at::Tensor& labels);
double trivial_error_rate(const at::Tensor& labels);

/// A sentence for a page on each base network of a run that needed another draw, or that failed in
/// all of them.
std::vector<std::string> health_notes(const std::vector<records::Record>& records);

}  // namespace reprise::reproduce
