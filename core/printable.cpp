#include "core/printable.h"

#include <fmt/format.h>

#include <algorithm>

namespace reprise {

std::string printable(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (c >= ' ' && c <= '~')
      line += c;
    else
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return line;
}

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 127; });
}

}  // namespace reprise
