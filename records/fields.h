// Typed reading of JSON files of records. Each error names the file, the field and what was
// expected.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/json.h"
#include "records/record.h"

namespace reprise::records {

/// An enumerator and its text in files.
template <typename Enum>
struct Name {
  Enum value;
  const char* text;
};

inline constexpr Name<Direction> directions[] = {{Direction::HigherIsBetter, "higher"},
                                                 {Direction::LowerIsBetter, "lower"},
                                                 {Direction::Neither, "neither"}};

template <typename Enum, std::size_t N>
const char* choice_text(Enum value, const Name<Enum> (&names)[N]) {
  for (const auto& [known, name] : names)
    if (known == value) return name;
  return names[N - 1].text;
}

/// A JSON object whose errors begin with `where` and end with `fix`.
class Fields {
 public:
  Fields(const nlohmann::json& object, std::string where, std::string fix)
      : object_(object), where_(std::move(where)), fix_(std::move(fix)) {
    if (!object_.is_object())
      refuse(fmt::format("an object was expected, not {}", object_.type_name()));
  }
  const nlohmann::json& at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(fmt::format("the field \"{}\" is missing", key));
    return *found;
  }
  std::string text(const char* key) const {
    return expect_type(key, at(key).is_string(), "text").get<std::string>();
  }
  double number(const char* key) const {
    return expect_type(key, at(key).is_number(), "a number").get<double>();
  }
  /// Also an error: the value is outside [low, high].
  std::int64_t integer(const char* key, std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                       std::int64_t high = std::numeric_limits<std::int64_t>::max()) const {
    const nlohmann::json& value = expect_type(key, at(key).is_number_integer(), "an integer");
    const bool beyond =
        value.is_number_unsigned() &&
        value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (beyond || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high)
      refuse(fmt::format("the field \"{}\" is {}; it can be {} to {}", key, json_text(value), low,
                         high));
    return value.get<std::int64_t>();
  }
  bool flag(const char* key) const {
    return expect_type(key, at(key).is_boolean(), "true or false").get<bool>();
  }
  Fields object(const char* key) const {
    return {expect_type(key, at(key).is_object(), "an object"), where_ + ", " + key, fix_};
  }
  const nlohmann::json& array(const char* key) const {
    return expect_type(key, at(key).is_array(), "a list");
  }
  template <typename Enum, std::size_t N>
  Enum choice(const char* key, const Name<Enum> (&names)[N]) const {
    const std::string given = text(key);
    std::string known;
    for (const auto& [value, name] : names) {
      if (given == name) return value;
      known += known.empty() ? name : std::string(", ") + name;
    }
    refuse(fmt::format("the field \"{}\" is \"{}\"; it can be {}", key, given, known));
  }
  const nlohmann::json& raw() const { return object_; }
  const std::string& where() const { return where_; }
  const std::string& fix() const { return fix_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(where_ + ": " + what, fix_);
  }

 private:
  const nlohmann::json& expect_type(const char* key, bool right, const char* expected) const {
    const nlohmann::json& value = at(key);
    if (!right)
      refuse(fmt::format("the field \"{}\" must be {}, not {}", key, expected, value.type_name()));
    return value;
  }
  const nlohmann::json& object_;
  std::string where_, fix_;
};

}  // namespace reprise::records
