// Which finished cells of a plan are up to date, and why the others run again.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/run/plan.h"
#include "experiments/run/request.h"
#include "experiments/search.h"

namespace reprise::reproduce {

/// Code and data of this run, with which finished records are compared.
struct CodeAndData {
  const Study& study;
  const DataFolder data;
};

/// State of the cells of a plan in the results folder; one entry per cell.
struct Survey {
  std::vector<Standing> standing;
  std::vector<std::optional<std::filesystem::file_time_type>> written;
  std::vector<double> seconds;      ///< of a finished cell
  std::vector<std::string> reason;  ///< why a finished cell runs again; "" for the others
};

/// Reason of a finished cell that is up to date itself, but needs one that runs again.
inline constexpr auto needs_a_change = "in need of a cell that runs again";

/// Whether --redo names the cell.
bool is_redone(const RunRequest& request, const records::Cell& cell);

/// Returns the search of a cell if it may get more trials than the settings list. Null: there is no
/// such search, or it cannot choose.
const SearchResult* widened_search(const PlannedCell& planned, const SearchResults& searches);

/// Follows the searches of a plan through the trials that are up to date, and adds the trials that
/// they need to the plan.
SearchResults follow_searches(std::vector<PlannedCell>& plan, const RunRequest& request,
                              const records::Store& store, const CodeAndData& present);

/// Surveys the cells in `part`, a flag per cell; the others count as missing.
Survey survey(const std::vector<PlannedCell>& plan, const std::vector<bool>& part,
              const RunRequest& request, const records::Store& store, const CodeAndData& present,
              const SearchResults& searches);

/// Sentence for the user: how many finished cells run again (or stay, with --keep), and why.
std::string note_of_change(const std::string& reason, std::size_t cells, bool keep);

}  // namespace reprise::reproduce
