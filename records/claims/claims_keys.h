// Reads the tables of a claims file by key (records/claims/claims.h has the format). Unknown keys
// are refused. A table with a for_each is read once per combination of its values.
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

/// Advice of every error of a claims file.
inline constexpr const char* claims_fix =
    "correct the claims file; records/claims/claims.h lists the keys of every kind";

/// The file's [lists]: values that belong together, over which rows repeat.
using ValueLists = std::map<std::string, const toml::array*>;

/// Values of one copy of a for_each, which replace {name} in its texts. Without for_each there is
/// one, empty copy.
struct Copy {
  /// Name and value; those of the row before those of a requirement.
  std::vector<std::pair<std::string, std::string>> values{};
  /// Names whose values are no part of its label.
  std::set<std::string> silent{};
  const ValueLists* lists = nullptr;  ///< that a for_each may name

  /// Finds the value of a name; null if no for_each has it.
  const std::string* find(const std::string& name) const;
  /// Joins the values after the first `from`: "occlusion", "digits energy"; "" without any.
  std::string label(std::size_t from = 0) const;
};

/// A TOML table whose keys are read by name. Errors name the table and the key: it is missing or of
/// another type.
class Keys {
 public:
  /// `table` and `defaults` must outlive it. `defaults` supplies missing keys of `inherited`.
  Keys(const toml::table& table, std::string where, Copy copy = {},
       const toml::table* defaults = nullptr)
      : table_(table), where_(std::move(where)), copy_(std::move(copy)), defaults_(defaults) {}

  const std::string& where() const { return where_; }
  const Copy& copy() const { return copy_; }
  [[noreturn]] void refuse(const std::string& what) const;

  bool has(const std::string& key);
  const toml::node& node(const std::string& key);
  /// Returns a text with the copy's values in place of {name}.
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& otherwise) {
    return has(key) ? text(key) : otherwise;
  }
  /// Returns a text or a list of different texts.
  std::vector<std::string> texts(const std::string& key);
  double number(const std::string& key);
  double positive(const std::string& key);
  bool flag(const std::string& key, bool otherwise);
  /// Compiles `text` as a regular expression; errors name the key.
  std::regex pattern(const std::string& key, const std::string& text) const;
  void no_others() const;

 private:
  std::string raw_text(const std::string& key);
  std::string fill(const std::string& key, const std::string& text) const;

  const toml::table& table_;
  std::string where_;
  Copy copy_;
  const toml::table* defaults_ = nullptr;
  std::set<std::string> known_;
};

/// Keys of a row that its claim may set for all rows.
inline constexpr std::array<std::string_view, 11> inherited{
    "kind",       "methods",     "than",   "metric",   "table",  "dataset",
    "than_table", "than_metric", "margin", "at_least", "at_most"};

/// Reads a table once per combination of its for_each values, the first name slowest, each with the
/// values of `outer`.
/// Error: an unknown key; a name of for_each that is never used or that `outer` has; an empty text;
/// an unknown list of [lists].
void read_copies(const toml::table& table, const std::string& where, const Copy& outer,
                 const std::function<void(Keys&)>& read, const toml::table* defaults = nullptr);

}  // namespace reprise::records
