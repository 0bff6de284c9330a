// Automatic check of a generated result by the prior that generated it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/diffusion/prior.h"
#include "models/diffusion/synthesis.h"

namespace reprise::reproduce {

/// Measures of a generated result. A prior comes without an independent evaluator, so D itself
/// serves as one.
struct SampleCheck {
  /// RMS difference from the mean item, divided by the data's; near 0 for an empty result.
  double contrast = 1;
  /// Fraction of views with a lower denoising error under their own label than under the others
  /// (text labels: than without a label).
  std::optional<double> label_fraction = {};
};
/// Checks at least 16 views of the result. `seed` draws the views and the noise.
SampleCheck check_sample(models::Representation& phi, const models::Prior& prior,
                         const models::Conditions& conditions, std::uint64_t seed);

/// Lists what the user should look at before using the file `out`, generated with these labels.
std::vector<std::string> list_warnings(const SampleCheck& sample_check,
                                       const std::filesystem::path& out,
                                       const std::vector<std::string>& labels);

}  // namespace reprise::reproduce
