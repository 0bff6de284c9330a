#include "experiments/adversarial_training.h"

namespace reprise::reproduce {

void record_adversarial(const training::AdversarialReport& report, records::Record& record) {
  using records::Direction;
  const auto add = [&](const std::string& name, bool holds, Direction better,
                       const std::string& protocol) {
    record.metrics.push_back(
        {.name = name, .value = holds ? 1.0 : 0.0, .direction = better, .protocol = protocol});
  };
  add("collapsed", report.collapsed_since >= 0, Direction::LowerIsBetter,
      "diversity below 0.05 at the end");
  add("discriminator_won", report.won_since >= 0, Direction::Neither,
      "accuracy above 0.99 at the end");
  add("bfloat16", report.precision == training::Precision::BFloat16, Direction::Neither,
      "passes in bfloat16 rather than float32");
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
}

void record_network(const torch::nn::Module& network, records::Record& record) {
  std::int64_t parameters = 0;
  for (const auto& parameter : network.parameters()) parameters += parameter.numel();
  if (parameters > 0) record.parameters["network"] = parameters;
}

}  // namespace reprise::reproduce
