#include "experiments/seeds.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace reprise::reproduce {

Seeds::Seeds(const std::string& text, const std::string& option) : count(0) {
  const auto refuse = [&](const std::string& what) -> UsageError {
    return {option + " " + text + ": " + what,
            "give how many (5), a range (100..104), or a list (7,8,9)"};
  };
  const auto seed = [&](std::string_view part) {
    const auto number = whole_number(part);
    if (!number) throw refuse(fmt::format("'{}' is no whole number", part));
    if (*number < 0 || *number >= most_seeds)
      throw refuse(fmt::format("seeds are 0 to {}", most_seeds - 1));
    return *number;
  };
  std::set<std::int64_t> all;
  // A range, a list, or a number of seeds.
  if (const auto dots = text.find(".."); dots != std::string::npos) {
    const auto first = seed(text.substr(0, dots));
    const auto last = seed(text.substr(dots + 2));
    if (last < first) throw refuse("the range is empty");
    for (auto s = first; s <= last; ++s) all.insert(s);
  } else if (text.find(',') != std::string::npos) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const auto end = std::min(text.find(',', begin), text.size());
      all.insert(seed(std::string_view(text).substr(begin, end - begin)));
      begin = end + 1;
    }
  } else {
    const auto n = whole_number(text);
    if (!n || *n < 1 || *n > most_seeds) throw refuse(fmt::format("expected 1 to {}", most_seeds));
    count = *n;
    return;
  }
  // Cells are planned for seeds 0 to count - 1; `chosen` selects among them.
  count = *all.rbegin() + 1;
  chosen.assign(all.begin(), all.end());
}

std::vector<std::int64_t> confirmation_seeds(const Settings& settings) {
  const auto text = settings.all().value("confirm.seeds", "");
  if (text.empty()) return {};
  auto chosen = Seeds(text, "confirm.seeds").chosen;
  if (chosen.empty())
    throw UsageError("confirm.seeds is \"" + text + "\"",
                     "name the confirmation seeds: a range (\"10..17\") or a list (\"7,8,9\")");
  return chosen;
}

}  // namespace reprise::reproduce
