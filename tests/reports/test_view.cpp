#include <cstdlib>

#include "reports/view.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {

TEST(Commands, AShellTakesTheWordsOfACommandLetterByLetter) {
  const Table table{
      .id = "table1", .title = "Alignment", .entries = {{Entry{"table1", "faces", "trad", "auc"}}}};
  const StudyView view{
      .name = "toy", .profile = "smoke'; touch witness; '$(touch witness)", .tables = {table}};
  const TemporaryFolder folder;
  write_file(folder.path() / "reprise", "#!/bin/sh\nprintf '[%s]' \"$@\" >>words\n");
  std::filesystem::permissions(folder.path() / "reprise", std::filesystem::perms::owner_all);
  std::string script = "cd '" + folder.path().string() + "'\n";
  for (const auto& line : commands_for(view, table)) script += line + "\n";
  write_file(folder.path() / "script", script);
  ASSERT_EQ(std::system(("sh '" + (folder.path() / "script").string() + "'").c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "witness"));
  EXPECT_EQ(read_file(folder.path() / "words"), "[run][toy][--profile][" + view.profile +
                                                    "][--only][table1/*][report][runs/toy/" +
                                                    view.profile + "]");
}

}  // namespace
}  // namespace reprise::reports
