// JSON that others wrote: files, what files hold as metadata, messages between processes. This is
// the only door: nothing else parses JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reprise {

/// Lists and objects within each other beyond which no text is read; what the project writes has
/// less than ten.
inline constexpr std::size_t max_json_levels = 100;

/// The value that `text` is. UsageError: not whole JSON, or something follows it (a NUL byte, too);
/// not UTF-8; a key twice in one object; more than `max_json_levels`. `where` names the file, and
/// the line where each line is a text of its own; the message says at which character (and line, in
/// a text of several) what was expected.
nlohmann::json parse_json(std::string_view text, const std::string& where, const std::string& fix);

/// One line, or several with an indent. Bytes that are not UTF-8, as a file's name may have, are
/// replaced.
std::string json_text(const nlohmann::json& json, int indent = -1);

/// A text as json_text() shows it: the same, when it is UTF-8.
std::string utf8(const std::string& text);

}  // namespace reprise
