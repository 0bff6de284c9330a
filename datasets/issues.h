// Issues of a data set: everything that a verify function finds, not only the first.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace reprise::datasets {

/// One defect of a data set.
struct Issue {
  std::string where;  ///< item, file or line
  std::string what;   ///< observation, with the expected state
  std::string fix;    ///< what the user can do
  /// Returns "WHERE: WHAT" without repeating the place, since most errors name their file
  /// themselves.
  std::string text() const { return what.starts_with(where) ? what : where + ": " + what; }
};

/// Throws if there are issues. UsageError: counts all issues and names the first five, with the
/// first one's fix.
void require_no_issues(const std::vector<Issue>& issues, const std::string& dataset);

/// Calls work(worker, i) for every i below `count`, on all threads of torch, with worker <
/// count_workers() (core/parallel.h). An exception becomes the issue of the item name(i). Returns
/// issues in the order of the items.
std::vector<Issue> collect_item_issues(
    std::int64_t count, const std::function<std::string(std::int64_t i)>& name,
    const std::function<void(std::int64_t worker, std::int64_t i)>& work);

/// Returns the issues that `check` collects. An exception of `check` becomes an issue of the
/// folder, with its own fix, or `fix` if it has none.
std::vector<Issue> collect_issues(const std::function<void(std::vector<Issue>& issues)>& check,
                                  const std::filesystem::path& folder, const std::string& fix);

}  // namespace reprise::datasets
