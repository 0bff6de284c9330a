// Published figures of a study: published.toml.
//
//   [[figure]]
//   table = "table1"            row = "LSTM"            column = "Pre fc6"
//   value = 0.769               tag = "seed"
//   source = "document, table 1"
//   protocol = "300-VW, VGG16, AUC to 0.08"
//
// All keys must be there, but value, which must be left out when the tag is NR, and protocol, "" where it is not known.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

/// How sure a published figure is.
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
};

class Published {
 public:
  Published() = default;
  /// UsageError: TOML that does not parse; an unknown key or tag (known ones listed), a missing or wrongly typed one, two figures for
  /// one place. The message names file, line and place.
  Published(std::string_view toml, const std::string& name);
  /// The figure of a place, or null.
  const PublishedFigure* find(std::string_view table, std::string_view row, std::string_view column) const;
  const std::vector<PublishedFigure>& all() const { return figures_; }

 private:
  std::vector<PublishedFigure> figures_;
};

}  // namespace reprise::reports
