#include <ATen/Parallel.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <sstream>
#include <thread>

#include "core/file_lock.h"
#include "core/sha256.h"
#include "datasets/export.h"
#include "datasets/predictions.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::points_at;
using testing_faces::ramp;

LandmarkFrames frames(std::vector<std::string> items) {
  LandmarkFrames set;
  std::vector<at::Tensor> points;
  for (std::size_t i = 0; i < items.size(); ++i) {
    set.images.push_back(ramp(40 + static_cast<std::int64_t>(i), 30, static_cast<int>(i)));
    points.push_back(points_at(20 + static_cast<double>(i), 15));
    set.person.push_back(items[i]);
  }
  set.landmarks = at::stack(points);
  set.item = std::move(items);
  return set;
}

const Split split = {.train = {0, 2}, .validation = {1}, .test = {3, 4}};

TEST(Export, AnExternalMethodReadsBackTheSameImagesAndLandmarks) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  const auto set = frames({"helen/a_1", "b", "c", "d", "e"});
  export_split(set, split, out);
  EXPECT_TRUE(at::equal(read_image(out / "train/images/helen/a_1.png"), set.images[0]));
  EXPECT_TRUE(at::equal(read_image(out / "test/images/e.png"), set.images[4]));
  const auto train = read_predictions(out / "train.csv", PredictionKind::Landmarks);
  EXPECT_THAT(train.item, ElementsAre("helen/a_1", "c"));
  EXPECT_TRUE(at::equal(train.values[1].to(at::kFloat), set.landmarks[2]));
  EXPECT_THAT(read_predictions(out / "test.csv", PredictionKind::Landmarks).item,
              ElementsAre("d", "e"));
}

TEST(Export, HeldBackLabelsLeaveOnlyTheItemsOfTheTest) {
  const TemporaryFolder folder;
  export_split(frames({"a", "b", "c", "d", "e"}), split, folder.path() / "out",
               TestLabels::HeldBack);
  EXPECT_EQ(read_file(folder.path() / "out/test.csv"), "item\nd\ne\n");
  EXPECT_THAT(read_file(folder.path() / "out/validation.csv"), HasSubstr("x67,y67"));
}

TEST(Export, ChecksumsCoverEveryFileAndTheBytesRepeat) {
  const TemporaryFolder folder;
  const auto set = frames({"a", "b", "c", "d", "e"});
  export_split(set, split, folder.path() / "one");
  export_split(set, split, folder.path() / "two");
  const std::string sums = read_file(folder.path() / "one/SHA256SUMS");
  EXPECT_EQ(sums, read_file(folder.path() / "two/SHA256SUMS"));
  std::istringstream lines(sums);
  std::vector<std::string> files;
  for (std::string line; std::getline(lines, line);) {
    files.push_back(line.substr(66));
    EXPECT_EQ(line.substr(0, 64), sha256_file(folder.path() / "one" / files.back()));
  }
  EXPECT_THAT(files, ElementsAre("test.csv", "test/images/d.png", "test/images/e.png", "train.csv",
                                 "train/images/a.png", "train/images/c.png", "validation.csv",
                                 "validation/images/b.png"));
}

TEST(Export, NothingIsWrittenOutsideTheFolderOrOverOtherFiles) {
  const TemporaryFolder folder;
  write_file(folder.path() / "full/notes.txt", "mine");
  EXPECT_THAT(
      [&] {
        export_split(frames({"a", "b", "c", "d", "e"}), split, folder.path() / "full");
      },
      ThrowsUsageError(HasSubstr("not empty")));
  for (const std::string item : {"../evil", "/etc/evil", "a/../../evil", ""})
    EXPECT_THAT(
        [&] {
          export_split(frames({item, "b", "c", "d", "e"}), split, folder.path() / "out");
        },
        ThrowsUsageError(HasSubstr("'" + item + "'")))
        << item;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "evil.png"));
  EXPECT_THAT(
      [&] {
        export_split(frames({"a", "b"}), split, folder.path() / "out");
      },
      ThrowsUsageError(HasSubstr("of 5 items, the set of 2")));
}

/// The files of a folder, but for those of an export that is not finished.
std::size_t files_in(const std::filesystem::path& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    count += entry.is_regular_file() ? 1 : 0;
  return count;
}

/// An export in a process of its own that SIGKILL ends when its first picture is there.
void export_and_kill(const LandmarkFrames& set, const std::filesystem::path& out,
                     const std::filesystem::path& first) {
  const pid_t child = ::fork();
  if (child == 0) {
    at::set_num_threads(1);
    std::thread([&] {
      while (!std::filesystem::exists(first))
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      ::kill(::getpid(), SIGKILL);
    }).detach();
    export_split(set, split, out);
    ::pause();  // it was faster than the thread that watches
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(Export, OneThatWasKilledBeginsAgainAndEndsAsOneThatWasNotSlow) {
  const TemporaryFolder folder;
  auto set = frames({"a", "b", "c", "d", "e"});
  for (auto& image : set.images) image = ramp(600, 500, 1);
  export_split(set, split, folder.path() / "whole");
  for (const bool there : {false, true}) {
    const auto out = folder.path() / (there ? "there" : "new");
    if (there) std::filesystem::create_directory(out);
    const auto unfinished = there ? out / ".unfinished" : folder.path() / ".new.unfinished";
    export_and_kill(set, out, unfinished / "export/train/images/a.png");
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_TRUE(std::filesystem::exists(unfinished / "export")) << "it was killed";
    EXPECT_FALSE(std::filesystem::exists(out / "SHA256SUMS"));
    write_file(unfinished / "export" / "of another seed", "");
    export_split(set, split, out);
    EXPECT_EQ(read_file(out / "SHA256SUMS"), read_file(folder.path() / "whole" / "SHA256SUMS"));
    EXPECT_EQ(files_in(out), files_in(folder.path() / "whole"));
    EXPECT_FALSE(std::filesystem::exists(unfinished));
  }
}

TEST(Export, OfTwoAtOnceIntoOneFolderOneIsRefused) {
  const TemporaryFolder folder;
  const auto out = folder.path() / "out";
  std::filesystem::create_directory(folder.path() / ".out.unfinished");
  const FileLock other(folder.path() / ".out.unfinished" / ".lock",
                       {.name = "out", .holder = "another export", .fix = ""});
  EXPECT_THAT(
      [&] {
        export_split(frames({"a", "b", "c", "d", "e"}), split, out);
      },
      ThrowsUsageError(HasSubstr("is in use by another export"), HasSubstr("into another folder")));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(Export, AFolderOfAUsersThatLooksUnfinishedIsLeftAlone) {
  const TemporaryFolder folder;
  write_file(folder.path() / ".out.unfinished" / "mine.txt", "mine");
  EXPECT_THAT(
      [&] {
        export_split(frames({"a", "b", "c", "d", "e"}), split, folder.path() / "out");
      },
      ThrowsUsageError(HasSubstr("no export made it")));
  EXPECT_EQ(read_file(folder.path() / ".out.unfinished" / "mine.txt"), "mine");
}

TEST(LandmarkFrames, APartKeepsImagesPointsAndNamesTogether) {
  const auto set = frames({"a", "b", "c"});
  const auto part = set.at({2, 0});
  EXPECT_THAT(part.item, ElementsAre("c", "a"));
  EXPECT_TRUE(at::equal(part.images[0], set.images[2]));
  EXPECT_TRUE(at::equal(part.landmarks[0], set.landmarks[2]));
  EXPECT_EQ(set.at({}).landmarks.size(0), 0);
  EXPECT_THAT([&] { set.at({3}); }, ThrowsUsageError(HasSubstr("no frame 3")));
}

// Each modality of a clip is a strip of its frames; labels and their names are beside; held-back
// labels are not.
TEST(Export, ClipsAreStripsWithLabelsSlow) {
  const TemporaryFolder folder;
  LabelledClips clips;
  clips.colour =
      at::arange(5 * 3 * 4 * 4 * 3).remainder(251).to(at::kByte).reshape({5, 3, 4, 4, 3});
  clips.depth = at::arange(5 * 3 * 4 * 4).remainder(241).to(at::kByte).reshape({5, 3, 4, 4, 1});
  clips.labels = at::tensor({0, 1, 1, 0, 1}, at::kLong);
  clips.classes = {"push", "pull, slowly"};
  clips.item = {"p/0", "p/1", "q/2", "r/3", "s/4"};
  clips.person = {"p", "p", "q", "r", "s"};
  export_split(clips, split, folder.path() / "one", TestLabels::HeldBack);
  const auto strip = read_image(folder.path() / "one/train/clips/q/2.colour.png");
  ASSERT_EQ(strip.sizes(), at::IntArrayRef({4, 12, 3}));
  EXPECT_TRUE(at::equal(strip.slice(1, 4, 8), clips.colour[2][1]));
  EXPECT_TRUE(at::equal(
      read_image(folder.path() / "one/test/clips/s/4.depth.png").slice(1, 8, 12).select(2, 0),
      clips.depth[4][2].select(2, 0)));
  EXPECT_EQ(read_file(folder.path() / "one/train.csv"), "item,label\np/0,0\nq/2,1\n");
  EXPECT_EQ(read_file(folder.path() / "one/test.csv"), "item\nr/3\ns/4\n");
  EXPECT_EQ(read_file(folder.path() / "one/classes.csv"),
            "label,name\n0,push\n1,\"pull, slowly\"\n");
  EXPECT_EQ(read_image(folder.path() / "one/sheet.png").sizes(),
            at::IntArrayRef({2 * 2 * 4, 12, 3}));
  export_split(clips, split, folder.path() / "two", TestLabels::HeldBack);
  EXPECT_EQ(read_file(folder.path() / "one/SHA256SUMS"),
            read_file(folder.path() / "two/SHA256SUMS"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "one/train/clips/q/2.flow.png"));
  EXPECT_THAT([&] { export_split(clips, split, folder.path() / "one"); },
              ThrowsUsageError(HasSubstr("not empty")));
}

}  // namespace
}  // namespace reprise::datasets
