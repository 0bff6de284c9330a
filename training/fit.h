// The training loop for supervised learning. It knows no paper: a network, a way to get batches, a
// loss, a validation error.
//
// Each epoch: for every batch, data -> forward -> loss -> backward -> clip -> step; then validate.
// The weights of the epoch with the least validation error are the result. Adam with groups (a
// learning rate each), linear warm-up then cosine decay to zero over the whole run, gradient
// clipping by global norm, early stop after `patience` epochs without improvement, optional EMA of
// the weights (validated and returned in place of the raw ones).
//
// Layers that draw from torch's default generator (dropout) are part of this: it is seeded when the
// run starts and given back as it was. `network` is in training mode while it trains, in evaluation
// mode while it is validated and at the end.
//
// Several processes may train together (training/data_parallel.h): each takes its slice of every
// batch. Rank 0 validates and writes the checkpoint.
//
// With a checkpoint path, all state (weights, best weights, optimiser, EMA, generator, step, report
// so far) is stored at the end of each epoch; a killed run that is started again goes on from there
// and ends with the same bits as an uninterrupted one. A checkpoint of other options, groups or
// first weights is not used: the run starts over and replaces it. The file is kept when the run is
// done; a second call then trains nothing and returns the same result (training/checkpoint.h).
#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/random.h"
#include "training/precision.h"

namespace reprise::training {

class Progress;

struct Batch {
  torch::Tensor x, y;
};

struct Task {
  std::int64_t batches_per_epoch = 0;
  /// Batch `index` of epoch `epoch`; `random` belongs to this batch alone, so a resumed run draws
  /// the same.
  std::function<Batch(std::int64_t epoch, std::int64_t index, Random& random)> batch;
  std::function<torch::Tensor(const torch::Tensor& x)> forward;
  std::function<torch::Tensor(const torch::Tensor& prediction, const torch::Tensor& y)> loss;
  /// Error on the validation split, lower is better. Called in evaluation mode, without gradients.
  std::function<double()> validate;
};

struct ParameterGroup {
  std::vector<torch::Tensor> parameters = {};
  double learning_rate = 1e-3;
};

struct FitOptions {
  std::int64_t epochs = 10;
  std::int64_t warmup_steps = 20;
  double clip_norm = 5.0;     ///< 0: no clipping
  std::int64_t patience = 0;  ///< epochs without improvement before stopping; 0: never
  double ema_decay = 0.0;     ///< 0: no EMA
  double weight_decay = 0.0;  ///< decoupled (AdamW)
  bool judge_start =
      false;  ///< the first weights are validated, too, and are the result where no epoch is better
  std::uint64_t seed = 0;
  Precision precision = Precision::
      Float32;  ///< of the passes of training; validation, losses and the optimiser are float32
  std::filesystem::path checkpoint = {};  ///< "": none is kept
};

struct FitReport {
  std::vector<double> train_loss, validation_error;  ///< one value an epoch
  std::vector<double>
      start_error;  ///< with judge_start one value: the validation error of the first weights
  std::int64_t best_epoch = -1;  ///< counted from 0; -1: the first weights
  std::int64_t steps = 0;
  std::map<std::string, double> seconds;  ///< data, forward, backward, step, validate
  Precision precision =
      Precision::Float32;  ///< of the passes: what Auto came to; a run that is resumed keeps it
};

/// The least validation error. Error: nothing was validated.
double best_error(const FitReport& report);

/// A loss or a validation error that is not finite, or a loss above 1e3 times the first epoch's
/// mean.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Leaves the best weights in `network`. On a GPU the phases time what is launched, not what it
/// takes there. Diverged: names epoch, step, value and says which option to lower.
FitReport fit(torch::nn::Module& network, const std::vector<ParameterGroup>& groups,
              const Task& task, const FitOptions& options, Progress& progress);

}  // namespace reprise::training
