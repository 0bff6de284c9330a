// What is wrong with a data set: what its verify function finds, whatever stops it.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace reprise::datasets {

/// One thing that is wrong with a set: where it is (item, file, line), what was found and expected, and what to do.
struct Problem {
  std::string where, what, fix;
};

/// Nothing when there is no problem. UsageError: counts all problems and names the first five, with the first one's fix.
void require_none(const std::vector<Problem>& problems, const std::string& dataset);

/// The problems that `check` collects, and the error that ends it, which is then the folder's: with its own fix, or `fix` where it has
/// none.
std::vector<Problem> collected_problems(const std::function<void(std::vector<Problem>& problems)>& check,
                                        const std::filesystem::path& folder, const std::string& fix);

}  // namespace reprise::datasets
