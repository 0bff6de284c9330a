// LaTeX tables are for papers: they must compile, whatever titles hold.
#include <cstdlib>
#include <regex>

#include "reports/published.h"
#include "reports/tables.h"
#include "tests/reports/fake_records.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {

namespace fs = std::filesystem;

std::string awkward_table() {
  const FakeResults results;
  results.add("pre", {0.60, 0.62, 0.64});
  const std::string title = "[0047] a_b 50% $x$ {y} ~ ^ \\ # & σ² ε ± × → ≤ é \u2212 1 † <|>";
  const Table table{.id = "table1_faces-in_motion",
                    .title = title,
                    .caption = title,
                    .corner = title,
                    .rows = {title, title},
                    .columns = {title},
                    .entries = {{Entry{"table1", "faces", "pre", "auc"}},
                                {Entry{"table1", "faces", "none", "auc"}}}};
  return latex(resolve(table, Measured(results.store()), Published("", "published.toml")));
}

/// Letters with accents are set as they are; every other character must be one of LaTeX's own.
void expect_fit_for_latex(const std::string& tex, const std::string& name) {
  static const std::regex label(R"(\\label\{tab:[A-Za-z0-9_-]+\})"), row_argument(R"(\\\\\s*\[)");
  EXPECT_TRUE(std::regex_search(tex, label)) << name;
  EXPECT_FALSE(std::regex_search(tex, row_argument))
      << name << ": a row that begins with [ is read as an argument of the line's end";
  for (std::size_t i = 0; i < tex.size(); ++i) {
    const auto byte = static_cast<unsigned char>(tex[i]);
    if (byte < 0x80) continue;
    EXPECT_TRUE(byte == 0xC3 && i + 1 < tex.size())
        << name << ": " << tex.substr(i > 20 ? i - 20 : 0, 40);
    ++i;
  }
}

TEST(Latex, LabelsRowsAndCharactersAreFitForIt) {
  expect_fit_for_latex(awkward_table(), "awkward table");
  int tables = 0;
  for (const auto& file : fs::recursive_directory_iterator(fixture("../../results")))
    if (file.path().extension() == ".tex")
      expect_fit_for_latex(read_file(file), file.path().string()), ++tables;
  EXPECT_GT(tables, 10);
}

// LaTeX numbers tables itself: a caption would read "Table 3: Table 1: faces".
TEST(Latex, ACaptionDoesNotNumberItsTableASecondTime) {
  const FakeResults results;
  results.add("pre", {0.60, 0.62, 0.64});
  const auto caption = [&](const std::string& title) {
    const Table table{.id = "one",
                      .title = title,
                      .rows = {"row"},
                      .columns = {"AUC"},
                      .entries = {{Entry{"table1", "faces", "pre", "auc"}}}};
    return latex(resolve(table, Measured(results.store()), Published("", "published.toml")));
  };
  EXPECT_THAT(caption("Table 1: faces in motion"),
              testing::HasSubstr("\\caption{Faces in motion}"));
  EXPECT_THAT(caption("Tables and faces"), testing::HasSubstr("\\caption{Tables and faces}"));
}

/// A table of many columns, as a study has them.
std::string wide_latex() {
  const FakeResults results;
  results.add("pre", {0.60, 0.62, 0.64});
  Table table{.id = "wide", .title = "Wide", .corner = "Cell", .rows = {}, .entries = {}};
  for (int column = 0; column < 12; ++column)
    table.columns.push_back("traditional network " + std::to_string(column));
  for (int row = 0; row < 6; ++row) {
    table.rows.push_back("a long name of a method, with what it is compared with, " +
                         std::to_string(row));
    table.entries.emplace_back(table.columns.size(), Entry{"table1", "faces", "pre", "auc"});
  }
  return latex(resolve(table, Measured(results.store()), Published("", "published.toml")));
}

// A column of an article is 345 pt wide: a table that is wider runs off the paper.
TEST(Latex, AWideTableBecomesSeveralTabularsInOneFloat) {
  const auto tex = wide_latex();
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (auto at = tex.find(part); at != tex.npos; at = tex.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_GE(count("\\begin{tabular}"), 3U);
  EXPECT_EQ(count("\\begin{table}"), count("\\end{table}"));
  EXPECT_EQ(count("\\label{"), 1U);
  for (int column = 0; column < 12; ++column)
    EXPECT_EQ(count("network " + std::to_string(column) + "}"), 1U) << column;
}

TEST(Latex, NoTabularIsWiderThanTheColumnOfAnArticle) {
  if (std::system("pdflatex --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs pdflatex: apt-get install texlive-latex-recommended";
  const TemporaryFolder folder;
  write_file(folder.path() / "paper.tex",
             "\\documentclass{article}\n\\usepackage{booktabs,xcolor}\n\\begin{document}\n" +
                 wide_latex() + "\\end{document}\n");
  const auto command = "cd '" + folder.path().string() +
                       "' && pdflatex -interaction=nonstopmode -halt-on-error paper.tex >said 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder.path() / "said");
  EXPECT_THAT(read_file(folder.path() / "said"),
              testing::Not(testing::HasSubstr("Overfull \\hbox")));
}

TEST(Latex, PdflatexTakesTheTable) {
  if (std::system("pdflatex --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs pdflatex: apt-get install texlive-latex-recommended";
  const TemporaryFolder folder;
  write_file(folder.path() / "paper.tex",
             "\\documentclass{article}\n\\usepackage{booktabs,xcolor}\n\\begin{document}\n" +
                 awkward_table() + "\\ref{tab:table1_faces-in_motion}\n\\end{document}\n");
  const auto command = "cd '" + folder.path().string() +
                       "' && pdflatex -interaction=nonstopmode -halt-on-error paper.tex >said 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(folder.path() / "said");
}

}  // namespace
}  // namespace reprise::reports
