// One list of endings and one rule for what a folder's system left there.
#include "core/files.h"
#include "datasets/formats/media_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> names(const std::vector<std::filesystem::path>& files,
                               const std::filesystem::path& folder) {
  std::vector<std::string> all;
  for (const auto& file : files) all.push_back(file.lexically_relative(folder).generic_string());
  return all;
}

struct MediaFolder : testing::Test {
  TemporaryFolder folder;
  void add(const std::string& name) const { write_file(folder.path() / name, "x"); }
};

TEST_F(MediaFolder, FilesOfASystemAndFoldersAreNeverMedia) {
  for (const auto* name :
       {"a10.png", "a9.JPG", "._a9.JPG", ".DS_Store", "Thumbs.db", "__MACOSX/._a9.JPG",
        "@eaDir/a.png", "x.png/y.png", "b.mp4", ".b.mp4", "notes.txt", "README"})
    add(name);
  const auto pictures = list_media(folder.path(), Media::Pictures, Depth::OneFolder);
  EXPECT_THAT(names(pictures.files, folder.path()), ElementsAre("a9.JPG", "a10.png"));
  const auto all = list_media(folder.path(), Media::Both, Depth::AllBelow);
  EXPECT_THAT(names(all.files, folder.path()),
              ElementsAre("a9.JPG", "a10.png", "b.mp4", "x.png/y.png"));
  EXPECT_THAT(describe_skipped(folder.path(), all, Media::Both),
              AllOf(HasSubstr("8 of 12 entries are skipped"), HasSubstr("1 .db"),
                    HasSubstr("1 .txt"), HasSubstr("1 without an ending"),
                    HasSubstr("5 hidden or of the system"), HasSubstr(".webp"), HasSubstr(".mkv")));
  EXPECT_THAT(describe_skipped(folder.path(), pictures, Media::Pictures),
              AllOf(HasSubstr("1 folders"), Not(HasSubstr(".mkv"))));
}

TEST_F(MediaFolder, AFolderOfMediaAloneSkipsNothing) {
  add("a.png");
  EXPECT_EQ(
      describe_skipped(folder.path(), list_media(folder.path(), Media::Pictures, Depth::AllBelow),
                       Media::Pictures),
      "");
  EXPECT_THAT([&] { list_media(folder.path() / "none", Media::Pictures, Depth::OneFolder); },
              ThrowsUsageError(HasSubstr("none: the folder cannot be read")));
}

// A link to a folder above would lead round for ever.
TEST_F(MediaFolder, LinkedFoldersAreNotEnteredAndAreCounted) {
  add("in/a.png");
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "in/up");
  const auto found = list_media(folder.path(), Media::Pictures, Depth::AllBelow);
  EXPECT_THAT(names(found.files, folder.path()), ElementsAre("in/a.png"));
  EXPECT_THAT(describe_skipped(folder.path(), found, Media::Pictures),
              HasSubstr("1 links to folders"));
}

}  // namespace
}  // namespace reprise::datasets
