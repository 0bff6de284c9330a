#include "cli/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/cli.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

std::string outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Skipped:
      return "skipped";
    case Outcome::Done:
      return "done";
    case Outcome::Failed:
      return "failed";
    case Outcome::Planned:
      return "planned";
  }
  return "";
}

}  // namespace

std::size_t count(const RunResult& result, Outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(),
                    [&](const CellResult& cell) { return cell.outcome == outcome; }));
}

json to_json(const RunResult& result, const std::string& study, const std::string& profile) {
  json cells = json::array();
  for (const auto& cell : result.cells)
    cells.push_back({{"id", cell.cell.id()},
                     {"outcome", outcome_text(cell.outcome)},
                     {"error", cell.error},
                     {"seconds", cell.seconds}});
  return {{"study", study},
          {"profile", profile},
          {"results", result.results.string()},
          {"cells", cells},
          {"done", count(result, Outcome::Done)},
          {"skipped", count(result, Outcome::Skipped)},
          {"failed", count(result, Outcome::Failed)},
          {"planned", count(result, Outcome::Planned)},
          {"notes", result.notes},
          {"interrupted", result.interrupted},
          {"seconds", result.seconds}};
}

std::string duration_text(double seconds) {
  // Rounded first, so that 59.7 s reads "1 min 0 s" and not "60 s".
  const auto whole = static_cast<long long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

std::string summarise(const RunResult& result) {
  std::string text = fmt::format("{} cells: {} run, {} done before, {} failed", result.cells.size(),
                                 count(result, Outcome::Done), count(result, Outcome::Skipped),
                                 count(result, Outcome::Failed));
  if (const auto left = count(result, Outcome::Planned)) text += fmt::format(", {} left", left);
  text +=
      fmt::format("; {}\nrecords: {}\n", duration_text(result.seconds), result.results.string());
  for (const auto& note : result.notes) text += "note: " + note + "\n";
  // Failures last, where a terminal shows them.
  for (const auto& cell : result.cells)
    if (cell.outcome == Outcome::Failed)
      text += fmt::format("failed: {}: {}\n", cell.cell.id(), cell.error);
  return text;
}

int exit_status(const RunResult& result) {
  return result.interrupted || count(result, Outcome::Failed) > 0 ? failed_while_running : done;
}

}  // namespace reprise::reproduce
