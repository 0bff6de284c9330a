#include "reproduce/sequence_training.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "reproduce/replicates.h"

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

double knob(const Knobs& knobs, const std::string& name) {
  for (const auto& [known, value] : knobs)
    if (known == name) return value;
  throw UsageError("a search without " + name, "give its values");
}

std::vector<Knobs> rates_alone(const std::vector<double>& rates) {
  std::vector<Knobs> points;
  for (const auto rate : rates) points.push_back({{"lr", rate}});
  return points;
}

std::string trial_name(const Trial& trial) {
  auto name = trial.method;
  for (const auto& [knob, value] : trial.knobs) name += fmt::format("+{}={}", knob, number_text(value));
  return name;
}

Trial trial_of(const std::string& name) {
  auto at = name.find('+');
  Trial trial{.method = name.substr(0, at)};
  while (at != std::string::npos) {
    const auto next = name.find('+', at + 1);
    const auto part = name.substr(at + 1, next == std::string::npos ? next : next - at - 1);
    const auto equals = std::min(part.find('='), part.size());
    double value = 0;
    const auto* end = part.data() + part.size();
    const auto read = equals == part.size() ? std::from_chars_result{} : std::from_chars(part.data() + equals + 1, end, value);
    if (read.ec != std::errc{} || read.ptr != end)
      throw Error(name + ": '" + part + "' is not KNOB=NUMBER", "name a trial as METHOD+lr=0.001");
    trial.knobs.emplace_back(part.substr(0, equals), value);
    at = next;
  }
  return trial;
}

Knobs best_knobs(const CellContext& context, const Search& search, const std::string& method, const std::string& metric) {
  if (search.points.size() == 1) return search.points.front();
  const Knobs* best = nullptr;
  double least = INFINITY;
  for (const auto& knobs : search.points) {
    double sum = 0;
    for (std::int64_t seed = 0; seed < search.seeds; ++seed) {
      auto cell = context.record.cell;
      cell.table = search.table;
      if (!search.dataset.empty()) cell.dataset = search.dataset;
      cell.method = trial_name({method, knobs});
      cell.seed = seed;
      const auto record = context.store.find(cell);
      const auto error = record ? record->metric(metric) : std::nullopt;
      if (!error && !(record && record->metric(diverged_metric)))
        throw Error(fmt::format("the search trial {} has no {}", cell.id(), metric),
                    "run it: ./reprise run " + cell.study + " --only '" + cell.id() + "'");
      sum += error.value_or(INFINITY);
    }
    if (sum < least) {
      least = sum;
      best = &knobs;
    }
  }
  if (!best)
    throw Error(fmt::format("no learning rate of {} in {} was low enough: training diverged with each", method, search.table),
                "add lower rates to the search");
  return *best;
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
