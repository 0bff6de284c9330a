// The cell that trains an evaluator (models/backbones/evaluator.h), and its loading by other cells.
//
// One evaluator of a data set serves all seeds: distances in the feature spaces of two evaluators
// do not belong in one mean.
#pragma once
#include <functional>

#include "experiments/study.h"
#include "models/backbones/evaluator.h"

namespace reprise::reproduce {

inline constexpr std::int64_t evaluator_seed = 0;

/// Completes `items`, whose shapes and classes the study states, by trunk, batch size and learning
/// rate of section [evaluator] and the steps of `section`.
models::EvaluatorOptions evaluator_options(models::EvaluatorOptions items, const Settings& settings,
                                           const std::string& section = "evaluator");

/// Data and options of an evaluator. No method sees any of these items.
struct EvaluatorTask {
  models::EvaluatorOptions options;
  training::Examples learned, validation, test;
  std::uint64_t seed = 0;
  /// Converts probabilities [N, K] to labels [N], if test.labels are no classes of the evaluator.
  /// Default: the most likely class.
  std::function<at::Tensor(const at::Tensor& probabilities)> predict = {};
};

/// Trains the cell's evaluator as a base network (experiments/base_network.h). Records `accuracy`
/// on the test items, and writes curves and weights.safetensors.
void train_evaluator(const EvaluatorTask& task, CellContext& context);

/// Loads the evaluator that `cell` trained, onto the device of `context`.
models::Evaluator load_evaluator(const models::EvaluatorOptions& options, const records::Cell& cell,
                                 const CellContext& context);
/// Loads an evaluator from a file of weights.
models::Evaluator load_evaluator(const models::EvaluatorOptions& options,
                                 const std::filesystem::path& weights, const CellContext& context);

}  // namespace reprise::reproduce
