#include <fmt/format.h>

#include "datasets/formats/images.h"
#include "datasets/readers/synhead_files.h"
#include "tests/damage.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::ramp;

struct SynheadFiles : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
  void write_sequence(const std::string& name, const std::string& csv,
                      const std::vector<std::string>& pictures) const {
    write_file(file(name) / "poses.csv", csv);
    for (const auto& picture : pictures) write_png(file(name) / picture, ramp(16, 16));
  }
  void write_set() const {
    write_sequence("head3/run", "frame,pitch,yaw,roll\n0,1,2,3\n1,4,5,6\n5,7,8,9\n",
                   {"a_0.png", "a_1.png", "a_0005.png"});
    write_sequence("plain", "yaw_deg,frame,roll_deg,pitch_deg,light\n2,10,3,1,dim\n",
                   {"000010.png"});
  }
};

TEST_F(SynheadFiles, ASequenceIsAFolderWithACsvAtAnyDepth) {
  write_set();
  const auto videos = read_synhead_files(folder.path());
  ASSERT_EQ(videos.size(), 2U);
  EXPECT_EQ(videos[0].track.sequence, "head3/run");
  EXPECT_EQ(videos[0].person, "head3");
  EXPECT_THAT(videos[0].track.frame, ElementsAre(0, 1, 5));
  EXPECT_THAT(videos[0].track.angle[1], ElementsAre(2, 5, 8));
  EXPECT_EQ(videos[0].files[2].filename(), "a_0005.png");
  EXPECT_TRUE(videos[0].window.empty());
  EXPECT_EQ(videos[1].person, "plain");
  EXPECT_THAT(videos[1].track.angle[0], ElementsAre(1));
  EXPECT_TRUE(verify_synhead_files(folder.path()).empty());
}

TEST_F(SynheadFiles, WhatDoesNotFitIsNamedAllAtOnce) {
  write_set();
  write_sequence("b1", "frame,pitch,yaw,roll\n0,1,2,3\n1,1,2,3\n",
                 {"0.png", "7.png"});  // 1 lacks a picture, 7 a row
  write_sequence("b2", "frame,pitch,yaw,roll\n0,1,,3\n", {"0.png"});
  write_sequence("b3", "frame,pitch,yaw,roll\n3,1,2,3\n", {"x.png", "3.png", "03.png"});
  write_sequence("b4", "frame,pitch,yaw,roll\n", {});
  write_sequence("b5", "frame,pitch,yaw\n1,2,3\n", {});
  write_file(file("b6/a.csv"), "frame"), write_file(file("b6/b.csv"), "frame");
  std::string all;
  const auto issues = verify_synhead_files(folder.path());
  for (const auto& problem : issues) all += problem.where + ": " + problem.what + "\n";
  EXPECT_EQ(issues.size(), 8U) << all;
  for (const char* said :
       {"b1/poses.csv: frame 1 has no picture",
        "b1/poses.csv: there is no row for frame 7, the picture 7.png", "frame 0 has no yaw",
        "x.png: the name ends in no frame number", "two pictures are of frame 3",
        "no row below its header", "b5/poses.csv", "b6: 2 .csv files"})
    EXPECT_THAT(all, HasSubstr(said));
  EXPECT_THAT([&] { read_synhead_files(folder.path()); },
              ThrowsUsageError(HasSubstr("8 things are wrong")));
}

TEST_F(SynheadFiles, PicturesOfAnotherSizeOrDamagedOnesAreFound) {
  write_set();
  write_png(file("head3/run/a_1.png"), ramp(20, 16));
  write_file(file("plain/000010.png"), "no picture");
  const auto issues = verify_synhead_files(folder.path());
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_THAT(issues[0].what, HasSubstr("20 x 16 pixels, the first of its sequence 16 x 16"));
  EXPECT_THAT(issues[1].where, HasSubstr("000010.png"));
}

TEST_F(SynheadFiles, AFolderWithoutSequenceIsAnError) {
  EXPECT_THAT([&] { read_synhead_files(folder.path()); },
              ThrowsUsageError(HasSubstr("no sequence"), HasSubstr("NAME.csv")));
  EXPECT_THAT([&] { read_synhead_files(file("none")); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("cannot be read")));
  EXPECT_EQ(verify_synhead_files(file("none")).size(), 1U);
}

TEST_F(SynheadFiles, ADamagedCsvGivesASequenceOrOurErrorSlow) {
  write_set();
  const int refused = read_damaged_copies(
      file("head3/run/poses.csv"), "frame,pitch,yaw,roll\n0,1.25,2.5,3\n1,4,5,6\n5,7,8,9\n",
      [&](const auto&) { EXPECT_EQ(read_synhead_files(folder.path()).size(), 2U); });
  EXPECT_GE(refused, 75);
}

}  // namespace
}  // namespace reprise::datasets
