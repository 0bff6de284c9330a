#include "reproduce/names.h"

#include <algorithm>

#include "core/text.h"

namespace reprise::reproduce {

UsageError unknown(const std::string& kind, const std::string& name, std::vector<std::string> known) {
  const std::string problem = "unknown " + kind + " '" + name + "'";
  if (known.empty()) return {problem, "there is none to choose from here"};
  const std::string near = nearest(name, known);
  std::string fix;
  if (!near.empty()) {
    fix = "did you mean '" + near + "'? ";
    const auto place = std::find(known.begin(), known.end(), near);
    std::rotate(known.begin(), place, place + 1);
  }
  return {problem, fix + "Known: " + join(known, ", ")};
}

}  // namespace reprise::reproduce
