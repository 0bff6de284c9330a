#include <ATen/ATen.h>

#include "datasets/formats/images.h"
#include "datasets/readers/action_videos.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_videos::gray_of;
using testing_videos::write_video;

std::vector<std::string> items(const VideoSet& set, const std::vector<std::int64_t>& part) {
  std::vector<std::string> names;
  for (const auto i : part) names.push_back(set.videos[static_cast<std::size_t>(i)].item);
  return names;
}

// Who is in a video, by the names that the public sets give.
TEST(ActionVideos, APersonIsReadFromTheName) {
  EXPECT_EQ(parse_video_person("ApplyEyeMakeup", "v_ApplyEyeMakeup_g08_c01"), "ApplyEyeMakeup_g08");
  EXPECT_EQ(parse_video_person("HandstandPushups", "v_HandStandPushups_g01_c04"),
            "HandStandPushups_g01");
  EXPECT_EQ(parse_video_person("brush_hair", "April_09_brush_hair_u_nm_np1_ba_goo_0"), "April_09");
  EXPECT_EQ(parse_video_person("walk", "daria_walk"), "daria");
  EXPECT_EQ(parse_video_person("walking", "person01_walking_d1_uncomp"), "person01");
  EXPECT_EQ(parse_video_person("0", "00000012"), "0/00000012");
  EXPECT_EQ(parse_video_person("walk", "_walk"), "walk/_walk");
}

// Weizmann's files as they come: nobody has sorted them.
TEST(ActionVideos, WeizmannsNamesTellPersonAndAction) {
  const TemporaryFolder folder;
  for (const auto* name : {"lena_walk1", "lena_walk2", "ido_walk", "daria_run"})
    write_video(folder.path() / (std::string(name) + ".avi"), 3);
  write_file(folder.path() / "readme.txt", "x");
  const auto set = read_weizmann(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("run", "walk"));
  EXPECT_THAT(items(set, {0, 1, 2, 3}),
              ElementsAre("run/daria_run", "walk/ido_walk", "walk/lena_walk1", "walk/lena_walk2"));
  EXPECT_THAT(set.persons({0, 1, 2, 3}), ElementsAre("daria", "ido", "lena", "lena"));
  EXPECT_EQ(set.videos[3].label, 1);
  EXPECT_EQ(read_clips(set, {0}, {.frames = 2, .size = 16, .flow = {}}).size(), 1);
  EXPECT_TRUE(verify_weizmann(folder.path()).empty());
  write_file(folder.path() / "eli_jump.avi", "no video");
  ASSERT_EQ(verify_weizmann(folder.path()).size(), 1U);
  EXPECT_EQ(verify_weizmann(folder.path())[0].where, "jump/eli_jump");
  for (const auto* name : {"walk.avi", "_walk.avi", "lena_2.avi"}) {
    write_file(folder.path() / name, "x");
    EXPECT_THAT([&] { read_weizmann(folder.path()); },
                ThrowsUsageError(HasSubstr(name), HasSubstr("person and an action")));
    std::filesystem::remove(folder.path() / name);
  }
  const TemporaryFolder none;
  EXPECT_THAT([&] { read_weizmann(none.path()); },
              ThrowsUsageError(HasSubstr("no video is in this folder")));
}

// MUG's folders as they come: a picture a frame, in the order of their numbers; what has no picture
// is no take.
TEST(ActionVideos, MugsTakesAreFoldersOfPictures) {
  const TemporaryFolder folder;
  for (const auto* take :
       {"002/anger/take000", "001/anger/take001", "001/anger/take000", "001/happiness/take000"})
    for (const int frame : {0, 1, 2, 10}) {
      const auto at = folder.path() / "subjects3" / take;
      std::filesystem::create_directories(at);
      write_png(at / ("img_" + std::to_string(frame) + ".png"),
                at::full({16, 20, 3}, 10 * frame, at::kByte));
    }
  std::filesystem::create_directories(folder.path() / "subjects3/003/anger/take000");
  write_file(folder.path() / "subjects3/001/anger/landmarks.txt", "x");
  for (const auto& where : {folder.path(), folder.path() / "subjects3"}) {
    const auto set = read_mug(where);
    EXPECT_THAT(set.classes, ElementsAre("anger", "happiness"));
    EXPECT_THAT(items(set, {0, 1, 2, 3}),
                ElementsAre("anger/001_take000", "anger/001_take001", "anger/002_take000",
                            "happiness/001_take000"));
    EXPECT_THAT(set.persons({0, 1, 2, 3}), ElementsAre("001", "001", "002", "001"));
    const auto clips = read_clips(set, {3}, {.frames = 4, .size = 8, .flow = {}});
    for (int t = 0; t < 4; ++t) EXPECT_EQ(gray_of(clips.colour[0][t]), t == 3 ? 100 : 10 * t);
    EXPECT_TRUE(verify_mug(where).empty());
  }
  write_file(folder.path() / "subjects3/001/anger/take000/img_3.png", "no picture");
  ASSERT_EQ(verify_mug(folder.path()).size(), 1U);
  const TemporaryFolder none;
  EXPECT_THAT([&] { read_mug(none.path()); },
              ThrowsUsageError(HasSubstr("no folder with the pictures of a take"),
                               HasSubstr("EXPRESSION")));
}

// Any folder of videos: classes alphabetical, other files left alone.
TEST(ActionVideos, FoldersAreClasses) {
  const TemporaryFolder folder;
  write_video(folder.path() / "walk/daria_walk.avi", 6, 40);
  write_video(folder.path() / "bend/ido_bend.avi", 6, 80);
  write_video(folder.path() / "bend/daria_bend.AVI", 6, 120);
  write_file(folder.path() / "bend/notes.txt", "x");
  write_file(folder.path() / "readme.txt", "x");
  std::filesystem::create_directories(folder.path() / "empty");
  const auto set = read_video_folders(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("bend", "walk"));
  EXPECT_THAT(items(set, {0, 1, 2}),
              ElementsAre("bend/daria_bend", "bend/ido_bend", "walk/daria_walk"));
  EXPECT_THAT(set.persons({0, 1, 2}), ElementsAre("daria", "ido", "daria"));
  EXPECT_EQ(set.videos[2].label, 1);
  EXPECT_TRUE(set.train.empty() && set.test.empty());
  const auto clips = read_clips(set, {2, 0}, {.frames = 2, .size = 16, .flow = {}});
  EXPECT_NEAR(gray_of(clips.colour[0][0]), 44, 2);
  EXPECT_NEAR(gray_of(clips.colour[1][0]), 124, 2);
  EXPECT_TRUE(verify_video_folders(folder.path()).empty());
  write_file(folder.path() / "bend/broken.mp4", "no video");
  const auto issues = verify_video_folders(folder.path());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].where, "bend/broken");
  write_video(folder.path() / "walk/daria_walk.mpg.avi", 2);
  std::filesystem::rename(folder.path() / "walk/daria_walk.mpg.avi",
                          folder.path() / "walk/daria_walk.mpg");
  EXPECT_THAT([&] { read_video_folders(folder.path()); },
              ThrowsUsageError(HasSubstr("daria_walk"), HasSubstr("but for its ending")));
}

// Strips: each its own person, frames exact.
TEST(ActionVideos, ShapeMotionStripsAreVideos) {
  const TemporaryFolder folder;
  auto strip = at::zeros({8, 4 * 8, 3}, at::kByte);
  for (int t = 0; t < 4; ++t) strip.slice(1, 8 * t, 8 * t + 8) = 50 * t;
  write_png(folder.path() / "0/00000003.png", strip);
  write_png(folder.path() / "1/00000001.png", strip.transpose(0, 1).contiguous());
  const auto set = read_shape_motion(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("0", "1"));
  EXPECT_THAT(set.persons({0, 1}), ElementsAre("0/00000003", "1/00000001"));
  const auto clips = read_clips(set, {0, 1}, {.frames = 4, .size = 8, .flow = {}});
  for (int t = 0; t < 4; ++t) EXPECT_EQ(gray_of(clips.colour[0][t]), 50 * t);
  EXPECT_TRUE(at::equal(clips.colour[0], clips.colour[1]));
  write_file(folder.path() / "1/00000002.png", "no picture");
  ASSERT_EQ(verify_shape_motion(folder.path()).size(), 1u);
  EXPECT_THAT(verify_shape_motion(folder.path())[0].what, HasSubstr("00000002.png"));
}

class Ucf101 : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* item :
         {"Archery/v_Archery_g01_c01", "Archery/v_Archery_g02_c01",
          "BabyCrawling/v_BabyCrawling_g01_c01", "BabyCrawling/v_BabyCrawling_g03_c02"})
      write_video(path() / "UCF-101" / (std::string(item) + ".avi"), 3);
    lists("1 BabyCrawling\r\n2 Archery\r\n",
          "Archery/v_Archery_g02_c01.avi 2\nBabyCrawling/v_BabyCrawling_g03_c02.avi 1\n",
          "Archery/v_Archery_g01_c01.avi\nBabyCrawling/v_BabyCrawling_g01_c01.avi\n");
  }
  void lists(const std::string& classes, const std::string& train, const std::string& test) {
    write_file(path() / "ucfTrainTestlist/classInd.txt", classes);
    write_file(path() / "ucfTrainTestlist/trainlist01.txt", train);
    write_file(path() / "ucfTrainTestlist/testlist01.txt", test);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  TemporaryFolder folder_;
};

// Labels by classInd.txt, parts by the lists, groups as the unit of a split.
TEST_F(Ucf101, TheOfficialFilesGiveLabelsAndParts) {
  const auto set = read_ucf101(path());
  EXPECT_THAT(set.classes, ElementsAre("BabyCrawling", "Archery"));
  EXPECT_EQ(set.videos[0].item, "Archery/v_Archery_g01_c01");
  EXPECT_EQ(set.videos[0].label, 1);
  EXPECT_EQ(set.videos[2].label, 0);
  EXPECT_THAT(items(set, set.train),
              ElementsAre("Archery/v_Archery_g02_c01", "BabyCrawling/v_BabyCrawling_g03_c02"));
  EXPECT_THAT(items(set, set.test),
              ElementsAre("Archery/v_Archery_g01_c01", "BabyCrawling/v_BabyCrawling_g01_c01"));
  EXPECT_EQ(set.videos[0].person, "Archery_g01");
  EXPECT_TRUE(verify_ucf101(path()).empty());
}

// Wrong lists are named by file and line.
TEST_F(Ucf101, WrongListsAreNamed) {
  const std::string classes = "1 BabyCrawling\n2 Archery\n",
                    train = "Archery/v_Archery_g02_c01.avi 2\n";
  lists("1 BabyCrawling\nArchery\n", train, train);
  EXPECT_THAT([&] { read_ucf101(path()); },
              ThrowsUsageError(HasSubstr("classInd.txt, line 2"), HasSubstr("'Archery'")));
  lists("1 BabyCrawling\n", train, "");
  EXPECT_THAT([&] { read_ucf101(path()); },
              ThrowsUsageError(HasSubstr("the class Archery is not in it")));
  lists(classes, train + "Archery/v_Archery_g09_c01.avi 2\n", "");
  EXPECT_THAT([&] { read_ucf101(path()); },
              ThrowsUsageError(HasSubstr("trainlist01.txt, line 2"),
                               HasSubstr("Archery/v_Archery_g09_c01 is not there")));
  lists(classes, train, train);
  EXPECT_THAT([&] { read_ucf101(path()); },
              ThrowsUsageError(HasSubstr("occurs twice in the split")));
  EXPECT_THAT([&] { read_ucf101(path(), 2); },
              ThrowsUsageError(HasSubstr("trainlist02.txt: the file is missing")));
  EXPECT_THAT([&] { read_ucf101(path() / "none"); },
              ThrowsUsageError(HasSubstr("cannot be read"), HasSubstr("classInd.txt")));
}

// 0, 1 and 2 mean neither, training and test.
TEST(Hmdb51, TheSplitFilesGiveTheParts) {
  const TemporaryFolder folder;
  for (const char* item :
       {"wave/A_wave_u_0", "wave/B_wave_u_0", "wave/C_wave_u_0", "run/A_run_f_0", "run/D_run_f_0"})
    write_video(folder.path() / (std::string(item) + ".avi"), 3);
  const auto lists = folder.path() / "testTrainMulti_7030_splits";
  write_file(lists / "wave_test_split1.txt",
             "A_wave_u_0.avi 1 \nB_wave_u_0.avi 2 \nC_wave_u_0.avi 0 \n");
  write_file(lists / "run_test_split1.txt", "A_run_f_0.avi 1 \nD_run_f_0.avi 2 \n");
  const auto set = read_hmdb51(folder.path());
  EXPECT_THAT(set.classes, ElementsAre("run", "wave"));
  EXPECT_THAT(items(set, set.train), ElementsAre("run/A_run_f_0", "wave/A_wave_u_0"));
  EXPECT_THAT(items(set, set.test), ElementsAre("run/D_run_f_0", "wave/B_wave_u_0"));
  EXPECT_EQ(set.videos[0].person, "A");
  EXPECT_TRUE(verify_hmdb51(folder.path()).empty());
  write_file(lists / "run_test_split1.txt",
             "A_run_f_0.avi 1 \nD_run_f_0.avi 3 \nE_run_f_0.avi 1\n");
  EXPECT_THAT([&] { read_hmdb51(folder.path()); },
              ThrowsUsageError(HasSubstr("run_test_split1.txt, line 2"), HasSubstr("0, 1 or 2"),
                               HasSubstr("line 3"), HasSubstr("run/E_run_f_0")));
  EXPECT_THAT([&] { read_hmdb51(folder.path(), 3); },
              ThrowsUsageError(HasSubstr("run_test_split3.txt: the file is missing")));
}

}  // namespace
}  // namespace reprise::datasets
