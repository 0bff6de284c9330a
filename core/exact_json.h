// JSON that preserves every number, for a state that is read back. JSON has no infinities and no
// NaN. json_text() (core/json.h) writes them as null, which suits an answer but would lose a state.
//
//     inf    {"number": "inf"}        -inf    {"number": "-inf"}        NaN    {"number": "nan"}
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reprise {

/// Text of a value in one line. Without such numbers it is that of json_text().
std::string exact_json_text(const nlohmann::json& json);

/// Value of a text from exact_json_text(). UsageError: as parse_json() of core/json.h.
nlohmann::json parse_exact_json(std::string_view text, const std::string& where,
                                const std::string& fix);

}  // namespace reprise
