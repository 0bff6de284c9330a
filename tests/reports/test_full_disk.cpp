// The report on a disk without room: the page that is there stays whole, and the same command
// completes it later.
#include <cstdlib>

#include "reports/gnuplot.h"
#include "reports/report.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

Files files(char letter) {
  return {{"index.html", std::string(20000, letter)},
          {"claims.md", std::string(5000, letter)},
          {"tables/t.md", std::string(5000, letter)}};
}

TEST_P(FullDisk, ThePageStaysWholeAndIsCompletedLater) {
  on_disk([](Disk& disk) {
    const auto old = files('a'), now = files('b');
    write_report(old, disk.folder(), {.results = disk.folder()});
    expect_refused_without_a_trace(
        disk, [&] { write_report(now, disk.folder(), {.results = disk.folder()}); });
    EXPECT_TRUE(check_report(old, disk.folder()).empty());
    write_report(now, disk.folder(), {.results = disk.folder()});
    EXPECT_TRUE(check_report(now, disk.folder()).empty());
  });
}

// gnuplot may end as if all were well when what it draws does not arrive. It draws into memory: a
// folder for temporary files that is full does not matter, the limit on the size of files does.
TEST_P(FullDisk, AFigureNeedsNoDiskAndOneThatWasCutShortIsRefused) {
  const bool limited = GetParam() == Disk::Kind::FileLimit;
  on_disk([limited](Disk& disk) {
    const char* set = std::getenv("TMPDIR");
    const std::string before = set ? set : "/tmp";
    ::setenv("TMPDIR", disk.folder().c_str(), 1);
    const std::string script = "set samples 5000\nplot sin(x) with lines";
    EXPECT_THAT(run_gnuplot(script, {.width = 400, .height = 300}).svg,
                testing::EndsWith("</svg>\n\n"));
    disk.fill(4096);
    const auto draw = [&] { return run_gnuplot(script, {.width = 400, .height = 300}); };
    if (limited)
      EXPECT_THAT(draw, ThrowsError(testing::HasSubstr("ulimit -f")));
    else
      EXPECT_THAT(draw().svg, testing::EndsWith("</svg>\n\n"));
    EXPECT_TRUE(files_below(disk.folder()).empty()) << "nothing is left in TMPDIR";
    disk.make_room();
    ::setenv("TMPDIR", before.c_str(), 1);
  });
}

}  // namespace
}  // namespace reprise::reports
