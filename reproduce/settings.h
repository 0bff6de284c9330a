// Settings of a run: the values of a profile's TOML file with --set key=value laid over them.
//
// Keys are dotted paths ("cnn.epochs"). A profile holds every default, so a key that it lacks is unknown: the error lists
// the known ones. A value keeps its type: an integer, a number, true/false, a string, or a list of one of these.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reproduce {

/// The key of a user's own profile that names the profile beneath; it is no setting.
inline constexpr const char* base_key = "base";

class Settings {
 public:
  Settings() = default;
  /// UsageError: TOML that does not parse, or a value that no setting has: a number that is not finite, a text with a control character, a
  /// date, a list of unlike items (name and line).
  Settings(std::string_view toml, const std::string& name);
  /// From a record's options. UsageError: a value that no setting has.
  explicit Settings(nlohmann::json flat);
  /// "key=value". UsageError: unknown key (lists the known ones, nearest first), or a value of another type.
  void set(const std::string& assignment);
  /// Every value of a TOML text but its `base` in place of the one here. UsageError: as above, with name and line.
  void lay_over(std::string_view toml, const std::string& name);
  /// Every value of a stored run in place of the one here; it may hold keys that this program no longer has. UsageError: a value of another
  /// type, or one that no setting has; `where` names the file.
  void lay_over_stored(const nlohmann::json& flat, const std::string& where);

  std::int64_t integer(const std::string& key) const;
  double number(const std::string& key) const;  ///< an integer is a number too
  bool flag(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;

  /// UsageError: one of these integers is below `low` (key, value and what to set are named).
  void at_least(std::initializer_list<const char*> keys, std::int64_t low) const;

  /// Flat, sorted: {"cnn.epochs": 12, ...}; what a record's options hold.
  const nlohmann::json& all() const { return values_; }

 private:
  nlohmann::json values_ = nlohmann::json::object();
};

}  // namespace reprise::reproduce
