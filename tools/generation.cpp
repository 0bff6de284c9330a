#include "tools/generation.h"

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

/// "rounds was 16 and is 20": what differs between a run and the one that left a state.
std::string differences(const json& before, const json& now) {
  std::vector<std::string> all;
  for (const auto& [name, value] : now.items())
    if (!before.contains(name) || before.at(name) != value)
      all.push_back(fmt::format("{} was {} and is {}", name,
                                before.contains(name) ? json_text(before.at(name)) : "not there",
                                json_text(value)));
  return join(all, "; ");
}

struct Stored {
  weights::Safetensors file;
  std::int64_t rounds_done = 0;
};

Stored read_partial(const fs::path& path, const json& options, std::int64_t rounds) {
  const auto damaged = [&](const std::string& what) {
    return UsageError(
        fmt::format("{} is not a whole state of a generation: {}", path.string(), what),
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
  } catch (const std::exception&) {  // a key that is not there, or no JSON or number
    throw damaged("it lacks the options or the rounds of a run");
  }
  if (identity != sha256(json_text(options)))
    throw UsageError(fmt::format("{} is of a run with other options: {}", path.string(),
                                 differences(before, options)),
                     "give that run's options again to go on with it, " + std::string(start_over));
  if (stored.rounds_done < 1 || stored.rounds_done > rounds)
    throw damaged(fmt::format("{} rounds done of {}", stored.rounds_done, rounds));
  return stored;
}

void store(const models::Representation& phi, const Generation& generation,
           std::int64_t rounds_done) {
  weights::StateDict state;
  for (const auto& [name, tensor] : phi.state()) {
    if (tensor.is_floating_point() && !at::isfinite(tensor).all().item<bool>())
      throw Error(
          fmt::format("after round {} {} of what is generated is not finite", rounds_done, name),
          "lower --guidance, --first or the step of --churn");
    state.emplace_back(prefix + name, tensor.detach().cpu());
  }
  const auto options = json_text(generation.options);
  note_own(partial_file(generation.out));
  weights::write_safetensors(partial_file(generation.out), state,
                             {{"identity", sha256(options)},
                              {"options", options},
                              {"rounds_done", std::to_string(rounds_done)}});
}

}  // namespace

fs::path partial_file(const fs::path& out) { return out.string() + ".partial.safetensors"; }

std::int64_t resumed(models::Representation& phi, const Generation& generation) {
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
        after(round);
        const auto rounds_done = round.number + 1;
        if (rounds_done % generation.rounds_a_store == 0 || rounds_done == rounds)
          store(phi, generation, rounds_done);
      },
      first);
}

}  // namespace reprise::reproduce
