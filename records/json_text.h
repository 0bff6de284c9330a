// JSON as text in the files of this room.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reprise::records {

/// One line, or several with an indent; ends with a line end. Bytes that are not UTF-8 are replaced.
std::string text_of(const nlohmann::json& json, int indent = -1);

/// Error: `text` is not whole JSON; says at which character what was expected. `where` names the file.
nlohmann::json parse_json(std::string_view text, const std::string& where, const std::string& fix);

}  // namespace reprise::records
