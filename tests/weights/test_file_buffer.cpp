#include <algorithm>

#include "tests/support.h"
#include "weights/file_buffer.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

// In a mapping of the file, looking at what is gone would end the process.
TEST(FileBuffer, KeepsItsBytesWhenTheFileIsCutShort) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "a.safetensors";
  write_file(path, std::string(1 << 20, 'x'));
  const FileBuffer file(path);
  std::filesystem::resize_file(path, 10);
  ASSERT_EQ(file.bytes().size(), 1U << 20);
  EXPECT_EQ(std::ranges::count(file.bytes(), 'x'), 1 << 20);
}

TEST(FileBuffer, NamesWhatCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THAT([&] { FileBuffer{folder.path() / "none"}; },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("No such file")));
  EXPECT_THAT([&] { FileBuffer{folder.path()}; },
              ThrowsUsageError(HasSubstr(folder.path().string()), HasSubstr("regular file")));
  write_file(folder.path() / "empty", "");
  EXPECT_EQ(FileBuffer(folder.path() / "empty").bytes().size(), 0U);
}

}  // namespace
}  // namespace reprise::weights
