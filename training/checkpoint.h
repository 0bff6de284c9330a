// Checkpoints of training runs, each one safetensors file. Tensors of a supervised run
// (training/fit.h):
//
//   - network.NAME: current weights and buffers.
//   - best.NAME: weights and buffers of the epoch with the lowest validation error.
//   - ema.INDEX: moving average, if any.
//   - optimizer.NAME: tensors of the optimiser (training/adam.h).
//   - generator: state of torch's default generator.
//
// The metadata contain the identity of the run and its report so far (core/exact_json.h).
// An adversarial run (training/adversarial.h) stores G.NAME, D.NAME, ema.INDEX, optimizer.G.NAME,
// optimizer.D.NAME, noise and the generator.
//
// Writes are atomic: a killed run leaves the file of its last epoch. The file remains after the
// run, so that a second call returns the result at once. The owner of the folder removes it.
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
  /// SHA-256 over the options, the groups and all first weights (weights_text()).
  std::string identity;
  weights::StateDict tensors;
  nlohmann::json report;
};

/// Text of weights for an identity: one line each, with name, type, shape and SHA-256.
std::string weights_text(const weights::StateDict& state);

/// Throws a UsageError: the file at `path` is damaged, `what` says how; its fix is to remove it.
[[noreturn]] void refuse_checkpoint(const std::filesystem::path& path, const std::string& what);

/// Writes the file atomically. Error: it cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads the checkpoint. Empty if there is no file, or if it has another identity (options or first
/// weights); the run then starts over and replaces it.
/// UsageError: a damaged file, or no checkpoint; the fix is to remove it.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path,
                                          const std::string& identity);

/// Copies the tensors PREFIX + name of `from` into the tensors of `into`.
/// UsageError: a tensor is missing or has another shape (names it).
void restore(const weights::StateDict& from, std::string_view prefix,
             const weights::StateDict& into, const std::filesystem::path& path);

/// Sends the report and tensors that rank 0 has read from its checkpoint to the other ranks, which
/// may not see the file. Returns false if rank 0 has found no checkpoint. The random streams of the
/// other ranks start again.
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
