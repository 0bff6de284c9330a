// Parsing TOML of others: profiles, settings, claims. This is the only entry point: nothing else
// parses TOML.
#pragma once
#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace reprise {

/// Largest depth of nested tables and lists: parts of a dotted key or of a table's name, or open
/// brackets. The project itself writes fewer than ten levels.
inline constexpr std::size_t max_toml_levels = 100;

/// Parses `text`. UsageError: invalid TOML, or too many levels (names the line).
toml::table read_toml(
    std::string_view text, const std::string& name,
    const std::string& fix = "correct that line; the format is TOML (https://toml.io)");

}  // namespace reprise
