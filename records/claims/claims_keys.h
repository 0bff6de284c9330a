// The tables of a claims file (records/claims/claims.h has the format): their keys read by name,
// what was never asked for refused, and a table with a for_each read once for every combination of
// its values.
#pragma once
#include <toml++/toml.h>

#include <array>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reprise::records {

/// What every error of a claims file says to do.
inline constexpr const char* claims_fix =
    "correct the claims file; records/claims/claims.h lists the keys of every kind";

/// The file's [lists]: values that belong together, which several rows repeat themselves over.
using ValueLists = std::map<std::string, const toml::array*>;

/// One copy of what a for_each repeats: the values that its texts hold where {name} is written.
/// Without for_each there is one, empty copy.
struct Copy {
  /// Name and value; those of the row before those of a requirement.
  std::vector<std::pair<std::string, std::string>> values{};
  /// Names whose values are no part of its label.
  std::set<std::string> silent{};
  const ValueLists* lists = nullptr;  ///< that a for_each may name

  /// Null where no for_each has this name.
  const std::string* find(const std::string& name) const;
  /// The values after the first `from`: "occlusion", "digits energy"; "" without any.
  std::string label(std::size_t from = 0) const;
};

/// One TOML table whose keys are read by name. Error, in all that read: the key is missing or of
/// another kind; the table and key are named.
class Keys {
 public:
  /// `table` must outlive it, and so must `defaults`: what it lacks of the keys `inherited` is read
  /// there.
  Keys(const toml::table& table, std::string where, Copy copy = {},
       const toml::table* defaults = nullptr)
      : table_(table), where_(std::move(where)), copy_(std::move(copy)), defaults_(defaults) {}

  const std::string& where() const { return where_; }
  const Copy& copy() const { return copy_; }
  [[noreturn]] void refuse(const std::string& what) const;

  bool has(const std::string& key);
  const toml::node& node(const std::string& key);
  /// With the copy's values in the place of {name}.
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise) {
    return has(key) ? text(key) : otherwise;
  }
  /// A text, or a list of different ones.
  std::vector<std::string> texts(const std::string& key);
  double number(const std::string& key);
  double positive(const std::string& key);
  bool flag(const std::string& key, bool otherwise);
  /// `text` as a regular expression; errors name the key.
  std::regex pattern(const std::string& key, const std::string& text) const;
  void no_others() const;

 private:
  std::string written(const std::string& key);
  std::string filled(const std::string& key, const std::string& text) const;

  const toml::table& table_;
  std::string where_;
  Copy copy_;
  const toml::table* defaults_ = nullptr;
  std::set<std::string> known_;
};

/// The keys of a row that may stand in its claim, for all its rows.
inline constexpr std::array<std::string_view, 11> inherited{
    "kind",       "methods",     "than",   "metric",   "table",  "dataset",
    "than_table", "than_metric", "margin", "at_least", "at_most"};

/// Reads a table once for every combination of the values of its for_each, the first name slowest,
/// each with the values of `outer`. Error: a key that is not known; a name of for_each that is
/// never used, or one of `outer`'s already; an empty text; a list of [lists] that is not there.
void read_copies(const toml::table& table, const std::string& where, const Copy& outer,
                 const std::function<void(Keys&)>& read, const toml::table* defaults = nullptr);

}  // namespace reprise::records
