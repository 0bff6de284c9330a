// Order of keys in a JSON text. A parsed object has its keys sorted by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace reprise {

/// Keys of the outermost object in the order of the text; empty for any other value. The text must
/// be valid for parse_json().
std::vector<std::string> outermost_keys(std::string_view text);

}  // namespace reprise
