// Text from a file, made fit for a terminal, which would obey escape sequences in it.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// One line for a terminal: as terminal_text(), with line feeds and tabs escaped too. Of more than
/// 200 bytes the middle is left out, and how many is said.
std::string printable(std::string_view text);

/// Whether a byte of it is a control character: a line feed, the beginning of an escape sequence,
/// ...
bool has_control_character(std::string_view text);

/// Text for a terminal, of any number of lines: UTF-8 stays readable. Bytes that are not UTF-8,
/// control characters but line feed and tab, and characters that reorder or hide others
/// (bidirectional controls, line separators, tags) become \x1b, byte by byte. All that the program
/// prints passes through it (core/say.h, Call::answer).
std::string terminal_text(std::string_view text);

/// The same for JSON text, whose own escapes (\u009b) say the same value.
std::string terminal_json(std::string_view text);

/// The text, or its beginning and end with a note between them of how much is left out, `most`
/// characters in all, about.
std::string shorten(std::string_view text, std::size_t most);

}  // namespace reprise
