// Text from a file, made fit for a terminal, which would obey escape sequences in it.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// One line of printable ASCII; any other byte as \x1b.
std::string printable(std::string_view text);

/// Whether a byte of it is a control character: a line feed, the beginning of an escape sequence, ...
bool has_control_character(std::string_view text);

}  // namespace reprise
