// A study of two methods in three seeds, with one table, one figure, one gallery and one claim:
// enough for every part of a page.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "reports/report.h"
#include "tests/reports/fake_records.h"

namespace reprise::reports {

inline constexpr std::string_view claims = R"([[claim]]
id = "1"
statement = "pre beats trad"
source = "document, table 1"
[[claim.row]]
id = "on faces"
kind = "better"
metric = "auc"
table = "table1"
dataset = "faces"
methods = "pre"
than = "trad"
)";
inline constexpr std::string_view published = R"([[figure]]
table = "table1"
row = "GRU"
column = "Pre fc6"
value = 0.772
tag = "seed"
source = "document, table 1"
protocol = "300-VW"
data = { set = "faces" }
)";

inline StudyView toy_study() {
  return {.name = "toy",
          .title = "A toy study",
          .document = "The document",
          .profile = "smoke",
          .claims = claims,
          .published = published,
          .tables = {{.id = "table1",
                      .title = "Alignment",
                      .corner = "Cell",
                      .rows = {"GRU"},
                      .columns = {"traditional", "Pre fc6"},
                      .entries = {{Entry{"table1", "faces", "trad", "auc"},
                                   Entry{"table1", "faces", "pre", "auc"}}},
                      .published = "table1",
                      .data = DataProtocol{.set = "faces"}}},
          .figures = {{.id = "curve",
                       .title = "Error",
                       .series = {{.label = "GRU",
                                   .table = "table1",
                                   .dataset = "faces",
                                   .method = "pre",
                                   .x = "",
                                   .y = "error"}}}},
          .galleries = {{.id = "frames",
                         .title = "Frames",
                         .pictures = {{.table = "table1",
                                       .dataset = "faces",
                                       .method = "pre",
                                       .file = "best.png",
                                       .caption = "best"}}}},
          .notes = {"What differs."}};
}

inline const std::string png = "\x89PNG\r\n\x1a\nnot a real one";

struct ToyCell {
  std::string method;
  std::int64_t seed;
  double auc;
};
inline const std::vector<ToyCell> toy_cells = {{"trad", 0, 0.501}, {"trad", 1, 0.523},
                                               {"trad", 2, 0.516}, {"pre", 0, 0.601},
                                               {"pre", 1, 0.628},  {"pre", 2, 0.617}};

inline void add_toy(const FakeResults& results, const ToyCell& cell) {
  const auto record = fake_record(cell.method, cell.seed, cell.auc);
  results.add(record, {{"error", {0.5, 0.25, cell.auc}}});
  if (cell.method == "pre") write_file(results.store().folder(record.cell) / "best.png", png);
}

/// All cells, in the order in which a run may have finished them.
inline void add_all(const FakeResults& results, bool backwards = false) {
  auto cells = toy_cells;
  if (backwards) std::reverse(cells.begin(), cells.end());
  for (const auto& cell : cells) add_toy(results, cell);
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

}  // namespace reprise::reports
