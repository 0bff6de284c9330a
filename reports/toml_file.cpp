#include "reports/toml_file.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "core/toml.h"

namespace reprise::reports {
TomlFile::TomlFile(std::string_view text, std::string name)
    : name_(std::move(name)), root_(read_toml(text, name_, "correct the TOML at that line")) {}

std::string TomlFile::where(const toml::node& node) const {
  return name_ + ", line " + std::to_string(node.source().begin.line);
}

std::vector<const toml::table*> TomlFile::tables(const std::string& key) const {
  const auto* node = root_.get(key);
  if (!node) return {};
  if (!node->is_array_of_tables())
    throw UsageError(where(*node) + ": " + key + " is not a list of tables",
                     "write [[" + key + "]]");
  std::vector<const toml::table*> out;
  for (const auto& table : *node->as_array()) out.push_back(table.as_table());
  return out;
}

std::string TomlFile::text(const toml::table& table, const std::string& key) const {
  const auto* node = table.get(key);
  if (!node)
    throw UsageError(where(table) + ": " + key + " is missing", "add " + key + " = \"...\"");
  // Exact: a number in the place of a text is a mistake, and is not converted.
  const auto value = node->value_exact<std::string>();
  if (!value)
    throw UsageError(where(*node) + ": " + key + " is not a string", "write " + key + " = \"...\"");
  return *value;
}

std::string TomlFile::text_or(const toml::table& table, const std::string& key,
                              const std::string& otherwise) const {
  return table.contains(key) ? text(table, key) : otherwise;
}

double TomlFile::number(const toml::table& table, const std::string& key) const {
  const auto* node = table.get(key);
  if (!node)
    throw UsageError(where(table) + ": " + key + " is missing", "add " + key + " = NUMBER");
  // Whole numbers count too; TOML's inf and nan do not.
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value))
    throw UsageError(where(*node) + ": " + key + " is not a finite number",
                     "write " + key + " = 0.704, without quotes");
  return *value;
}

std::vector<std::string> TomlFile::texts(const toml::table& table, const std::string& key) const {
  const auto* node = table.get(key);
  if (!node) return {};
  // A single text may stand without brackets.
  const auto* list = node->as_array();
  if (!list) return {text(table, key)};
  std::vector<std::string> out;
  for (const auto& item : *list) {
    const auto value = item.value_exact<std::string>();
    if (!value)
      throw UsageError(where(item) + ": " + key + " lists what is not a string",
                       "write " + key + " = [\"...\", \"...\"]");
    out.push_back(*value);
  }
  return out;
}

void TomlFile::expect_keys(const toml::table& table, const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(where(node) + ": unknown key \"" + name + "\"",
                       "use one of " + join(known, ", "));
  }
}

}  // namespace reprise::reports
