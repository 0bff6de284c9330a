// JSON of a state that is read back: every number comes back as it was. JSON itself has no
// infinities and no NaN; json_text() (core/json.h) shows them as null, which is right for an answer
// and loses a state.
//
//     inf    {"number": "inf"}        -inf    {"number": "-inf"}        NaN    {"number": "nan"}
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace reprise {

/// One line. A value without such numbers is written as json_text() writes it.
std::string exact_json_text(const nlohmann::json& json);

/// The value that exact_json_text() wrote. UsageError: as parse_json() of core/json.h.
nlohmann::json parse_exact_json(std::string_view text, const std::string& where,
                                const std::string& fix);

}  // namespace reprise
