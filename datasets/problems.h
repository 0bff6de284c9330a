// What is wrong with a data set: what its verify function finds, whatever stops it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace reprise::datasets {

/// One thing that is wrong with a set: where it is (item, file, line), what was found and expected,
/// and what to do.
struct Problem {
  std::string where, what, fix;
  /// "WHERE: WHAT", in which the place stands once: most errors name their file themselves.
  std::string text() const { return what.starts_with(where) ? what : where + ": " + what; }
};

/// Nothing when there is no problem. UsageError: counts all problems and names the first five, with
/// the first one's fix.
void require_none(const std::vector<Problem>& problems, const std::string& dataset);

/// Calls work(worker, i) for every i below `count`, on as many threads as torch has; worker <
/// workers() (core/parallel.h). What an item's work throws becomes its problem, at name(i).
/// Returned in the order of the items.
std::vector<Problem> problems_of_items(
    std::int64_t count, const std::function<std::string(std::int64_t i)>& name,
    const std::function<void(std::int64_t worker, std::int64_t i)>& work);

/// The problems that `check` collects, and the error that ends it, which is then the folder's: with
/// its own fix, or `fix` where it has none.
std::vector<Problem> collected_problems(
    const std::function<void(std::vector<Problem>& problems)>& check,
    const std::filesystem::path& folder, const std::string& fix);

}  // namespace reprise::datasets
