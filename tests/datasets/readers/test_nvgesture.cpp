#include <fmt/format.h>

#include <set>

#include "datasets/readers/nvgesture.h"
#include "datasets/splits.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_videos::gray_of;
using testing_videos::write_video;

constexpr const char* train_list = "nvgesture_train_correct_cvpr2016_v2.lst";
constexpr const char* test_list = "nvgesture_test_correct_cvpr2016_v2.lst";

std::string line(int label, const std::string& subject, int first, int end) {
  return fmt::format(
      "path:./Video_data/class_{0:02}/{1} depth:sk_depth:{2}:{3} color:sk_color:{2}:{3} duo_left:duo_left:{4}:{5} "
      "duo_right:duo_right:{4}:{5} "
      "duo_disparity:duo_disparity:{4}:{5} label:{0}\n",
      label, subject, first, end, 2 * first, 2 * end);
}

class NvGesture : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& [label, subject] : {std::pair{1, "subject13_r0"},
                                         {2, "subject13_r0"},
                                         {1, "subject2_r1"},
                                         {2, "subject7_r0"}}) {
      const auto folder = path() / fmt::format("Video_data/class_{:02}/{}", label, subject);
      write_video(folder / "sk_color.avi", 12, 20 * label);
      write_video(folder / "sk_depth.avi", 12, 100 + 20 * label);
    }
    write_file(path() / train_list, line(1, "subject13_r0", 3, 11) + line(2, "subject13_r0", 0, 8) +
                                        line(1, "subject2_r1", 2, 10));
    write_file(path() / test_list, line(2, "subject7_r0", 4, 12) + "\n");
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  TemporaryFolder folder_;
};

// Items, subjects, labels from 0, official parts, frames first to end - 1.
TEST_F(NvGesture, TheOfficialListsAreReadAsTheyAreMeant) {
  const auto set = read_nvgesture(path());
  ASSERT_EQ(set.videos.size(), 4u);
  EXPECT_EQ(set.videos[0].item, "class_01/subject13_r0");
  EXPECT_EQ(set.videos[0].person, "subject13");
  EXPECT_EQ(set.videos[0].label, 0);
  EXPECT_EQ(set.videos[0].colour.first, 3);
  EXPECT_EQ(set.videos[0].colour.end, 11);
  EXPECT_THAT(set.classes, ElementsAre("class_01", "class_02"));
  EXPECT_THAT(set.train, ElementsAre(0, 1, 2));
  EXPECT_THAT(set.test, ElementsAre(3));
  const auto clips = read_clips(set, set.train, {.frames = 8, .size = 16, .flow = {}});
  for (int t = 0; t < 8; ++t) {
    EXPECT_NEAR(gray_of(clips.colour[0][t]), 20 + 4 * (3 + t), 1.5) << t;
    EXPECT_NEAR(gray_of(clips.depth[0][t]), 120 + 4 * (3 + t), 1.5) << t;
  }
  EXPECT_TRUE(verify_nvgesture(path()).empty());
}

// Validation is split off the training subjects; no subject is in two parts.
TEST_F(NvGesture, ValidationIsSplitOffTrainingBySubject) {
  const auto set = read_nvgesture(path());
  const auto split =
      split_by(set.persons(set.train), {.train = 0.6, .validation = 0.4, .test = 0}, 1);
  std::set<std::string> train, validation;
  for (const auto i : split.train)
    train.insert(set.persons(set.train)[static_cast<std::size_t>(i)]);
  for (const auto i : split.validation)
    validation.insert(set.persons(set.train)[static_cast<std::size_t>(i)]);
  EXPECT_EQ(train.size(), 1u);
  EXPECT_EQ(validation.size(), 1u);
  EXPECT_NE(*train.begin(), *validation.begin());
}

// Two gestures of one folder are told apart by their first frames.
TEST_F(NvGesture, TwoGesturesOfOneFolderAreTwoItems) {
  write_file(path() / train_list, line(1, "subject13_r0", 0, 4) + line(1, "subject13_r0", 5, 9));
  const auto set = read_nvgesture(path());
  EXPECT_EQ(set.videos[0].item, "class_01/subject13_r0/000000");
  EXPECT_EQ(set.videos[1].item, "class_01/subject13_r0/000005");
}

// Every kind of bad line is named with its list and number.
TEST_F(NvGesture, BadLinesAreNamed) {
  const auto bad = [&](const std::string& text, auto... matchers) {
    write_file(path() / train_list, line(1, "subject2_r1", 2, 10) + text);
    EXPECT_THAT([&] { read_nvgesture(path()); },
                ThrowsUsageError(HasSubstr(fmt::format("{}, line 2", train_list)), matchers...))
        << text;
  };
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:1:5 label:1\n",
      HasSubstr("no color:FILE:FIRST:END"));
  bad("path:./Video_data/class_01/subject13_r0 color:sk_color:1:5 label:1\n",
      HasSubstr("no depth:FILE:FIRST:END"));
  bad("depth:sk_depth:1:5 color:sk_color:1:5 label:1\n", HasSubstr("no path:VALUE"));
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:1:5 color:sk_color:1:5\n",
      HasSubstr("no label:VALUE"));
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:1:5 color:sk_color:1:5 label:x\n",
      HasSubstr("label is 'x'"));
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:1:5 color:sk_color:1:5 label:0\n",
      HasSubstr("label 0"));
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:5:5 color:sk_color:1:5 label:1\n",
      HasSubstr("depth has no frames from 5 to 5"));
  bad("path:./Video_data/class_01/subject13_r0 depth:sk_depth:-1:5 color:sk_color:1:5 label:1\n",
      HasSubstr("'-1'"));
  bad("path:./Video_data/class_01/subject13_r0 depth:../x:1:5 color:sk_color:1:5 label:1\n",
      HasSubstr("no depth:FILE"));
  bad("path:../elsewhere depth:sk_depth:1:5 color:sk_color:1:5 label:1\n",
      HasSubstr("leaves the set's folder"));
  bad("path:./Video_data/class_01/subject99_r0 depth:sk_depth:1:5 color:sk_color:1:5 label:1\n",
      HasSubstr("sk_color.avi: the video is missing"));
  bad("nonsense\n", HasSubstr("'nonsense'"));
  bad("label:1 label:2\n", HasSubstr("occurs twice"));
  write_file(path() / train_list, line(1, "subject2_r1", 2, 10) + line(1, "subject2_r1", 2, 10));
  EXPECT_THAT([&] { read_nvgesture(path()); },
              ThrowsUsageError(HasSubstr("occurs twice in the lists")));
}

// Missing lists and folders say what the layout is; a short video is found by verifying.
TEST_F(NvGesture, MissingAndDamagedFilesAreNamed) {
  EXPECT_THAT([&] { read_nvgesture(path() / "none"); },
              ThrowsUsageError(HasSubstr("no such folder"), HasSubstr("official layout")));
  write_file(path() / test_list, line(2, "subject7_r0", 4, 30));
  const auto issues = verify_nvgesture(path());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].where, "class_02/subject7_r0");
  EXPECT_THAT(issues[0].what, HasSubstr("ends after 12 frames, 30 are wanted"));
  std::filesystem::remove(path() / test_list);
  EXPECT_THAT([&] { read_nvgesture(path()); },
              ThrowsUsageError(HasSubstr(test_list), HasSubstr("is missing")));
  // The list without _v2 serves where this one is missing.
  write_file(path() / "nvgesture_test_correct_cvpr2016.lst", line(2, "subject7_r0", 4, 12));
  EXPECT_EQ(read_nvgesture(path()).test.size(), 1u);
}

}  // namespace
}  // namespace reprise::datasets
