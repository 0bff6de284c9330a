#include "experiments/names.h"

#include <algorithm>

#include "core/text.h"

namespace reprise::reproduce {

UsageError unknown(const std::string& kind, const std::string& name,
                   std::vector<std::string> known) {
  const std::string problem = "unknown " + kind + " '" + name + "'";
  if (known.empty()) return {problem, "there is none to choose from here"};
  // Near names come first, the nearest before the others.
  auto rest = known.begin();
  for (std::string near; !(near = find_nearest(name, {rest, known.end()})).empty(); ++rest) {
    const auto place = std::find(rest, known.end(), near);
    std::rotate(rest, place, place + 1);
  }
  if (rest == known.begin()) return {problem, "Known: " + join(known, ", ")};
  // A short list: the nearest names come first.
  constexpr std::size_t shown = 12;
  return {problem, "did you mean '" + known.front() + "'? Known: " + first_few(known, shown)};
}

}  // namespace reprise::reproduce
