// Text from files, made safe for a terminal, which would execute escape sequences in it.
#pragma once
#include <string>
#include <string_view>

namespace reprise {

/// Text as one line for a terminal: like terminal_text(), with line feeds and tabs escaped too.
/// Text of more than 200 bytes is shortened in the middle.
std::string printable(std::string_view text);

/// Whether a text contains a control character, such as a line feed or an escape sequence.
bool has_control_character(std::string_view text);

/// Text of any number of lines for a terminal. Escapes these bytes as \x1b, and keeps other UTF-8:
///   - bytes that are not UTF-8;
///   - control characters except line feed and tab;
///   - characters that reorder or hide others (bidirectional controls, line separators, tags).
/// All output of the program passes through it (core/say.h, Call::answer).
std::string terminal_text(std::string_view text);

/// JSON text for a terminal: like terminal_text(), with escapes of JSON (\u009b).
std::string terminal_json(std::string_view text);

/// Shortens a text to about `most` characters: its beginning, a note of the omitted length, its
/// end.
std::string shorten(std::string_view text, std::size_t most);

}  // namespace reprise
