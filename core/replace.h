// Texts with something put in the place of something else.
#pragma once
#include <functional>
#include <regex>
#include <string>
#include <string_view>

namespace reprise {

/// `text` with `with` in the place of each `what`.
std::string replace_all(std::string text, std::string_view what, std::string_view with);

/// `text` with value_of(match) in the place of each match of `pattern`: of "{name}" the value of
/// that name. What value_of throws passes through.
std::string replace_matches(const std::string& text, const std::regex& pattern,
                            const std::function<std::string(const std::smatch&)>& value_of);

}  // namespace reprise
