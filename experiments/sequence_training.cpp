#include "experiments/sequence_training.h"

#include <torch/torch.h>

#include <algorithm>

#include "experiments/resampling.h"

namespace reprise::reproduce {
namespace {

using records::Direction;

/// Returns the trainable tensors of `all` that are not in `some`.
std::vector<torch::Tensor> without(const std::vector<torch::Tensor>& all,
                                   const std::vector<torch::Tensor>& some) {
  std::vector<torch::Tensor> rest;
  for (const auto& p : all)
    if (p.requires_grad() && std::none_of(some.begin(), some.end(),
                                          [&](const torch::Tensor& q) { return q.is_same(p); }))
      rest.push_back(p);
  return rest;
}

}  // namespace

void plan_trials(const Search& search, const NeedsOfSeed& needs, std::vector<PlannedCell>& cells) {
  for (const auto& trial : trial_cells(search))
    cells.push_back({.cell = trial, .needs = needs(trial.seed)});
}

void plan_seeds(records::Cell cell, const std::optional<Search>& search, const NeedsOfSeed& needs,
                const Settings& settings, std::vector<PlannedCell>& cells) {
  for (cell.seed = 0; cell.seed < settings.integer("seeds"); ++cell.seed) {
    cells.push_back({.cell = cell, .needs = needs(cell.seed)});
    if (search) add_search(cells.back(), *search);
  }
}

training::FitReport train_sequence(training::SequenceNetwork& network, const SequenceTask& sequence,
                                   double learning_rate, CellContext& context) {
  const auto& settings = context.settings;
  const auto& cell = context.record.cell;
  // All sets have the same number of clips.
  const auto count = sequence.clip_sets.front().x.size(0);
  training::Task task;
  task.batches_per_epoch = std::max<std::int64_t>(1, count / sequence.batch);
  // The order does not depend on the method, so that all methods of a seed see the same batches.
  const auto seed = seed_of({cell.study, "order", cell.dataset, std::to_string(cell.seed)});
  BatchOrder order(seed, count);
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random&) -> training::Batch {
    const auto rows = order.batch(epoch, index, sequence.batch);
    const auto device = device_of(network);
    const auto& set =
        // Each epoch uses the next set of clips, in turn.
        sequence.clip_sets[static_cast<std::size_t>(epoch) % sequence.clip_sets.size()];
    return {set.x.index_select(0, rows).to(device, at::kFloat),
            set.y.index_select(0, rows).to(device)};
  };
  task.forward = [&](const torch::Tensor& x) { return network.forward(x); };
  task.loss = sequence.loss;
  task.validate = sequence.validate;
  auto options = fit_options(
      settings, sequence.settings,
      settings.integer((sequence.trial ? sequence.search : sequence.settings) + ".epochs"), seed);
  options.validate_start = sequence.validate_start;
  const auto fresh = network.untrained_parameters();
  const auto pretrained = without(network.parameters(), fresh);
  std::vector<training::ParameterGroup> groups;
  if (!pretrained.empty())
    // Pretrained layers have their own rate, a factor of that of untrained layers.
    groups.push_back(
        {pretrained, learning_rate * settings.number(sequence.settings + ".pretrained_rate")});
  if (!fresh.empty()) groups.push_back({fresh, learning_rate});
  return training::fit(network, groups, task, options, context.progress);
}

void record_training(const training::FitReport& report, double learning_rate,
                     const std::string& part, const std::string& protocol, records::Record& record,
                     records::Curves& curves) {
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] += seconds;
  record.metrics.push_back({.name = name_with_part("validation_error", part),
                            .value = training::best_error(report),
                            .direction = Direction::LowerIsBetter,
                            .protocol = protocol});
  record.metrics.push_back({.name = name_with_part("learning_rate", part), .value = learning_rate});
  // Epochs are counted from 1 in records.
  record.metrics.push_back({.name = name_with_part("best_epoch", part),
                            .value = static_cast<double>(report.best_epoch + 1)});
  if (report.precision == training::Precision::BFloat16)
    record.metrics.push_back({.name = name_with_part("bfloat16", part),
                              .value = 1,
                              .protocol = "passes in bfloat16 rather than float32"});
  // A curve may start before the first epoch (epoch 0).
  auto errors = report.start_error;
  errors.insert(errors.end(), report.validation_error.begin(), report.validation_error.end());
  if (!report.start_error.empty()) {
    auto& epoch = curves[name_with_part("epoch", part)];
    for (std::size_t e = 0; e < errors.size(); ++e) epoch.push_back(static_cast<double>(e));
  }
  curves[name_with_part("validation_error", part)] = errors;
  curves[name_with_part("train_loss", part)] = report.train_loss;
}

void record_input(const at::Tensor& x, const std::string& part, records::Record& record) {
  record.metrics.push_back({.name = name_with_part("input_deviation", part),
                            .value = x.to(at::kDouble).std().item<double>(),
                            .protocol = "test items"});
}

std::string name_with_part(const std::string& name, const std::string& part) {
  return part.empty() ? name : name + "_" + part;
}

at::Device device_of(const torch::nn::Module& network) {
  const auto parameters = network.parameters();
  return parameters.empty() ? at::Device(at::kCPU) : parameters.front().device();
}

at::Tensor BatchOrder::batch(std::int64_t epoch, std::int64_t index, std::int64_t batch) {
  if (epoch != epoch_) {
    // Derived from seed and epoch alone, so that a resumed training sees the same order.
    order_ = torch::tensor(Random(seed_).split("epoch", epoch).permutation(rows_));
    epoch_ = epoch;
  }
  return order_.narrow(0, index * batch, std::min(batch, rows_));
}

at::Tensor run_in_pieces(torch::nn::Module& network, const at::Tensor& items, std::int64_t at_once,
                         const std::function<at::Tensor(const at::Tensor& piece)>& forward) {
  const c10::InferenceMode inference;
  network.eval();
  const auto device = device_of(network);
  std::vector<at::Tensor> outputs;
  // In pieces, because all items at once may not fit into the memory.
  for (const auto& piece : items.split(at_once)) outputs.push_back(forward(piece.to(device)).cpu());
  return at::cat(outputs);
}

std::int64_t count_weights(const torch::nn::Module& network) {
  std::int64_t weights = 0;
  for (const auto& parameter : network.parameters()) weights += parameter.numel();
  return weights;
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const auto flat = tensor.to(at::kDouble).contiguous().view(-1);
  return {flat.data_ptr<double>(), flat.data_ptr<double>() + flat.numel()};
}

}  // namespace reprise::reproduce
