#include "core/markdown.h"

#include "core/text.h"

namespace reprise {

std::string escape_markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (const auto entity = markup_entity(c); c == '\n' || c == '\r')
      out += ' ';
    else if (c != '"' && !entity.empty())
      out += entity;
    else {
      if (std::string_view("|*_`[]\\").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace reprise
