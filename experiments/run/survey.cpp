#include "experiments/run/survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/text.h"
#include "experiments/run/execution.h"
#include "records/trial.h"

namespace reprise::reproduce {
namespace {

using records::Status;

/// Prefix of a reason that --keep overrides.
constexpr std::string_view outdated = "outdated, ";

/// Reason of a finished cell whose search chose other hyperparameters after it was widened.
constexpr auto chosen_otherwise = "of other hyperparameters than a wider search chose";

/// Explains why a finished cell is stale; "" if it is up to date.
std::string change_since(const records::Record& record, const PlannedCell& planned,
                         const CodeAndData& present) {
  if (record.options->value("method.sha256", "") != (planned.file ? planned.file->sha256 : ""))
    return "of another file of their method";
  if (const auto& study = present.study; record.version != study.version)
    return fmt::format("{}made by version {} of {} (it is at version {} now)", outdated,
                       record.version, study.name, study.version);
  for (const auto& [name, hash] : record.data)
    if (present.data.hash(name) != hash)
      return fmt::format("{}made of other data ({})", outdated, name);
  return "";
}

/// Reason of a finished cell to run again, and whether --keep overrides it.
struct Reason {
  std::string reason;
  bool kept = false;
};

Reason reason_to_run(const records::Record& record, const PlannedCell& planned,
                     const RunRequest& request, const CodeAndData& present) {
  auto reason = change_since(record, planned, present);
  // An explicit --redo takes precedence over --keep.
  if (is_redone(request, record.cell)) reason = "named by --redo";
  return {reason, request.keep && reason.starts_with(outdated)};
}

}  // namespace

bool is_redone(const RunRequest& request, const records::Cell& cell) {
  return std::ranges::any_of(
      request.redo, [&](const std::string& glob) { return matches_glob(cell.id(), glob); });
}

const SearchResult* widened_search(const PlannedCell& planned, const SearchResults& searches) {
  if (!planned.search || planned.search->widen == 0) return nullptr;
  const auto found = searches.find(planned.search->trials);
  return found == searches.end() ? nullptr : &found->second;
}

SearchResults follow_searches(std::vector<PlannedCell>& plan, const RunRequest& request,
                              const records::Store& store, const CodeAndData& present) {
  return widen_searches(plan, [&](const PlannedCell& planned, const records::Cell& cell) {
    auto record = store.find(cell);
    if (!record || record->status != Status::Done) return std::optional<records::Record>();
    const auto [reason, kept] = reason_to_run(*record, planned, request, present);
    // Only trials that are up to date may choose.
    return reason.empty() || kept ? record : std::nullopt;
  });
}

Survey survey(const std::vector<PlannedCell>& plan, const std::vector<bool>& part,
              const RunRequest& request, const records::Store& store, const CodeAndData& present,
              const SearchResults& searches) {
  Survey found;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    found.written.push_back(part[i] ? record_time(store, plan[i].cell) : std::nullopt);
    if (!part[i]) {
      found.standing.push_back(Standing::Missing);
      found.seconds.push_back(0);
      found.reason.emplace_back();
      continue;
    }
    const auto record = store.find(plan[i].cell);
    const bool finished = record && record->status == Status::Done;
    found.seconds.push_back(finished ? records::total_seconds(*record) : 0);
    auto [reason, kept] = finished ? reason_to_run(*record, plan[i], request, present) : Reason{};
    // A wider search may have another winner, which makes cells of the former one stale.
    if (const auto* result = widened_search(plan[i], searches);
        finished && reason.empty() && result != nullptr)
      if (!made_with(*record, *plan[i].search, *result)) reason = chosen_otherwise;
    // Packed records lack the files of their cells. Of a trial only the measured values are needed.
    const bool emptied = store.is_packed(plan[i].cell) && !records::is_trial(plan[i].cell);
    auto standing = Standing::Done;
    if (!finished)
      standing = Standing::Missing;
    else if (!reason.empty() && !kept)
      standing = Standing::Stale;
    else if (emptied)
      standing = Standing::Emptied;
    found.standing.push_back(standing);
    found.reason.push_back(std::move(reason));
  }
  return found;
}

std::string note_of_change(const std::string& reason, std::size_t cells, bool keep) {
  const auto which =
      std::to_string(cells) + (cells == 1 ? " finished cell is " : " finished cells are ") + reason;
  if (!reason.starts_with(outdated)) return which + ": run again";
  return which +
         (keep ? " and kept because of --keep; the page states which version made which table"
               : ": run again; --keep would keep them");
}

}  // namespace reprise::reproduce
