// Small pieces of text handling that several rooms share.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// Shell-like pattern over a whole string: * any run, ? any one character; a '/' is matched like
/// any other.
bool matches_glob(std::string_view text, std::string_view pattern);

std::string join(const std::vector<std::string>& parts, std::string_view between);

/// "a, b, c, d, e and 7 more": for messages that name the first few offenders.
std::string first_few(const std::vector<std::string>& items, std::size_t few = 5);

/// The known name nearest to a mistyped one (edit distance), or "" when none is near. For "did you
/// mean".
std::string find_nearest(std::string_view name, const std::vector<std::string>& known);

/// The whole text as a number; nothing where it is none, or too large for one.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Shortest decimal text that reads back as the same double ("0.1", "1e-06"): the same bytes on
/// every machine.
std::string number_text(double value);

/// The text as one word of a POSIX shell, which then takes it letter by letter; in quotes where it
/// needs them.
std::string shell_quote(std::string_view text);

/// "&amp;", "&lt;", "&gt;", "&quot;" for the characters that markup (XML, HTML, Markdown) reads as
/// its own; "" for any other.
std::string_view markup_entity(char c);

}  // namespace reprise
