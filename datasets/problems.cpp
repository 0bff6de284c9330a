#include "datasets/problems.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"

namespace reprise::datasets {

void require_none(const std::vector<Problem>& problems, const std::string& dataset) {
  if (problems.empty()) return;
  std::string text = fmt::format("{}: {} {} wrong", dataset, problems.size(),
                                 problems.size() == 1 ? "thing is" : "things are");
  for (std::size_t i = 0; i < std::min<std::size_t>(problems.size(), 5); ++i)
    text += "\n    " + problems[i].text();
  if (problems.size() > 5) text += fmt::format("\n    and {} more", problems.size() - 5);
  throw UsageError(text, problems.front().fix +
                             (problems.size() > 5 ? "; `reprise data verify` lists all" : ""));
}

std::vector<Problem> problems_of_items(
    std::int64_t count, const std::function<std::string(std::int64_t)>& name,
    const std::function<void(std::int64_t, std::int64_t)>& work) {
  std::vector<std::optional<Problem>> found(static_cast<std::size_t>(count));
  parallel_items(count, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    try {
      work(worker, i);
    } catch (const Error& error) {
      found[static_cast<std::size_t>(i)] = Problem{name(i), error.problem(), error.fix()};
    } catch (const std::exception& error) {
      found[static_cast<std::size_t>(i)] =
          Problem{name(i), error.what(), "fetch the file again, or remove the item"};
    }
  });
  std::vector<Problem> problems;
  for (auto& problem : found)
    if (problem) problems.push_back(std::move(*problem));
  return problems;
}

std::vector<Problem> collected_problems(
    const std::function<void(std::vector<Problem>& problems)>& check,
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
