// Settings of a run: those of a study's base profile, overridden by another profile and by --set
// key=value.
//
// Keys are dotted paths ("cnn.epochs"). The base profile holds every setting, so a key that it
// lacks is unknown: the error lists the known ones. A value keeps its type: an integer, a number,
// true/false, a string, or a list of one of these.
//
// The base profile states the default and the range of each setting:
//
//     batch = { default = 16, min = 1 }
//     source = { default = "drawn", one_of = ["drawn", "mnist"] }
//     rates = { default = [1e-3, 1e-2], above = 0, min_items = 1 }
//
// `min` and `max` include the bound; `above` and `below` exclude it. In a list, each item must be
// in the range.
//
// Every other source of values (a profile, a user's file, --set, run.json) is checked against the
// range.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reproduce {

/// Key of a user's profile that names its base; it is no setting.
inline constexpr const char* base_key = "base";

class Settings {
 public:
  Settings() = default;
  /// Reads settings with their ranges. UsageError (names file and line):
  ///   - invalid TOML;
  ///   - a number that is not finite, a text with a control character, or a date;
  ///   - a list of items of different kinds.
  Settings(std::string_view toml, const std::string& name);
  /// Takes a record's options. UsageError: an impossible value.
  explicit Settings(nlohmann::json flat);
  /// Adds settings, and values of existing ones. UsageError: as above, or a value of another type
  /// or out of its range.
  void add(std::string_view toml, const std::string& name);
  /// Sets "key=value". UsageError: unknown key (lists the known ones, nearest first), or a value of
  /// another type or out of its range.
  void set(const std::string& assignment);
  /// Overrides values by those of a TOML text, except its `base`. UsageError: as above, with name
  /// and line.
  void lay_over(std::string_view toml, const std::string& name);
  /// Overrides values by those of a stored run, which may have keys that no longer exist.
  /// UsageError: a value of another type, or an impossible one; `where` names the file.
  void lay_over_stored(const nlohmann::json& flat, const std::string& where);

  std::int64_t integer(const std::string& key) const;
  double number(const std::string& key) const;  ///< an integer is a number too
  bool flag(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;

  /// Returns the settings of a cell: those in its record (`options`), and those for its shown seeds
  /// and purpose. Reading another one is a UsageError that names PlannedCell::reads.
  Settings for_cell(const nlohmann::json& options) const;

  /// Returns all settings, flat and sorted: {"cnn.epochs": 12, ...}, as a record's options hold
  /// them.
  const nlohmann::json& all() const { return values_; }

 private:
  const nlohmann::json& find_range(const std::string& key) const;
  const nlohmann::json& find_value(const std::string& key, const std::string& where = "") const;

  nlohmann::json values_ = nlohmann::json::object(), ranges_ = nlohmann::json::object();
  bool of_cell_ = false;
};

}  // namespace reprise::reproduce
