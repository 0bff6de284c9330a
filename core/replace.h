// Replacement in texts.
#pragma once
#include <functional>
#include <regex>
#include <string>
#include <string_view>

namespace reprise {

/// Replaces each `what` in `text` by `with`.
std::string replace_all(std::string text, std::string_view what, std::string_view with);

/// Replaces each match of `pattern` in `text` by value_of(match). Passes on exceptions of value_of.
/// Example: "{name}" becomes the value of that name.
std::string replace_matches(const std::string& text, const std::regex& pattern,
                            const std::function<std::string(const std::smatch&)>& value_of);

}  // namespace reprise
