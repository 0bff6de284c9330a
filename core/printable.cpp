#include "core/printable.h"

#include <fmt/format.h>

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

}  // namespace reprise
