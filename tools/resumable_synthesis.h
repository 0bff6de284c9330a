// Algorithm 1 of document langevin in a run that can be killed and resumed. A resumed run gives the
// same bytes as an uninterrupted one.
//
// The state is saved every few rounds in OUT.partial.safetensors:
//
// - phi.NAME: state of the representation (models/representations/representation.h).
// - Metadata "rounds_done": number of finished rounds.
// - Metadata "options": all options that affect the result, as JSON.
// - Metadata "identity": SHA-256 of "options".
//
// The file is replaced atomically. The caller removes it after writing the output.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "models/diffusion/synthesis.h"

namespace reprise::reproduce {

struct Generation {
  models::SynthesisOptions synthesis = {};
  models::Conditions conditions = {};
  /// Flat object of all options that affect the result.
  nlohmann::json options = nlohmann::json::object();
  std::filesystem::path out;
  std::int64_t rounds_between_saves = 4;
};

/// Returns the name of the state file of an output.
std::filesystem::path partial_file(const std::filesystem::path& out);

/// Restores phi from the state file. Returns the number of finished rounds, 0 without such a file.
/// Throws a UsageError if the file is damaged or belongs to a run with other options.
std::int64_t resume(models::Representation& phi, const Generation& generation);

/// Runs the rounds from `first` to the last one. Calls `after` as models::synthesise() does. Throws
/// as models::synthesise() does, if the state is not finite, and if it cannot be written.
void generate(models::Representation& phi, models::Denoiser& D, models::Denoiser& D_aux,
              const Generation& generation, std::int64_t first,
              const std::function<void(const models::SynthesisRound&)>& after);

}  // namespace reprise::reproduce
