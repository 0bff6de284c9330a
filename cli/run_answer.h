// What a run says at its end.
#pragma once
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/run/request.h"

namespace reprise::reproduce {

std::size_t count(const RunResult& result, Outcome outcome);
nlohmann::json to_json(const RunResult& result, const std::string& study,
                       const std::string& profile);
/// "48 s", "5 min 8 s", "2 h 10 min".
std::string duration_text(double seconds);
/// Counts, time, the folder, notes, and every cell that failed with its reason.
std::string summary(const RunResult& result);
/// The exit status: 0, or that of a run in which a cell failed or that was interrupted.
int status_of(const RunResult& result);

}  // namespace reprise::reproduce
