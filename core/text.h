// Text functions that several layers use.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// Whether a shell pattern matches the whole text: * is any run of characters, ? any one character.
/// A '/' is no special character.
bool matches_glob(std::string_view text, std::string_view pattern);

/// The text with A to Z as a to z; other characters stay.
std::string to_lower(std::string text);

/// Shape of a tensor for messages: "[2, 3, 16]".
std::string shape_text(std::span<const std::int64_t> sizes);

std::string join(const std::vector<std::string>& parts, std::string_view between);

/// Short list for messages: "a, b, c, d, e and 7 more".
std::string first_few(const std::vector<std::string>& items, std::size_t few = 5);

/// Finds the known name nearest to a mistyped one by edit distance, for "did you mean"; "" if none
/// is near.
std::string find_nearest(std::string_view name, const std::vector<std::string>& known);

/// The text as an integer; empty for other text or a number out of range.
std::optional<std::int64_t> whole_number(std::string_view text);

/// Shortest decimal text that reads back as the same double, equal on every machine: "0.1",
/// "1e-06".
std::string number_text(double value);

/// The text as one word of a POSIX shell, quoted if necessary.
std::string shell_quote(std::string_view text);

/// Entity of a character that has a meaning in XML, HTML or Markdown: "&amp;", "&lt;", "&gt;",
/// "&quot;". "" for any other character.
std::string_view markup_entity(char c);

}  // namespace reprise
