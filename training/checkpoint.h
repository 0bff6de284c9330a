// The state of a training run at the end of an epoch, in one safetensors file. Of a supervised one
// (training/fit.h):
//
//   network.NAME     weights and buffers as they are           best.NAME      those of the epoch with the least validation error
//   ema.INDEX        moving average, when there is one         optimizer.NAME the optimiser's own tensors (training/adam.h)
//   generator        state of torch's default generator        metadata       identity of the run, and its report so far
//                                                              (core/exact_json.h: infinities and NaN are kept)
//
// An adversarial run (training/adversarial.h) keeps G.NAME, D.NAME, ema.INDEX, optimizer.G.NAME,
// optimizer.D.NAME, noise and the generator.
//
// Written whole, synced and renamed: a killed run leaves the last epoch's file. It stays when the
// run is done (a second call then returns the result at once); who owns the folder removes it.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/exact_json.h"
#include "training/data_parallel.h"
#include "weights/state_dict.h"

namespace reprise::training {

struct Checkpoint {
  std::string
      identity;  ///< SHA-256 over the options, the groups, and the names, shapes and first values of all weights
  weights::StateDict tensors;
  nlohmann::json report;
};

/// What an identity says of weights: a line each, with name, type, shape and SHA-256.
std::string weights_text(const weights::StateDict& state);

/// UsageError: the file at `path` is not whole: `what`; says to remove it.
[[noreturn]] void refuse_checkpoint(const std::filesystem::path& path, const std::string& what);

/// Error: the file cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Nothing when there is no file, or when it belongs to a run of another identity (other options,
/// other first weights): that run's state is of no use to this one, which starts over and replaces
/// it. UsageError: the file is damaged, or no checkpoint (says to remove it).
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path,
                                          const std::string& identity);

/// Copies the tensors named PREFIX + name of `from` into those of `into`. UsageError: one is
/// missing or has another shape (named).
void restore(const weights::StateDict& from, std::string_view prefix,
             const weights::StateDict& into, const std::filesystem::path& path);

/// Gives the other ranks what rank 0 has restored (`found`) from its file, which they may not see:
/// the report and these tensors. False where it found none. The streams of random numbers of the
/// other ranks begin again.
template <class Report>
bool broadcast_restored(bool found, Report& report, const std::vector<weights::StateDict>& parts) {
  if (data_parallel::size() == 1) return found;
  const auto text = data_parallel::broadcast(found ? exact_json_text(nlohmann::json(report)) : "");
  if (text.empty()) return false;
  parse_exact_json(text, "rank 0's report", "").get_to(report);
  for (const auto& part : parts)
    for (const auto& [name, tensor] : part) data_parallel::broadcast({tensor});
  return true;
}

}  // namespace reprise::training
