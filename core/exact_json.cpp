#include "core/exact_json.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/json.h"

namespace reprise {
namespace {

using nlohmann::json;

constexpr const char* number_key = "number";

constexpr std::array<std::pair<const char*, double>, 3> no_json_numbers{
    {{"inf", std::numeric_limits<double>::infinity()},
     {"-inf", -std::numeric_limits<double>::infinity()},
     {"nan", std::numeric_limits<double>::quiet_NaN()}}};

const char* text_of_number(double value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

/// Replaces each number that JSON does not have by its object.
void name_numbers(json& value) {
  if (value.is_number_float() && !std::isfinite(value.get<double>()))
    value = {{number_key, text_of_number(value.get<double>())}};
  // An object that was put here holds a text, and so nothing to replace.
  if (value.is_structured())
    for (auto& inner : value) name_numbers(inner);
}

/// Puts the numbers back.
void restore_numbers(json& value) {
  if (value.is_object() && value.size() == 1 && value.contains(number_key))
    for (const auto& [text, number] : no_json_numbers)
      if (value.at(number_key) == text) {
        value = number;
        return;
      }
  if (value.is_structured())
    for (auto& inner : value) restore_numbers(inner);
}

}  // namespace

std::string exact_json_text(const json& json) {
  // The copy keeps the caller's value unchanged.
  auto named = json;
  name_numbers(named);
  return json_text(named);
}

json parse_exact_json(std::string_view text, const std::string& where, const std::string& fix) {
  auto value = parse_json(text, where, fix);
  restore_numbers(value);
  return value;
}

}  // namespace reprise
