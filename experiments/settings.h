// Settings of a run: those of a study's base profile, with the values of another profile and of
// --set key=value over them.
//
// Keys are dotted paths ("cnn.epochs"). The base profile holds every setting, so a key that it
// lacks is unknown: the error lists the known ones. A value keeps its type: an integer, a number,
// true/false, a string, or a list of one of these.
//
// The base profile states which values a setting takes, beside its default:
//
//     batch = { default = 16, min = 1 }                          # also max; above and below leave the bound itself out
//     source = { default = "drawn", one_of = ["drawn", "mnist"] }
//     rates = { default = [1e-3, 1e-2], above = 0, min_items = 1 }  # of a list each item is in the range
//
// Whatever gives another value (a profile, a user's file, --set, run.json) is held to it.
#pragma once
#include <cstdint>
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
  /// Settings with their ranges. UsageError: TOML that does not parse, or a value that no setting
  /// has: a number that is not finite, a text with a control character, a date, a list of unlike
  /// items (name and line).
  Settings(std::string_view toml, const std::string& name);
  /// From a record's options. UsageError: a value that no setting has.
  explicit Settings(nlohmann::json flat);
  /// More settings, and values of those that are here. UsageError: as above, or a value of another
  /// type or out of its range.
  void add(std::string_view toml, const std::string& name);
  /// "key=value". UsageError: unknown key (lists the known ones, nearest first), or a value of
  /// another type or out of its range.
  void set(const std::string& assignment);
  /// Every value of a TOML text but its `base` in place of the one here. UsageError: as above, with
  /// name and line.
  void lay_over(std::string_view toml, const std::string& name);
  /// Every value of a stored run in place of the one here; it may hold keys that this program no
  /// longer has. UsageError: a value of another type, or one that no setting has; `where` names the
  /// file.
  void lay_over_stored(const nlohmann::json& flat, const std::string& where);

  std::int64_t integer(const std::string& key) const;
  double number(const std::string& key) const;  ///< an integer is a number too
  bool flag(const std::string& key) const;
  std::string text(const std::string& key) const;
  std::vector<double> numbers(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;

  /// What a cell gets: the settings that its record holds (`options`), and those that say which
  /// seeds a page shows and what it is for. To ask for another one is a UsageError that names
  /// PlannedCell::reads.
  Settings for_cell(const nlohmann::json& options) const;

  /// Flat, sorted: {"cnn.epochs": 12, ...}; what a record's options hold.
  const nlohmann::json& all() const { return values_; }

 private:
  const nlohmann::json& range_of(const std::string& key) const;
  const nlohmann::json& found(const std::string& key, const std::string& where = "") const;

  nlohmann::json values_ = nlohmann::json::object(), ranges_ = nlohmann::json::object();
  bool of_cell_ = false;
};

}  // namespace reprise::reproduce
