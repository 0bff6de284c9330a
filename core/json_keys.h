// The order in which an object's keys stand in its text: a parsed object has them by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// Keys of the outermost object of a text that parse_json() accepts, in the order of the text.
/// Empty where it is no object.
std::vector<std::string> outermost_keys(std::string_view text);

}  // namespace reprise
