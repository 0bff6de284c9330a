// How every sequence estimator of a study is trained, whatever its task: same optimiser, same order of clips, the epoch and the learning
// rate chosen on validation.
#pragma once
#include <functional>
#include <string>

#include "reproduce/study.h"
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

/// What a trial tries, by name: "lr", the learning rate, and what else a study searches.
using Knobs = std::vector<std::pair<std::string, double>>;
/// UsageError: no such knob.
double knob(const Knobs& knobs, const std::string& name);
/// The learning rates of a search that has nothing else.
std::vector<Knobs> rates_alone(const std::vector<double>& rates);

/// A cell's method, and the knobs of one of a search: "pre_gru_fc6+lr=0.002". A method's own cell has none.
struct Trial {
  std::string method;
  Knobs knobs = {};
};
std::string trial_name(const Trial& trial);
/// Error: a knob without a number.
Trial trial_of(const std::string& name);

/// Which trials choose: cells of one table, done before the one that asks.
struct Search {
  std::string table;
  std::vector<Knobs> points;  ///< one alone needs no trial
  std::int64_t seeds = 1;     ///< 0, 1, ..., of each point
  std::string dataset = {};   ///< whose trials choose; "": the cell's own data set
};
/// The point with the least mean of `metric` over the seeds of its trials, of equal ones the first. One of which a trial diverged is none.
/// Error: a trial that is missing; no point that did not diverge.
Knobs best_knobs(const CellContext& context, const Search& search, const std::string& method, const std::string& metric);

/// The metric of a trial whose training diverged, in place of all others: 1.
inline constexpr const char* diverged_metric = "diverged";

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
