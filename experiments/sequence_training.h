// How every sequence estimator of a study is trained, whatever its task: same optimiser, same order of clips, the epoch and the learning
// rate chosen on validation.
#pragma once
#include <functional>
#include <string>

#include "experiments/study.h"
#include "training/fit.h"
#include "training/sequence_network.h"

namespace reprise::reproduce {

/// x: [N, T, ...] features of clips, of any floating type; y: what a loss takes with the network's output.
struct TrainingClips {
  torch::Tensor x, y;
};

struct SequenceTask {
  std::vector<TrainingClips> films;  ///< of N clips each: epoch e learns from film e % films.size()
  std::function<torch::Tensor(const torch::Tensor& prediction, const torch::Tensor& y)> loss;
  std::function<double()> validate;  ///< lower is better
  std::string settings;              ///< section of fit_options(), which also has pretrained_rate: "sequence"
  std::string search;                ///< section with the trials' learning_rates and epochs: "search"
  bool trial = false;                ///< a trial has the search's number of epochs
  std::int64_t batch = 1;            ///< clips a step
  bool judge_start = false;          ///< training/fit.h
};

/// The order of the clips belongs to the seed and the data set, so all methods of a seed see the same.
training::FitReport train_sequence(training::SequenceNetwork& network, const SequenceTask& task, double learning_rate,
                                   CellContext& context);

/// validation_error, learning_rate, best_epoch (0: the first weights) and the curves validation_error, train_loss, each with `part` ("",
/// "depth") in its name. Where the start was judged the curve of validation errors begins with it, and the curve "epoch" says so.
void note_training(const training::FitReport& report, double learning_rate, const std::string& part, const std::string& protocol,
                   records::Record& record, records::Curves& curves);

/// input_deviation: the standard deviation of what a method is given on test items. No seed changes it where seeds share their data, so
/// that `check` sees another scale of the inputs, however little it costs in accuracy.
void note_input(const at::Tensor& x, const std::string& part, records::Record& record);

/// The values of a tensor as a curve keeps them.
std::vector<double> values_of(const at::Tensor& tensor);

/// "accuracy" and "depth" -> "accuracy_depth"; "" leaves the name alone.
std::string of_part(const std::string& name, const std::string& part);

/// Where a network's weights are; the CPU for one without.
at::Device device_of(const torch::nn::Module& network);

}  // namespace reprise::reproduce
