#include "core/replace.h"

namespace reprise {

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

std::string replace_matches(const std::string& text, const std::regex& pattern,
                            const std::function<std::string(const std::smatch&)>& value_of) {
  std::string out;
  auto rest = text.begin();
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
    out.append(rest, (*at)[0].first) += value_of(*at);
    rest = (*at)[0].second;
  }
  return out.append(rest, text.end());
}

}  // namespace reprise
