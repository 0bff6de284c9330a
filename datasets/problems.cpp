#include "datasets/problems.h"

#include "core/error.h"

namespace reprise::datasets {

std::vector<Problem> collected_problems(const std::function<void(std::vector<Problem>& problems)>& check,
                                        const std::filesystem::path& folder, const std::string& fix) {
  std::vector<Problem> problems;
  try {
    check(problems);
  } catch (const Error& error) {
    problems.push_back({folder.string(), error.problem(), error.fix()});
  } catch (const std::exception& error) {
    problems.push_back({folder.string(), error.what(), fix});
  }
  return problems;
}

}  // namespace reprise::datasets
