#include "reproduce/replicates.h"

#include "core/error.h"

namespace reprise::reproduce {
namespace {

bool shares_data(const Settings& settings) {
  const auto renewed = settings.text("replicates");
  if (renewed != "everything" && renewed != "weights")
    throw UsageError("replicates is \"" + renewed + "\"", "set it to everything or weights: what a seed renews");
  return renewed == "weights";
}

}  // namespace

std::int64_t data_seed(const Settings& settings, std::int64_t seed) { return shares_data(settings) ? 0 : seed; }

std::int64_t data_seeds(const Settings& settings) { return shares_data(settings) ? 1 : settings.integer("seeds"); }

training::FitOptions with_rounding(training::FitOptions options, const Settings& settings) {
  options.rounding = settings.integer("rounding");
  return options;
}

}  // namespace reprise::reproduce
