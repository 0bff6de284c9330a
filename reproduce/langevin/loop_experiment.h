// Data, networks, measures and sheets that tables churn, steering, completion and painting share.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "models/diffusion/edm.h"
#include "reproduce/langevin/cells.h"

namespace reprise::reproduce::langevin_study {

/// Data, networks and random seeds of a cell of digits.
struct LoopExperiment {
  DomainData domain;
  models::Prior D;
  models::Prior other;  ///< D''
  models::Evaluator evaluator;
  std::uint64_t seed;             ///< random seed of the method
  std::uint64_t items_seed;       ///< random seed of the corruptions
  std::uint64_t likelihood_seed;  ///< random seed of the probes of nll()
  std::uint64_t energy_seed;      ///< random seed of the noise of energy()
  at::Tensor clean;               ///< validation items of a search cell, else test items
  at::Tensor labels;              ///< labels of the clean items
  models::LabelledItems others;   ///< further items of the same split, as many
  at::Tensor features;            ///< evaluator features of the clean items

  /// Loads as many items as setting SECTION.items states.
  explicit LoopExperiment(const CellContext& context, const std::string& section);
  /// Returns -ln p per dimension (nats) of the first n items, by the probability-flow ODE of D''.
  double nll(const at::Tensor& x, std::int64_t n);
  double energy(const at::Tensor& x);
};

/// Returns SDEdit's sampler. Like every other sampler it stops at the smallest level that D
/// learned.
models::SamplerOptions make_sdedit_sampler(const LoopExperiment& experiment,
                                           const CellContext& context);

/// Adds the realism metrics of items, with suffix `when`. Returns the evaluator's probabilities.
at::Tensor record_realism(LoopExperiment& experiment, const at::Tensor& x, const std::string& when,
                          CellContext& context);

/// A sheet of ten objects, one row per added round. It shows the first ten, or every `stride`-th.
class RoundSheet {
 public:
  explicit RoundSheet(std::int64_t stride = 1) : stride_(stride) {}
  void add(const at::Tensor& x);
  void write(const std::filesystem::path& path) const;

 private:
  std::int64_t stride_;
  std::vector<at::Tensor> rows_;
};

/// Returns the distance in rounds between two rows of a sheet: a quarter of the rounds.
std::int64_t sheet_stride(std::int64_t rounds);

}  // namespace reprise::reproduce::langevin_study
