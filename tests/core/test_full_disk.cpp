// What a file's name promises when the disk has no room: the old bytes or the new ones, and an
// error that says what to do.
#include "core/files.h"
#include "core/growing_file.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise {
namespace {

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

TEST_P(FullDisk, AFileIsRefusedAndTheOldOneStays) {
  on_disk([](Disk& disk) {
    const auto path = disk.folder() / "old" / "file";
    const std::string large(100000, 'y');
    write_file(path, "old");
    expect_refused_without_a_trace(disk, [&] { write_file(path, large); });
    expect_refused_without_a_trace(disk, [&] { write_file(disk.folder() / "new", large); });
    write_file(path, large);
    EXPECT_EQ(read_file(path), large);
  });
}

TEST_P(FullDisk, AFileThatGrowsIsRefusedAndTheOldOneStays) {
  on_disk([](Disk& disk) {
    const auto path = disk.folder() / "file";
    write_file(path, "old");
    expect_refused_without_a_trace(disk, [&] {
      GrowingFile file(path);
      for (int i = 0; i < 100; ++i) file.append(std::string(1000, 'y'));
      file.close();
    });
  });
}

}  // namespace
}  // namespace reprise
