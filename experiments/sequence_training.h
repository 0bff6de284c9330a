// Planning and training of all sequence estimators: the same optimiser and order of clips;
// validation chooses epoch and learning rate.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "experiments/study.h"
#include "training/fit.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// Function that lists what the cells of a seed need.
using NeedsOfSeed = std::function<std::vector<records::Cell>(std::int64_t seed)>;

/// Appends the trials of a search, each with what the cells of its seed need.
void plan_trials(const Search& search, const NeedsOfSeed& needs, std::vector<PlannedCell>& cells);
/// Appends a method's cells, one per seed of the settings, with what they need and the search that
/// chooses their hyperparameters.
void plan_seeds(records::Cell cell, const std::optional<Search>& search, const NeedsOfSeed& needs,
                const Settings& settings, std::vector<PlannedCell>& cells);

/// Clips of a training set: features x [N, T, ...] of any floating type, and targets y for the
/// loss.
struct TrainingClips {
  torch::Tensor x, y;
};

struct SequenceTask {
  /// sets of N clips each; epoch e learns from set e % clip_sets.size()
  std::vector<TrainingClips> clip_sets;
  std::function<torch::Tensor(const torch::Tensor& prediction, const torch::Tensor& y)> loss;
  std::function<double()> validate;  ///< lower is better
  /// Section of fit_options(), which also has pretrained_rate: "sequence".
  std::string settings;
  /// Section with the trials' learning_rates and epochs: "search".
  std::string search;
  bool trial = false;           ///< whether it is a trial, with the search's number of epochs
  std::int64_t batch = 1;       ///< clips a step
  bool validate_start = false;  ///< training/fit.h
};

/// Trains a network. The order of clips depends on the seed and the data set, so all methods of a
/// seed share it.
training::FitReport train_sequence(training::SequenceNetwork& network, const SequenceTask& task,
                                   double learning_rate, CellContext& context);

/// Records validation_error, learning_rate, best_epoch (0: the first weights) and the curves
/// validation_error, train_loss, each with `part` ("", "depth") in its name. If the start was
/// evaluated, the curve of validation errors begins with it, and the curve "epoch" says so.
void record_training(const training::FitReport& report, double learning_rate,
                     const std::string& part, const std::string& protocol, records::Record& record,
                     records::Curves& curves);

/// Records input_deviation: the standard deviation of a method's input on test items. It is equal
/// for seeds that share data, so `check` finds another scale of the inputs.
void record_input(const at::Tensor& x, const std::string& part, records::Record& record);

/// Rows of the batches of an epoch: all rows in an order that seed and epoch determine.
class BatchOrder {
 public:
  BatchOrder(std::uint64_t seed, std::int64_t rows) : seed_(seed), rows_(rows) {}
  /// Returns the row numbers [batch] of batch `index`.
  at::Tensor batch(std::int64_t epoch, std::int64_t index, std::int64_t batch);

 private:
  std::uint64_t seed_;
  std::int64_t rows_, epoch_ = -1;
  at::Tensor order_;  ///< of epoch_
};

/// Returns forward(piece) of all items on the CPU, `at_once` items at a time. The network is in
/// evaluation mode, pieces are on its device, and there are no gradients.
at::Tensor run_in_pieces(torch::nn::Module& network, const at::Tensor& items, std::int64_t at_once,
                         const std::function<at::Tensor(const at::Tensor& piece)>& forward);

/// Counts the trainable and fixed weights of a network.
std::int64_t count_weights(const torch::nn::Module& network);

/// Returns the values of a tensor for a curve.
std::vector<double> values_of(const at::Tensor& tensor);

/// Joins name and part: "accuracy" and "depth" -> "accuracy_depth"; "" leaves the name alone.
std::string name_with_part(const std::string& name, const std::string& part);

/// Returns the device of a network's weights; the CPU for a network without.
at::Device device_of(const torch::nn::Module& network);

}  // namespace reprise::reproduce
