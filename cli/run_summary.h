// Summary that a run prints at its end.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/run/request.h"

namespace reprise::reproduce {

/// Counts the cells with this outcome.
std::size_t count(const RunResult& result, Outcome outcome);
nlohmann::json to_json(const RunResult& result, const std::string& study,
                       const std::string& profile);
/// Formats a duration by its largest units: "48 s", "5 min 8 s".
std::string duration_text(double seconds);
/// Returns counts, time, results folder, notes, and each failed cell with its error.
std::string summarise(const RunResult& result);
/// Returns failed_while_running if a cell failed or the run was interrupted, else done.
int exit_status(const RunResult& result);

}  // namespace reprise::reproduce
