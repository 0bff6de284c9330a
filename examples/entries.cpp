#include "examples/entries.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <numeric>

#include "examples/balanced_accuracy.h"
#include "examples/gratings.h"

namespace reprise::reproduce {
namespace {

nlohmann::json balanced_accuracy(const MetricCase& given) {
  // Labels start at 0, so the largest one determines the number of classes.
  const auto classes =
      std::max(given.predicted.max().item<std::int64_t>(), given.truth.max().item<std::int64_t>()) +
      1;
  return {{"balanced_accuracy", metrics::balanced_accuracy(given.predicted, given.truth, classes)},
          {"n", given.truth.numel()},
          {"protocol", metrics::balanced_accuracy_protocol}};
}

datasets::LabelledClips make_gratings(const MakeOptions& options) {
  std::vector<std::int64_t> people(static_cast<std::size_t>(options.people));
  std::iota(people.begin(), people.end(), 0);
  return datasets::generate_gratings(options.count, options.frames, static_cast<int>(options.size),
                                     options.who.value_or(people), options.seed);
}

}  // namespace

NamedMetric balanced_accuracy_entry() {
  return {.name = "balanced_accuracy",
          .description = "mean over the classes of the fraction of right labels",
          .input = MetricInput::Labels,
          .better = records::Direction::HigherIsBetter,
          .value = balanced_accuracy};
}

NamedDataset gratings_entry() {
  return {.name = "gratings",
          .description = "generated: stripes that drift right, down, left or up",
          .make_clips = make_gratings};
}

}  // namespace reprise::reproduce
