#include "reproduce/outside_network.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "training/scripted_network.h"

namespace reprise::reproduce {
namespace {

/// fc6.weight, ..., out.bias: what a script's parameters of these names start from.
weights::StateDict behind_the_trunk(const models::Backbone& network) {
  weights::StateDict layers;
  for (const auto& parameter : network->named_parameters())
    if (!parameter.key().starts_with("trunk.")) layers.emplace_back(parameter.key(), parameter.value().detach());
  return layers;
}

}  // namespace

std::unique_ptr<training::SequenceNetwork> scripted_network(const std::filesystem::path& file, const models::Backbone& trained) {
  auto network = std::make_unique<training::ScriptedNetwork>(file);
  network->start_from(behind_the_trunk(trained));
  return network;
}

bool check_script(const std::filesystem::path& file, const models::Backbone& network, bool call) {
  const auto n = network->stages()[network->index_of("fc6")].options().inputs;
  const auto outputs = network->stages().back().options().outputs;
  training::ScriptedNetwork script(file);
  script.start_from(behind_the_trunk(network));
  if (!call) return script.learns();
  script.check_shapes({2, 3, n}, {2, 3, outputs});
  script.check_shapes({1, 1, n}, {1, 1, outputs});  // without memory
  return script.learns();
}

void leave_out_trials(std::vector<PlannedCell>& cells, const std::function<bool(const records::Cell&)>& is_trial) {
  std::erase_if(cells, [&](const PlannedCell& planned) { return is_trial(planned.cell); });
  for (auto& planned : cells) std::erase_if(planned.needs, is_trial);
}

at::Tensor paired_with_truth(const CellContext& context, const datasets::Predictions& predictions, const datasets::Predictions& truth) {
  const auto& cell = context.record.cell;
  try {
    return datasets::paired(predictions, truth);
  } catch (const UsageError& error) {
    throw UsageError(context.method_file.string() + ": " + error.problem(),
                     fmt::format("{}; the items are those of: reprise data export {}/{} --split test --seed {}", error.fix(), cell.study,
                                 cell.dataset, cell.seed));
  }
}

bool holds_predictions(const CellContext& context) { return context.record.options.value("method.kind", "") == "predictions"; }

}  // namespace reprise::reproduce
