// What a prior says of what was made by it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/diffusion/prior.h"
#include "models/diffusion/synthesis.h"

namespace reprise::reproduce {

/// What the prior itself says of a result, as it looks at items of it: all that is known here, for
/// no judge comes with a prior.
struct Looks {
  /// Deviation from the mean item, over that of the data; towards 0 where nothing is shown.
  double contrast = 1;
  /// Share of items that D denoises better told their label than told another (of texts: than told
  /// none).
  std::optional<double> heard = {};
};
/// Of at least sixteen views that the seed draws.
Looks looks_of(models::Representation& phi, const models::Prior& prior,
               const models::Conditions& conditions, std::uint64_t seed);

/// What a user should look at before using the file `out`, which was asked to show the labels.
std::vector<std::string> warnings_of(const Looks& looks, const std::filesystem::path& out,
                                     const std::vector<std::string>& labels);

}  // namespace reprise::reproduce
