// A TOML file of a study, read by key. Every error names file and line, and what was expected.
#pragma once
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

class TomlFile {
 public:
  /// UsageError: TOML that does not parse.
  TomlFile(std::string_view text, std::string name);

  const toml::table& root() const { return root_; }
  /// "published.toml, line 12"
  std::string where(const toml::node& node) const;
  /// Returns the tables of [[key]]; none without the key. UsageError: it is something else.
  std::vector<const toml::table*> tables(const std::string& key) const;
  /// UsageError: `table` lacks the key, or its value is of another type.
  std::string text(const toml::table& table, const std::string& key) const;
  std::string text_or(const toml::table& table, const std::string& key,
                      const std::string& otherwise) const;
  double number(const toml::table& table, const std::string& key) const;
  /// Returns a text or a list of texts; none without the key.
  std::vector<std::string> texts(const toml::table& table, const std::string& key) const;
  /// UsageError: a key of `table` that is none of these.
  void expect_keys(const toml::table& table, const std::vector<std::string>& known) const;

 private:
  std::string name_;
  toml::table root_;
};

}  // namespace reprise::reports
