// The classifier that judges realism: trained on the judge's part of a world, and never seen by a prior.
#pragma once
#include <string>

#include "experiments/study.h"
#include "models/backbones/backbone.h"
#include "reproduce/langevin/worlds.h"

namespace reprise::reproduce::langevin_study {

/// One judge serves all replicates of a world: distances by different judges do not belong in one mean.
inline constexpr std::int64_t judge_seed = 0;

/// The classifier of this cell's world.
class Judge {
 public:
  explicit Judge(const CellContext& context, const World& world);
  /// Probabilities of the classes: [N, K]. items: [N, C, H, W] in [-1, 1], clamped to it.
  at::Tensor probabilities(const at::Tensor& items);
  /// What it sees: [N, d], on the CPU, for Fréchet distances.
  at::Tensor features(const at::Tensor& items);
  /// The protocol of what it sees, "agreement/judge-1f3e5d7c": the first digits of its weights' SHA-256.
  std::string protocol(const std::string& metric) const;
  /// Of a distance in its feature space, with the number of items.
  std::string protocol(const std::string& metric, std::int64_t n) const;

 private:
  models::Backbone network_;
  std::string hash_;
};

}  // namespace reprise::reproduce::langevin_study
