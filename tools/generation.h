// Algorithm 1 of document langevin on a user's files, in a run that may be killed: its state lies
// beside the output and the same command goes on from it, to the same bits as a run that was never
// stopped.
//
//     OUT.partial.safetensors    phi.NAME: what the representation needs to go on (models/representations/representation.h), after every
//                                few rounds
//                                metadata: "rounds_done"; "options", everything that the result depends on, as JSON; "identity", its
//                                SHA-256
// It is written whole and renamed. It stays when the rounds are done: who has written the output
// removes it.
#pragma once
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "models/diffusion/synthesis.h"

namespace reprise::reproduce {

struct Generation {
  models::SynthesisOptions synthesis = {};
  models::Conditions conditions = {};
  nlohmann::json options =
      nlohmann::json::object();  ///< flat; a value for every option that the result depends on
  std::filesystem::path out;
  std::int64_t rounds_a_store = 4;
};

std::filesystem::path partial_file(const std::filesystem::path& out);

/// How many rounds of this generation are done already; 0 without a partial file. phi then is as
/// that run left it. UsageError: the partial file is damaged, or of other options (which, and how
/// to start over).
std::int64_t resumed(models::Representation& phi, const Generation& generation);

/// Rounds `first` to the last. `after`: as models::synthesise(). Errors: as models::synthesise();
/// the partial file cannot be written; a state that is not finite.
void generate(models::Representation& phi, models::Denoiser& D, models::Denoiser& D_aux,
              const Generation& generation, std::int64_t first,
              const std::function<void(const models::SynthesisRound&)>& after);

}  // namespace reprise::reproduce
