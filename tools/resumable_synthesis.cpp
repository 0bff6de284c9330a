#include "tools/resumable_synthesis.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "core/json.h"
#include "core/outputs.h"
#include "core/sha256.h"
#include "core/text.h"
#include "training/checkpoint.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr auto prefix = "phi.";
constexpr auto start_over = "or remove it to start over";

/// Lists the options that differ from those of the saved run: "--rounds was 16 and is 20".
std::string list_differences(const json& before, const json& now) {
  std::vector<std::string> all;
  for (const auto& [name, value] : now.items())
    if (!before.contains(name) || before.at(name) != value)
      all.push_back(fmt::format("{} was {} and is {}", name,
                                before.contains(name) ? json_text(before.at(name)) : "not set",
                                json_text(value)));
  return join(all, "; ");
}

struct Stored {
  weights::Safetensors file;
  std::int64_t rounds_done = 0;
};

/// Reads the state file. Throws a UsageError if it is damaged or belongs to other options.
Stored read_partial(const fs::path& path, const json& options, std::int64_t rounds) {
  const auto damaged = [&](const std::string& what) {
    return UsageError(
        fmt::format("{} is not a complete state of a generation: {}", path.string(), what),
        "remove it to start over");
  };
  Stored stored;
  json before;
  std::string identity;
  try {
    stored.file = weights::read_safetensors(path);
    identity = stored.file.metadata.at("identity");
    before = parse_json(stored.file.metadata.at("options"), "its options", "");
    stored.rounds_done = std::stoll(stored.file.metadata.at("rounds_done"));
  } catch (const Error& error) {
    throw damaged(error.problem());
  } catch (const std::exception&) {  // a missing key, or a value that is not a number
    throw damaged("it lacks the options or the number of finished rounds");
  }
  // The hash decides, because "options" is there only to name the differences.
  if (identity != sha256(json_text(options)))
    throw UsageError(fmt::format("{} belongs to a run with other options: {}", path.string(),
                                 list_differences(before, options)),
                     "give the same options to resume that run, " + std::string(start_over));
  // A number out of range would skip all rounds or repeat some.
  if (stored.rounds_done < 1 || stored.rounds_done > rounds)
    throw damaged(fmt::format("{} rounds done of {}", stored.rounds_done, rounds));
  return stored;
}

/// Writes the state file. A state that is not finite throws an Error and keeps the file before.
void save_progress(const models::Representation& phi, const Generation& generation,
                   std::int64_t rounds_done) {
  weights::StateDict state;
  for (const auto& [name, tensor] : phi.state()) {
    if (tensor.is_floating_point() && !at::isfinite(tensor).all().item<bool>())
      throw Error(fmt::format("after round {} the result's {} is not finite", rounds_done, name),
                  "lower --guidance, --first or the step of --churn");
    state.emplace_back(prefix + name, tensor.detach().cpu());
  }
  const auto options = json_text(generation.options);
  // The state is a file of this command, which it may replace without --overwrite.
  note_own(partial_file(generation.out));
  weights::write_safetensors(partial_file(generation.out), state,
                             {{"identity", sha256(options)},
                              {"options", options},
                              {"rounds_done", std::to_string(rounds_done)}});
}

}  // namespace

fs::path partial_file(const fs::path& out) { return out.string() + ".partial.safetensors"; }

std::int64_t resume(models::Representation& phi, const Generation& generation) {
  const auto path = partial_file(generation.out);
  if (!fs::exists(path)) return 0;
  const auto stored = read_partial(path, generation.options, generation.synthesis.rounds);
  training::restore(stored.file.tensors, prefix, phi.state(), path);
  return stored.rounds_done;
}

void generate(models::Representation& phi, models::Denoiser& D, models::Denoiser& D_aux,
              const Generation& generation, std::int64_t first,
              const std::function<void(const models::SynthesisRound&)>& after) {
  const auto rounds = generation.synthesis.rounds;
  models::synthesise(
      phi, D, D_aux, generation.synthesis, generation.conditions,
      [&](const models::SynthesisRound& round) {
        // The caller's constraints belong to the round, so they come before the state is saved.
        after(round);
        const auto rounds_done = round.number + 1;
        if (rounds_done % generation.rounds_between_saves == 0 || rounds_done == rounds)
          save_progress(phi, generation, rounds_done);
      },
      first);
}

}  // namespace reprise::reproduce
