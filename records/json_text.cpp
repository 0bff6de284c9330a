#include "records/json_text.h"

#include "core/error.h"

namespace reprise::records {
namespace {

using nlohmann::json;

/// Without the library's own prefix, and without the token that it read last, which need not be UTF-8 and may be long.
std::string reason_of(const json::exception& damage) {
  std::string text = damage.what();
  if (const auto at = text.find("column "); at != text.npos) text = "character " + text.substr(at + 7);
  if (const auto token = text.find("; last read: "); token != text.npos) {
    const auto expected = text.rfind("; expected ");
    text = text.substr(0, token) + (expected != text.npos && expected > token ? text.substr(expected) : "");
  }
  return text;
}

}  // namespace

std::string text_of(const json& json, int indent) { return json.dump(indent, ' ', false, json::error_handler_t::replace) + "\n"; }

json parse_json(std::string_view text, const std::string& where, const std::string& fix) {
  try {
    return json::parse(text);
  } catch (const json::exception& damage) {
    throw Error(where + ": not whole JSON: " + reason_of(damage), fix);
  }
}

}  // namespace reprise::records
