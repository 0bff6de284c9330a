#include "reports/published.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace reprise::reports {
namespace {

struct TagRow {
  Tag tag;
  std::string_view text, meaning;
};
constexpr std::array<TagRow, 5> tags = {{
    {Tag::Seed, "seed", "printed in the document"},
    {Tag::Copy, "C", "seen in a public copy of the paper"},
    {Tag::Quoted, "C2", "quoted by another public source"},
    {Tag::Unverified, "M", "widely quoted, unverified"},
    {Tag::NotRecovered, "NR", "not recovered; left empty"},
}};

const std::vector<std::string> known_keys = {"table", "row", "column", "value", "tag", "source", "protocol"};

struct Reader {
  std::string name;

  std::string where(const toml::node& node) const { return name + ", line " + std::to_string(node.source().begin.line); }

  std::string text(const toml::table& figure, const std::string& key) const {
    const auto* node = figure.get(key);
    if (!node)
      throw UsageError(where(figure) + ": a figure without " + key, "add " + key + " = \"...\"; a figure has " + join(known_keys, ", "));
    const auto value = node->value_exact<std::string>();
    if (!value) throw UsageError(where(*node) + ": " + key + " is not a string", "write " + key + " = \"...\"");
    return *value;
  }

  Tag tag(const toml::table& figure) const {
    const std::string text = this->text(figure, "tag");
    std::vector<std::string> known;
    for (const auto& row : tags) {
      if (row.text == text) return row.tag;
      known.emplace_back(row.text);
    }
    throw UsageError(where(*figure.get("tag")) + ": unknown tag \"" + text + "\"", "use one of " + join(known, ", "));
  }

  std::optional<double> value(const toml::table& figure, Tag tag) const {
    const auto* node = figure.get("value");
    if (tag == Tag::NotRecovered) {
      if (node)
        throw UsageError(where(*node) + ": a value with the tag NR", "remove the value, or give the tag of the source it comes from");
      return std::nullopt;
    }
    if (!node) throw UsageError(where(figure) + ": a figure without value", "add value = NUMBER, or tag = \"NR\" when it is not known");
    const auto value = node->is_number() ? node->value<double>() : std::nullopt;
    if (!value || !std::isfinite(*value))
      throw UsageError(where(*node) + ": value is not a finite number", "write value = 0.704, without quotes");
    return value;
  }

  PublishedFigure figure(const toml::table& table) const {
    for (const auto& [key, node] : table) {
      const std::string text(key.str());
      if (std::find(known_keys.begin(), known_keys.end(), text) == known_keys.end())
        throw UsageError(where(node) + ": unknown key \"" + text + "\"", "a figure has " + join(known_keys, ", "));
    }
    PublishedFigure out;
    out.table = text(table, "table");
    out.row = text(table, "row");
    out.column = text(table, "column");
    out.tag = tag(table);
    out.value = value(table, out.tag);
    out.source = text(table, "source");
    out.protocol = text(table, "protocol");
    return out;
  }
};

toml::table parse(std::string_view text, const std::string& name) {
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw UsageError(name + ", line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()),
                     "correct the TOML at that line");
  }
}

}  // namespace

std::string_view tag_text(Tag tag) { return tags.at(static_cast<std::size_t>(tag)).text; }
std::string_view tag_meaning(Tag tag) { return tags.at(static_cast<std::size_t>(tag)).meaning; }

Published::Published(std::string_view text, const std::string& name) {
  const Reader reader{name};
  const toml::table root = parse(text, name);
  for (const auto& [key, node] : root)
    if (key.str() != "figure" || !node.is_array_of_tables())
      throw UsageError(reader.where(node) + ": unknown key \"" + std::string(key.str()) + "\"", "the file is a list of [[figure]] tables");
  const auto* list = root["figure"].as_array();
  if (!list) return;
  for (const auto& node : *list) {
    PublishedFigure figure = reader.figure(*node.as_table());
    if (find(figure.table, figure.row, figure.column))
      throw UsageError(
          reader.where(node) + ": a second figure for table " + figure.table + ", row " + figure.row + ", column " + figure.column,
          "keep one of the two");
    figures_.push_back(std::move(figure));
  }
}

const PublishedFigure* Published::find(std::string_view table, std::string_view row, std::string_view column) const {
  for (const auto& figure : figures_)
    if (figure.table == table && figure.row == row && figure.column == column) return &figure;
  return nullptr;
}

}  // namespace reprise::reports
