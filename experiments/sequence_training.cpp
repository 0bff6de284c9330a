#include "experiments/sequence_training.h"

#include <torch/torch.h>

#include <algorithm>

#include "experiments/replicates.h"

namespace reprise::reproduce {
namespace {

using records::Direction;

/// Those of `all` that learn, without `some`.
std::vector<torch::Tensor> without(const std::vector<torch::Tensor>& all, const std::vector<torch::Tensor>& some) {
  std::vector<torch::Tensor> rest;
  for (const auto& p : all)
    if (p.requires_grad() && std::none_of(some.begin(), some.end(), [&](const torch::Tensor& q) { return q.is_same(p); }))
      rest.push_back(p);
  return rest;
}

}  // namespace

training::FitReport train_sequence(training::SequenceNetwork& network, const SequenceTask& sequence, double learning_rate,
                                   CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  const auto count = sequence.films.front().x.size(0);
  training::Task task;
  task.batches_per_epoch = std::max<std::int64_t>(1, count / sequence.batch);
  const auto seed = seed_of({cell.study, "order", cell.dataset, std::to_string(cell.seed)});
  std::int64_t ordered_epoch = -1;
  at::Tensor order;
  task.batch = [&, seed](std::int64_t epoch, std::int64_t index, Random&) -> training::Batch {
    if (epoch != ordered_epoch) {
      order = torch::tensor(Random(seed).split("epoch", epoch).permutation(count));
      ordered_epoch = epoch;
    }
    const auto rows = order.narrow(0, index * sequence.batch, std::min(sequence.batch, count));
    const auto device = device_of(network);
    const auto& film = sequence.films[static_cast<std::size_t>(epoch) % sequence.films.size()];
    return {film.x.index_select(0, rows).to(device, at::kFloat), film.y.index_select(0, rows).to(device)};
  };
  task.forward = [&](const torch::Tensor& x) { return network.forward(x); };
  task.loss = sequence.loss;
  task.validate = sequence.validate;
  auto options =
      fit_options(settings, sequence.settings, settings.integer((sequence.trial ? sequence.search : sequence.settings) + ".epochs"), seed);
  options.judge_start = sequence.judge_start;
  const auto fresh = network.fresh();
  const auto pretrained = without(network.parameters(), fresh);
  std::vector<training::ParameterGroup> groups;
  if (!pretrained.empty()) groups.push_back({pretrained, learning_rate * settings.number(sequence.settings + ".pretrained_rate")});
  if (!fresh.empty()) groups.push_back({fresh, learning_rate});
  return training::fit(network, groups, task, options, context.progress);
}

void note_training(const training::FitReport& report, double learning_rate, const std::string& part, const std::string& protocol,
                   records::Record& record, records::Curves& curves) {
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] += seconds;
  record.metrics.push_back({of_part("validation_error", part), training::best_error(report), "", Direction::LowerIsBetter, protocol});
  record.metrics.push_back({of_part("learning_rate", part), learning_rate, "", Direction::Neither, ""});
  record.metrics.push_back({of_part("best_epoch", part), static_cast<double>(report.best_epoch + 1), "", Direction::Neither, ""});
  if (report.precision == training::Precision::BFloat16)
    record.metrics.push_back({of_part("bfloat16", part), 1, "", Direction::Neither, "passes in bfloat16 rather than float32"});
  auto errors = report.start_error;
  errors.insert(errors.end(), report.validation_error.begin(), report.validation_error.end());
  if (!report.start_error.empty()) {
    auto& epoch = curves[of_part("epoch", part)];
    for (std::size_t e = 0; e < errors.size(); ++e) epoch.push_back(static_cast<double>(e));
  }
  curves[of_part("validation_error", part)] = errors;
  curves[of_part("train_loss", part)] = report.train_loss;
}

void note_input(const at::Tensor& x, const std::string& part, records::Record& record) {
  record.metrics.push_back(
      {of_part("input_deviation", part), x.to(at::kDouble).std().item<double>(), "", Direction::Neither, "test items"});
}

std::string of_part(const std::string& name, const std::string& part) { return part.empty() ? name : name + "_" + part; }

at::Device device_of(const torch::nn::Module& network) {
  const auto parameters = network.parameters();
  return parameters.empty() ? at::Device(at::kCPU) : parameters.front().device();
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const auto flat = tensor.to(at::kDouble).contiguous().view(-1);
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace reprise::reproduce
