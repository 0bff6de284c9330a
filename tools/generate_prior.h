// `reprise generate --representation NAME --prior FILE`: Algorithm 1 of document langevin with a
// user's prior.
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
  std::filesystem::path prior;
  std::filesystem::path prior_aux;
  std::filesystem::path from;
  std::filesystem::path known;
  std::filesystem::path out;
  std::optional<std::int64_t> length;
  std::int64_t rounds = 32;
  std::optional<double> first;
  std::optional<double> last;
  std::string churn = "balanced 1";
  std::string inversion = "backprop";
  std::string device = "auto";
  std::optional<double> guidance;
  std::uint64_t seed = 0;
};

/// Adds the options that require --representation and --prior, as a group of the help.
void add_prior_options(CLI::App& command, PriorOptions& options, const std::string& group);

/// Generates and writes the result. Resumes a run that was interrupted.
void generate_from_prior(const Call& call, PriorOptions options);

}  // namespace reprise::reproduce
