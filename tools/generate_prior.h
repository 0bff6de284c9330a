// `reprise generate --representation NAME --prior FILE`: document langevin's Algorithm 1 on the
// user's files.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/tools.h"

namespace reprise::reproduce {

struct PriorOptions {
  std::string representation;
  std::vector<std::string> labels;
  std::filesystem::path prior, prior_aux, from, known, out;
  std::optional<std::int64_t> length;
  std::int64_t rounds = 32;
  std::optional<double> first, last;
  std::string churn = "balanced 1", inversion = "backprop", device = "auto";
  std::optional<double> guidance;
  std::uint64_t seed = 0;
};

/// Those that a prior alone takes, in a group of their own in the help.
void add_prior_options(CLI::App& verb, PriorOptions& options, const std::string& group);

/// Writes what it generates, or goes on with a run that was stopped.
void generate_from_prior(const Call& call, PriorOptions options);

}  // namespace reprise::reproduce
