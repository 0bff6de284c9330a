// docs/analysis.md: what it tells to type into other tools works on what `export` writes.
#include <regex>

#include "core/files.h"
#include "core/text.h"
#include "tests/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// The block of the page in this language.
std::string block(const std::string& language) {
  const auto page = read_file(fixture("../../docs/analysis.md"));
  std::smatch found;
  if (!std::regex_search(page, found, std::regex("```" + language + "\n([^`]*)```"))) return "";
  return found[1];
}

struct Analysis : testing::Test {
  TemporaryFolder folder;

  void export_tables() const {
    ASSERT_EQ(
        call({"export", fixture("../../results/prernn"), "--out", folder.path() / "tables"}).status,
        done);
  }
  /// What the command prints, in the folder that has tables/.
  std::string printed(const std::string& command) const {
    const auto out = folder.path() / "out";
    const auto line = "cd " + shell_quote(folder.path().native()) + " && " + command + " > " +
                      shell_quote(out.native()) + " 2>&1";
    EXPECT_EQ(std::system(line.c_str()), 0) << read_file(out);
    return read_file(out);
  }
};

TEST_F(Analysis, PandasReadsTheLines) {
  if (std::system("python3 -c 'import pandas' >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs pandas: apt-get install python3-pandas";
  ASSERT_NE(block("python"), "");
  export_tables();
  write_file(folder.path() / "read.py", block("python"));
  const auto table = printed("python3 read.py");
  EXPECT_THAT(table, HasSubstr("pre_gru_fc6"));
  EXPECT_THAT(table, HasSubstr("faces_in_motion"));
}

TEST_F(Analysis, DuckDbReadsTheQuery) {
  if (std::system("python3 -c 'import duckdb' >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "needs DuckDB for Python: pip install duckdb";
  ASSERT_NE(block("sql"), "");
  export_tables();
  write_file(folder.path() / "query.sql", block("sql"));
  EXPECT_THAT(printed("python3 -c 'import duckdb; print(duckdb.sql(open(\"query.sql\").read()))'"),
              HasSubstr("pre_gru_fc6"));
}

TEST_F(Analysis, TensorBoardReadsTheEvents) {
  if (std::system(
          "python3 -c 'import tensorboard.backend.event_processing.event_accumulator' >/dev/null 2>&1") !=
      0)
    GTEST_SKIP() << "needs TensorBoard: pip install tensorboard";
  ASSERT_NE(block("python tensorboard"), "");
  ASSERT_EQ(call({"export", fixture("../../results/prernn"), "--format", "tensorboard", "--out",
                  folder.path() / "events"})
                .status,
            done);
  write_file(folder.path() / "read.py", block("python tensorboard"));
  EXPECT_THAT(printed("python3 read.py"),
              AllOf(HasSubstr("ScalarEvent(wall_time=0.0, step=0, value=0."), HasSubstr("step=")));
}

}  // namespace
}  // namespace reprise::reproduce
