// TOML that others wrote: profiles, settings, claims. This is the only entry point: nothing else
// parses TOML.
#pragma once
#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace reprise {

/// Tables and lists within each other beyond which no text is read: the parts of a dotted key, the
/// parts of a table's name, and the brackets that are open. What the project writes has less than
/// ten.
inline constexpr std::size_t max_toml_levels = 100;

/// The table that `text` is. UsageError: no TOML, or more than `max_toml_levels`; names the line.
toml::table read_toml(
    std::string_view text, const std::string& name,
    const std::string& fix = "correct that line; the format is TOML (https://toml.io)");

}  // namespace reprise
