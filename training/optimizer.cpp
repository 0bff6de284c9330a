#include "training/optimizer.h"

#include <functional>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "training/adam.h"
#include "training/rms_prop.h"

namespace reprise::training {
namespace {

using Maker = std::function<std::unique_ptr<Optimizer>(const std::vector<at::Tensor>& parameters,
                                                       const OptimizerOptions& options)>;

const std::map<std::string, Maker>& optimizers() {
  static const std::map<std::string, Maker> all{
      {"adam",
       [](const auto& parameters, const auto& options) {
         return std::make_unique<Adam>(
             std::vector<ParameterGroup>{{parameters, options.learning_rate}}, options.weight_decay,
             AdamRule{.b1 = options.b1, .b2 = options.b2, .decay = WeightDecay::Coupled});
       }},
      {"rmsprop",
       [](const auto& parameters, const auto& options) {
         return std::make_unique<RmsProp>(parameters, options.learning_rate);
       }},
  };
  return all;
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : optimizers()) names.push_back(name);
  return names;
}

std::unique_ptr<Optimizer> make_optimizer(const std::vector<at::Tensor>& parameters,
                                          const OptimizerOptions& options) {
  const auto found = optimizers().find(options.name);
  if (found == optimizers().end())
    throw UsageError("unknown optimizer '" + options.name + "'",
                     "one of: " + join(optimizer_names(), ", "));
  return found->second(parameters, options);
}

}  // namespace reprise::training
