#include "reports/published.h"

#include <array>
#include <map>

#include "core/error.h"
#include "core/text.h"
#include "reports/toml_file.h"

namespace reprise::reports {
namespace {

struct TagRow {
  Tag tag;
  std::string_view text, meaning;
};
// In the order of the enum, which is the index (tag_text).
constexpr std::array<TagRow, 5> tags = {{
    {Tag::Seed, "seed", "printed in the document"},
    {Tag::Copy, "C", "seen in a public copy of the paper"},
    {Tag::Quoted, "C2", "quoted by another public source"},
    {Tag::Unverified, "M", "widely quoted, unverified"},
    {Tag::NotRecovered, "NR", "not recovered; left empty"},
}};

const std::vector<std::string> known_keys = {"table", "row",    "column",   "value",
                                             "tag",   "source", "protocol", "data"};

Tag read_tag(const TomlFile& file, const toml::table& figure) {
  const std::string text = file.text(figure, "tag");
  std::vector<std::string> known;
  for (const auto& row : tags) {
    if (row.text == text) return row.tag;
    known.emplace_back(row.text);
  }
  throw UsageError(file.where(*figure.get("tag")) + ": unknown tag \"" + text + "\"",
                   "use one of " + join(known, ", "));
}

std::optional<double> read_value(const TomlFile& file, const toml::table& figure, Tag tag) {
  // Tag and value must agree: a value without a source could not be checked by a reader.
  const auto* node = figure.get("value");
  if (tag == Tag::NotRecovered) {
    if (node)
      throw UsageError(file.where(*node) + ": a value with the tag NR",
                       "remove the value, or give the tag of the source it comes from");
    return std::nullopt;
  }
  if (!node)
    throw UsageError(file.where(figure) + ": a figure without value",
                     "add value = NUMBER, or tag = \"NR\" when it is not known");
  return file.number(figure, "value");
}

std::optional<std::int64_t> read_count(const TomlFile& file, const toml::table& table,
                                       const std::string& key) {
  const auto* node = table.get(key);
  if (!node) return std::nullopt;
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value <= 0)
    throw UsageError(file.where(*node) + ": " + key + " is not a count", "write " + key + " = 64");
  return value;
}

DataProtocol read_protocol(const TomlFile& file, const toml::table& table) {
  file.expect_keys(table, {"set", "split", "framing", "size", "count"});
  return {.set = file.text(table, "set"),
          .split = file.text_or(table, "split", ""),
          .framing = file.text_or(table, "framing", ""),
          .size = read_count(file, table, "size"),
          .count = read_count(file, table, "count")};
}

using Protocols = std::map<std::string, DataProtocol>;

Protocols read_protocols(const TomlFile& file) {
  Protocols out;
  const auto* node = file.root().get("protocol");
  if (!node) return out;
  if (!node->is_table())
    throw UsageError(file.where(*node) + ": protocol is not a table", "write [protocol.NAME]");
  for (const auto& [name, protocol] : *node->as_table()) {
    if (!protocol.is_table())
      throw UsageError(file.where(protocol) + ": a protocol is a table", "write [protocol.NAME]");
    out.emplace(name.str(), read_protocol(file, *protocol.as_table()));
  }
  return out;
}

std::optional<DataProtocol> read_data(const TomlFile& file, const toml::table& figure,
                                      const Protocols& protocols) {
  const auto* node = figure.get("data");
  if (!node) return std::nullopt;
  // A protocol may be written in place instead of by name.
  if (const auto* table = node->as_table()) return read_protocol(file, *table);
  const auto name = file.text(figure, "data");
  const auto at = protocols.find(name);
  if (at != protocols.end()) return at->second;
  std::vector<std::string> known;
  for (const auto& [other, protocol] : protocols) known.push_back(other);
  throw UsageError(file.where(*node) + ": there is no [protocol." + name + "]",
                   known.empty() ? "add it" : "the file has " + join(known, ", "));
}

PublishedFigure read_figure(const TomlFile& file, const toml::table& table,
                            const Protocols& protocols) {
  file.expect_keys(table, known_keys);
  PublishedFigure out;
  out.table = file.text(table, "table");
  out.row = file.text(table, "row");
  out.column = file.text(table, "column");
  out.tag = read_tag(file, table);
  out.value = read_value(file, table, out.tag);
  out.source = file.text(table, "source");
  out.protocol = file.text(table, "protocol");
  out.data = read_data(file, table, protocols);
  return out;
}

}  // namespace

std::string_view tag_text(Tag tag) { return tags.at(static_cast<std::size_t>(tag)).text; }
std::string_view tag_meaning(Tag tag) { return tags.at(static_cast<std::size_t>(tag)).meaning; }

Published::Published(std::string_view text, const std::string& name) {
  const TomlFile file(text, name);
  file.expect_keys(file.root(), {"figure", "protocol"});
  const auto protocols = read_protocols(file);
  for (const auto* table : file.tables("figure")) {
    PublishedFigure figure = read_figure(file, *table, protocols);
    if (find(figure.table, figure.row, figure.column))
      throw UsageError(file.where(*table) + ": a second figure for table " + figure.table +
                           ", row " + figure.row + ", column " + figure.column,
                       "keep one of the two");
    figures_.push_back(std::move(figure));
  }
}

const PublishedFigure* Published::find(std::string_view table, std::string_view row,
                                       std::string_view column) const {
  for (const auto& figure : figures_)
    if (figure.table == table && figure.row == row && figure.column == column) return &figure;
  return nullptr;
}

}  // namespace reprise::reports
