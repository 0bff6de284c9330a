// Parsing JSON of others: files, metadata in files, messages between processes. This is the only
// entry point: nothing else parses JSON.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reprise {

/// Largest depth of nested lists and objects. The project itself writes fewer than ten levels.
inline constexpr std::size_t max_json_levels = 100;

/// Parses `text`. `where` names the file, and the line if each line is a separate text.
///
/// UsageError (gives character, line and what was expected):
///   - incomplete JSON, or text after its end;
///   - bytes that are not UTF-8;
///   - a key given twice in an object;
///   - too many levels.
nlohmann::json parse_json(std::string_view text, const std::string& where, const std::string& fix);

/// Text of a value: one line, or several with an indent. Bytes that are not UTF-8, which file names
/// can contain, are replaced.
std::string json_text(const nlohmann::json& json, int indent = -1);

/// Text with bytes that are not UTF-8 replaced as in json_text().
std::string utf8(const std::string& text);

}  // namespace reprise
