#include <cmath>

#include "datasets/pose_tracks.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PoseTracks, AreReadBySequenceWithGapsAndEmptyCells) {
  const auto tracks = parse_pose_tracks(
      "sequence,frame,pitch,yaw,roll\nb,3,1,2,3\na,1,-4.5,5,\nb,4,6,nan,8\n", "poses.csv");
  ASSERT_EQ(tracks.size(), 2U);
  EXPECT_EQ(tracks[0].sequence, "b");
  EXPECT_THAT(tracks[0].frame, ElementsAre(3, 4));
  EXPECT_THAT(tracks[0].angle[0], ElementsAre(1, 6));
  EXPECT_TRUE(std::isnan(tracks[0].angle[1][1]));
  EXPECT_THAT(tracks[1].angle[0], ElementsAre(-4.5));
  EXPECT_TRUE(std::isnan(tracks[1].angle[2][0]));
}

TEST(PoseTracks, AnySpellingOfNotMeasuredIsAnEmptyCell) {
  for (const std::string cell :
       {"", "NA", "N/A", "NaN", "nan", "NAN", "-nan(ind)", "null", "#N/A"}) {
    const auto tracks = parse_pose_tracks(
        "sequence,frame,pitch,yaw,roll\na,1,1,2,3\na,2.0,+4," + cell + ",6\n", "poses.csv");
    EXPECT_TRUE(std::isnan(tracks.at(0).angle[1][1])) << cell;
    EXPECT_THAT(tracks.at(0).angle[0], ElementsAre(1, 4));
  }
  EXPECT_THAT(
      [] { parse_pose_tracks("sequence,frame,pitch,yaw,roll\na,1,1,lost,3\n", "poses.csv"); },
      ThrowsUsageError(HasSubstr("'lost'"), HasSubstr("leave the cell empty")));
}

TEST(PoseTracks, TakeTheColumnsOfTheBiwiTracksInAnyOrder) {
  const auto tracks = parse_pose_tracks(
      "box_x,roll_deg,frame,yaw_deg,pitch_deg,sequence\n7,3,1,2,1,24\n", "biwi_plus.csv");
  EXPECT_THAT(tracks.at(0).angle[0], ElementsAre(1));
  EXPECT_THAT(tracks.at(0).angle[1], ElementsAre(2));
  EXPECT_THAT(tracks.at(0).angle[2], ElementsAre(3));
}

TEST(PoseTracks, NameTheLineThatCannotBe) {
  const auto read = [](const std::string& rows) {
    parse_pose_tracks("sequence,frame,pitch,yaw,roll\n" + rows, "poses.csv");
  };
  EXPECT_THAT([&] { read("a,1,0,0,0\na,1,0,0,0\n"); },
              ThrowsUsageError(HasSubstr("poses.csv, line 3: frame 1 of sequence a")));
  EXPECT_THAT([&] { read("a,1.5,0,0,0\n"); },
              ThrowsUsageError(HasSubstr("line 2"), HasSubstr("'1.5'")));
  EXPECT_THAT([&] { read("a,1,x,0,0\n"); }, ThrowsUsageError(HasSubstr("line 2"), HasSubstr("x")));
  EXPECT_THAT([] { parse_pose_tracks("sequence,frame,pitch,yaw\n", "poses.csv"); },
              ThrowsUsageError(HasSubstr("roll")));
}

TEST(PoseTracks, SplitAtTheirGapsAndLoseShortStretches) {
  const PoseTrack track{
      "7", {1, 2, 3, 10, 11, 20}, {{{1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}}}};
  const auto stretches = split_at_gaps(track, 2);
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(stretches[0].sequence, "7.0");
  EXPECT_THAT(stretches[1].frame, ElementsAre(10, 11));
  EXPECT_THAT(stretches[1].angle[2], ElementsAre(4, 5));
  EXPECT_TRUE(split_at_gaps(PoseTrack{}, 1).empty());
}

TEST(PoseTracks, AnyDamagedFileGivesTracksOrOurErrorSlow) {
  const TemporaryFolder folder;
  std::string text = "sequence,frame,pitch,yaw,roll\n";
  for (int i = 0; i < 20; ++i) text += "s," + std::to_string(i) + ",1.25,-3.5,0.125\n";
  EXPECT_GE(read_damaged_copies(folder.path() / "poses.csv", text,
                                [](const auto& path) { read_pose_tracks(path); }),
            20);
}

}  // namespace
}  // namespace reprise::datasets
