// Published figures of a study: published.toml.
//
//   [[figure]]
//   table = "table1"
//   row = "LSTM"
//   column = "Pre fc6"
//   value = 0.769
//   tag = "seed"
//   source = "document, table 1"
//   protocol = "300-VW, VGG16, AUC to 0.08"
//   data = "300vw"
//
//   [protocol.300vw]
//   set = "300-VW, category 3"
//   split = "..."
//   framing = "..."
//   size = 224
//   count = 64
//
// Keys of a figure; all are required except as stated:
//   - table, row, column: its place.
//   - value: absent with the tag NR.
//   - tag: where the value comes from (enum Tag).
//   - protocol: how it was measured; "" if unknown.
//   - data: optional. The data that the value was measured on. It names a [protocol], which many
//     figures can share, or has the keys of one: { set = "...", ... }.
//
// Keys of a protocol; only `set` is required:
//   - split: the part of the set.
//   - framing: how items are cropped and scaled.
//   - size: side of a picture, pixels.
//   - count: number of tested items.
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
  /// Throws a UsageError that names file, line and place, for:
  ///   - TOML that does not parse;
  ///   - a missing, unknown or wrongly typed key, or an unknown tag;
  ///   - two figures for one place, and data without its [protocol].
  Published(std::string_view toml, const std::string& name);
  /// Returns the figure of a place, or null.
  const PublishedFigure* find(std::string_view table, std::string_view row,
                              std::string_view column) const;
  const std::vector<PublishedFigure>& all() const { return figures_; }

 private:
  std::vector<PublishedFigure> figures_;
};

}  // namespace reprise::reports
