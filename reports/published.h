// Published figures of a study: published.toml.
//
//   [[figure]]
//   table = "table1"            row = "LSTM"            column = "Pre fc6"
//   value = 0.769               tag = "seed"
//   source = "document, table 1"
//   protocol = "300-VW, VGG16, AUC to 0.08"
//   data = "300vw"              optional: the data that the value was measured on. A name of a [protocol], or { set = "...", ... }
//
//   [protocol.300vw]            described once for many figures
//   set = "300-VW, category 3"
//   split = "..."               these four are optional: part of the set; how items are cropped and scaled; pixels of a side; items tested
//   framing = "..."
//   size = 224
//   count = 64
//
// A figure has all keys. `data` is optional, `value` is absent with the tag NR, and protocol is ""
// if unknown.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/describe.h"

namespace reprise::reports {

/// Source of a published value, from certain to absent.
enum class Tag {
  Seed,         ///< "seed": printed in the document itself
  Copy,         ///< "C": seen in a public copy, which `source` names
  Quoted,       ///< "C2": quoted by another public source
  Unverified,   ///< "M": widely quoted, not confirmed; shown in grey with the word "unverified"
  NotRecovered  ///< "NR": no value; its place stays empty
};
std::string_view tag_text(Tag tag);
std::string_view tag_meaning(Tag tag);

struct PublishedFigure {
  std::string table, row, column;
  std::optional<double> value;  ///< nothing when tag is NotRecovered
  Tag tag = Tag::Seed;
  std::string source, protocol;
  std::optional<DataProtocol> data{};  ///< nothing: not stated
};

class Published {
 public:
  Published() = default;
  /// UsageError: TOML that does not parse; an unknown key or tag (known ones listed), a missing or
  /// wrongly typed one, two figures for one place; data that names no [protocol]. The message names
  /// file, line and place.
  Published(std::string_view toml, const std::string& name);
  /// Returns the figure of a place, or null.
  const PublishedFigure* find(std::string_view table, std::string_view row,
                              std::string_view column) const;
  const std::vector<PublishedFigure>& all() const { return figures_; }

 private:
  std::vector<PublishedFigure> figures_;
};

}  // namespace reprise::reports
