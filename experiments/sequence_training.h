// How every sequence estimator of a study is planned and trained, whatever its task: same
// optimiser, same order of clips, the epoch and the learning rate chosen on validation.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "experiments/study.h"
#include "training/fit.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// What the cells of a seed need.
using NeedsOfSeed = std::function<std::vector<records::Cell>(std::int64_t seed)>;

/// Appends the trials of a search, each with what the cells of its seed need.
void plan_trials(const Search& search, const NeedsOfSeed& needs, std::vector<PlannedCell>& cells);
/// Appends a method's cells, one per seed of the settings, with what they need and the search that
/// chooses their hyperparameters.
void plan_seeds(records::Cell cell, const std::optional<Search>& search, const NeedsOfSeed& needs,
                const Settings& settings, std::vector<PlannedCell>& cells);

/// x: [N, T, ...] features of clips, of any floating type; y: what a loss takes with the network's
/// output.
struct TrainingClips {
  torch::Tensor x, y;
};

struct SequenceTask {
  std::vector<TrainingClips> films;  ///< of N clips each: epoch e learns from film e % films.size()
  std::function<torch::Tensor(const torch::Tensor& prediction, const torch::Tensor& y)> loss;
  std::function<double()> validate;  ///< lower is better
  /// Section of fit_options(), which also has pretrained_rate: "sequence".
  std::string settings;
  /// Section with the trials' learning_rates and epochs: "search".
  std::string search;
  bool trial = false;        ///< a trial has the search's number of epochs
  std::int64_t batch = 1;    ///< clips a step
  bool judge_start = false;  ///< training/fit.h
};

/// The order of the clips belongs to the seed and the data set, so all methods of a seed see the
/// same.
training::FitReport train_sequence(training::SequenceNetwork& network, const SequenceTask& task,
                                   double learning_rate, CellContext& context);

/// validation_error, learning_rate, best_epoch (0: the first weights) and the curves
/// validation_error, train_loss, each with `part` ("", "depth") in its name. Where the start was
/// judged the curve of validation errors begins with it, and the curve "epoch" says so.
void note_training(const training::FitReport& report, double learning_rate, const std::string& part,
                   const std::string& protocol, records::Record& record, records::Curves& curves);

/// input_deviation: the standard deviation of what a method is given on test items. No seed changes
/// it where seeds share their data, so that `check` sees another scale of the inputs, however
/// little it costs in accuracy.
void note_input(const at::Tensor& x, const std::string& part, records::Record& record);

/// The rows of the batches of an epoch: all rows in an order that the seed and the epoch give.
class BatchOrder {
 public:
  BatchOrder(std::uint64_t seed, std::int64_t rows) : seed_(seed), rows_(rows) {}
  /// Row numbers [batch] of batch `index`.
  at::Tensor batch(std::int64_t epoch, std::int64_t index, std::int64_t batch);

 private:
  std::uint64_t seed_;
  std::int64_t rows_, epoch_ = -1;
  at::Tensor order_;  ///< of epoch_
};

/// forward(piece) of all items, `at_once` of them at a time, together on the CPU. The network is in
/// evaluation mode, pieces are on its device, and there are no gradients.
at::Tensor run_in_pieces(torch::nn::Module& network, const at::Tensor& items, std::int64_t at_once,
                         const std::function<at::Tensor(const at::Tensor& piece)>& forward);

/// Trainable and fixed weights of a network.
std::int64_t count_weights(const torch::nn::Module& network);

/// The values of a tensor as a curve keeps them.
std::vector<double> values_of(const at::Tensor& tensor);

/// "accuracy" and "depth" -> "accuracy_depth"; "" leaves the name alone.
std::string of_part(const std::string& name, const std::string& part);

/// Where a network's weights are; the CPU for one without.
at::Device device_of(const torch::nn::Module& network);

}  // namespace reprise::reproduce
