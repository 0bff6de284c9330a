#include "datasets/issues.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"

namespace reprise::datasets {

void require_no_issues(const std::vector<Issue>& issues, const std::string& dataset) {
  if (issues.empty()) return;
  std::string text = fmt::format("{}: {} {} wrong", dataset, issues.size(),
                                 issues.size() == 1 ? "thing is" : "things are");
  // Five issues show the kind of trouble without filling the screen.
  for (std::size_t i = 0; i < std::min<std::size_t>(issues.size(), 5); ++i)
    text += "\n    " + issues[i].text();
  if (issues.size() > 5) text += fmt::format("\n    and {} more", issues.size() - 5);
  throw UsageError(
      text, issues.front().fix + (issues.size() > 5 ? "; `reprise data verify` lists all" : ""));
}

std::vector<Issue> collect_item_issues(
    std::int64_t count, const std::function<std::string(std::int64_t)>& name,
    const std::function<void(std::int64_t, std::int64_t)>& work) {
  // One slot per item keeps the order of items, however the threads run.
  std::vector<std::optional<Issue>> found(static_cast<std::size_t>(count));
  parallel_items(count, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    try {
      work(worker, i);
    } catch (const Error& error) {
      found[static_cast<std::size_t>(i)] =
          Issue{.where = name(i), .what = error.problem(), .fix = error.fix()};
    } catch (const std::exception& error) {
      found[static_cast<std::size_t>(i)] = Issue{.where = name(i),
                                                 .what = error.what(),
                                                 .fix = "fetch the file again, or remove the item"};
    }
  });
  std::vector<Issue> issues;
  for (auto& problem : found)
    if (problem) issues.push_back(std::move(*problem));
  return issues;
}

std::vector<Issue> collect_issues(const std::function<void(std::vector<Issue>& issues)>& check,
                                  const std::filesystem::path& folder, const std::string& fix) {
  std::vector<Issue> issues;
  try {
    check(issues);
  } catch (const Error& error) {
    issues.push_back({.where = folder.string(), .what = error.problem(), .fix = error.fix()});
  } catch (const std::exception& error) {
    issues.push_back({.where = folder.string(), .what = error.what(), .fix = fix});
  }
  return issues;
}

}  // namespace reprise::datasets
