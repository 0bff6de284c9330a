// Supervised training loop, independent of any paper: a network, batches, a loss, and a validation
// error.
//
// Every batch runs data, forward, loss, backward, clip and step; every epoch ends with validation.
// The result is the weights of the epoch with the lowest validation error.
//   - Adam with one learning rate per group; linear warm-up, then cosine decay to zero.
//   - Gradients are clipped by their global norm.
//   - Training stops early after `patience` epochs without improvement.
//   - An exponential moving average (EMA) of the weights, if any, is validated and returned in
//     place of the raw weights.
//
// torch's default generator, which feeds dropout, is seeded at the start and restored at the end.
// The network is in training mode during training, and in evaluation mode during validation and
// afterwards.
//
// Several processes can train together (training/data_parallel.h). Each takes its slice of every
// batch. Rank 0 validates and writes the checkpoint.
//
// With a checkpoint path, all state is stored at the end of each epoch. A killed run resumes there
// and ends with the same bits as an uninterrupted one. A checkpoint of other options, groups or
// first weights is replaced. A second call of a finished run returns its result without training
// (training/checkpoint.h).
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
  /// Makes batch `index` of epoch `epoch`. `random` belongs to this batch alone, so that a resumed
  /// run draws the same batches.
  std::function<Batch(std::int64_t epoch, std::int64_t index, Random& random)> batch;
  std::function<torch::Tensor(const torch::Tensor& x)> forward;
  std::function<torch::Tensor(const torch::Tensor& prediction, const torch::Tensor& y)> loss;
  /// Error on the validation split; lower is better. Called in evaluation mode without gradients.
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
  /// Validates the first weights too. They are the result if no epoch is better.
  bool validate_start = false;
  std::uint64_t seed = 0;
  /// Precision of the training passes. Validation, losses and the optimiser are float32.
  Precision precision = Precision::Float32;
  std::filesystem::path checkpoint = {};  ///< "": no checkpoint
};

struct FitReport {
  std::vector<double> train_loss, validation_error;  ///< one value per epoch
  /// Validation error of the first weights: one value with validate_start, else empty.
  std::vector<double> start_error;
  std::int64_t best_epoch = -1;  ///< counted from 0; -1: the first weights
  std::int64_t steps = 0;
  std::map<std::string, double> seconds;     ///< by phase: data, forward, backward, step, validate
  Precision precision = Precision::Float32;  ///< the precision that was used, never Auto
};

/// Lowest validation error. Error: nothing was validated.
double best_error(const FitReport& report);

/// Training diverged: a loss or validation error is not finite, or a loss is above 1e3 times the
/// mean of the first epoch.
class Diverged : public Error {
 public:
  using Error::Error;
};

/// Trains the network and leaves the best weights in it. On a GPU, the seconds of the phases are
/// those of the launches. Diverged: names epoch, step, value and the option to lower.
FitReport fit(torch::nn::Module& network, const std::vector<ParameterGroup>& groups,
              const Task& task, const FitOptions& options, Progress& progress);

}  // namespace reprise::training
