#include <fmt/format.h>

#include <cmath>

#include "datasets/formats/images.h"
#include "datasets/readers/biwi.h"
#include "datasets/scene/synthetic_head.h"
#include "tests/damage.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::ramp;

/// As the official files are: a blank after each number, blank lines between the parts.
const std::string calibration =
    "517.679 0 320 \n0 517.679 240.5 \n0 0 1 \n\n0 0 0 0 \n\n0.999947 0.00432361 0.00929419 \n-0.00446314 0.999877 0.0150443 \n"
    "-0.009228 -0.015085 0.999844 \n\n-24.0198 5.8896 -13.2308 \n\n640 480\n";
const std::string straight =
    "500 0 320\n0 400 240\n0 0 1\n\n0 0 0 0\n\n1 0 0\n0 1 0\n0 0 1\n\n0 0 0\n\n640 480\n";

std::string pose_text(const HeadPose& pose, const std::array<double, 3>& centre) {
  const auto R = rotation(pose);
  std::string text;
  for (int i = 0; i < 3; ++i)
    text += fmt::format("{} {} {} \n", R[3 * i], R[3 * i + 1], R[3 * i + 2]);
  return text + fmt::format("\n{} {} {} \n\n", centre[0], centre[1], centre[2]);
}

struct Biwi : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
  void write_frame(const std::string& sequence, int number, const HeadPose& pose) const {
    write_png(file(fmt::format("{}/frame_{:05}_rgb.png", sequence, number)), ramp(64, 48));
    write_file(file(fmt::format("{}/frame_{:05}_pose.txt", sequence, number)),
               pose_text(pose, {10, -20, 1000}));
  }
  void write_set() const {
    for (const int n : {3, 4, 7})
      write_frame("01", n, {.pitch = 1.0 * n, .yaw = -2.0 * n, .roll = 0.5 * n});
    for (const int n : {12, 13}) write_frame("22", n, {});
    for (const char* sequence : {"01", "22"}) write_file(file(sequence) / "rgb.cal", straight);
    write_file(file("01/frame_00003_depth.bin"), "not read");
    write_file(file("01.obj"), "not read");
    write_file(file("readme.txt"), "not read");
  }
};

TEST(PoseAngles, OfARotationAreThoseOfEveryGoldenCase) {
  for (const auto& c : fixture_json("dynamic_face.json").at("euler")) {
    std::array<double, 9> R{};
    for (std::size_t i = 0; i < 9; ++i) R[i] = c.at("R").at(i / 3).at(i % 3).get<double>();
    const auto angles = euler_angles(R);
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(angles[a], c.at("pitch_yaw_roll_deg").at(a).get<double>(), 1e-6) << c;
  }
}

TEST(PoseAngles, GoThereAndBackWhereverTheyAreUnique) {
  for (double pitch = -170; pitch < 180; pitch += 35)
    for (double yaw = -89; yaw < 90; yaw += 17)
      for (double roll = -175; roll < 180; roll += 50) {
        const auto angles = euler_angles(rotation({.pitch = pitch, .yaw = yaw, .roll = roll}));
        EXPECT_NEAR(angles[0], pitch, 1e-9);
        EXPECT_NEAR(angles[1], yaw, 1e-9);
        EXPECT_NEAR(angles[2], roll, 1e-9);
      }
  for (
      const double yaw :
      {90.0,
       -90.0}) {  // pitch and roll turn about one axis: any pair that gives the same rotation will do
    const auto R = rotation({.pitch = 20, .yaw = yaw, .roll = 35});
    const auto angles = euler_angles(R);
    const auto again = rotation({.pitch = angles[0], .yaw = angles[1], .roll = angles[2]});
    for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(again[i], R[i], 1e-7) << yaw << " " << i;
    EXPECT_EQ(angles[2], 0);
  }
  EXPECT_THAT(
      [] {
        euler_angles({1, 0, 0, 0, 1, 0, 0, 0, -1});
      },
      ThrowsUsageError(HasSubstr("not a rotation")));
  EXPECT_THAT(
      [] {
        euler_angles({1, 0, 0, 0, 1.2, 0, 0, 0, 1});
      },
      ThrowsUsageError(HasSubstr("not a rotation")));
  EXPECT_THAT(
      [] {
        euler_angles({NAN, 0, 0, 0, 1, 0, 0, 0, 1});
      },
      ThrowsUsageError(HasSubstr("not a rotation")));
}

TEST_F(Biwi, SequencesHaveTheirFramesPosesPeopleAndWindows) {
  write_set();
  const auto videos = read_biwi(folder.path());
  ASSERT_EQ(videos.size(), 2U);
  EXPECT_EQ(videos[0].track.sequence, "01");
  EXPECT_EQ(videos[0].person, "F01");
  EXPECT_EQ(videos[1].person, "M01");  // sequence 22 shows the man of sequence 7
  EXPECT_THAT(videos[0].track.frame, ElementsAre(3, 4, 7));
  for (int i = 0; i < 3; ++i) {
    const double n = static_cast<double>(videos[0].track.frame[i]);
    EXPECT_NEAR(videos[0].track.angle[0][i], n, 1e-9);
    EXPECT_NEAR(videos[0].track.angle[1][i], -2 * n, 1e-9);
    EXPECT_NEAR(videos[0].track.angle[2][i], 0.5 * n, 1e-9);
    EXPECT_THAT(videos[0].centre[i], ElementsAre(10, -20, 1000));
    EXPECT_NEAR(videos[0].window[i].x, 320 + 500 * 10 / 1000.0, 1e-9);
    EXPECT_NEAR(videos[0].window[i].y, 240 - 400 * 20 / 1000.0, 1e-9);
    EXPECT_NEAR(videos[0].window[i].side, 500 * biwi_head_size / 1000, 1e-9);
  }
  EXPECT_THAT(read_image(videos[0].files[2]).sizes(), ElementsAre(48, 64, 3));
  EXPECT_THAT(videos[0].files[2].filename(), "frame_00007_rgb.png");
  EXPECT_EQ(split_at_gaps(videos[0].track, 1).size(), 2U);
  EXPECT_TRUE(verify_biwi(folder.path()).empty());
}

TEST_F(Biwi, TheColourCameraStandsBesideTheDepthCamera) {
  const auto camera = parse_biwi_calibration(calibration, "rgb.cal");
  EXPECT_DOUBLE_EQ(camera.matrix[0], 517.679);
  EXPECT_DOUBLE_EQ(camera.rotation[3], -0.00446314);
  EXPECT_DOUBLE_EQ(camera.translation[2], -13.2308);
  // By hand: A X + t of X = (100, 50, 900) is (84.5559, 68.9770, 884.9518) mm, then K.
  const auto window = project_head_window(camera, {100, 50, 900}, 100);
  EXPECT_NEAR(window.x, 320 + 517.679 * 84.5559 / 884.9518, 1e-3);
  EXPECT_NEAR(window.y, 240.5 + 517.679 * 68.9770 / 884.9518, 1e-3);
  EXPECT_NEAR(window.side, 517.679 * 100 / 884.9518, 1e-3);
  EXPECT_THAT(
      [&] {
        project_head_window(camera, {0, 0, -500});
      },
      ThrowsUsageError(HasSubstr("not before the camera")));
}

TEST_F(Biwi, WhatIsMissingOrBrokenIsNamedAllAtOnce) {
  write_set();
  std::filesystem::remove(file("01/frame_00004_pose.txt"));
  std::filesystem::remove(file("22/frame_00012_rgb.png"));
  write_file(file("01/frame_00007_pose.txt"), "1 0 0\n0 1 0\n");
  write_file(file("22/frame_00013_rgb.png"), "no picture");
  const auto issues = verify_biwi(folder.path());
  ASSERT_EQ(issues.size(), 4U);
  EXPECT_THAT(issues[0].where, HasSubstr("frame_00004"));
  EXPECT_THAT(issues[0].what, HasSubstr("no pose"));
  EXPECT_THAT(issues[1].what, HasSubstr("ends after 2 of 4 rows"));
  EXPECT_THAT(issues[2].what, HasSubstr("no picture"));
  EXPECT_THAT(issues[3].where, HasSubstr("frame_00013_rgb.png"));
  EXPECT_THAT([&] { read_biwi(folder.path()); },
              ThrowsUsageError(HasSubstr("3 things are wrong"), HasSubstr("frame_00004")));
  std::filesystem::remove(file("22/rgb.cal"));
  EXPECT_EQ(verify_biwi(folder.path()).size(), 5U);
  EXPECT_THAT([&] { read_biwi(folder.path() / "01"); },
              ThrowsUsageError(HasSubstr("no sequence of BIWI"), HasSubstr("rgb.cal")));
  EXPECT_THAT([&] { read_biwi(folder.path() / "none"); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("cannot be read")));
  EXPECT_EQ(verify_biwi(folder.path() / "none").size(), 1U);
}

TEST_F(Biwi, ALineThatIsNotAsItShouldBeIsNamed) {
  const auto pose = [](const std::string& text) {
    return [text] { parse_biwi_pose(text, "pose.txt"); };
  };
  EXPECT_THAT(pose("1 0 0\n0 1 0\n0 0 1\n\n1 2\n"),
              ThrowsUsageError(HasSubstr("pose.txt: line 5 has 2 numbers where 3")));
  EXPECT_THAT(pose("1 0 0\n0 1 x\n0 0 1\n\n1 2 3\n"),
              ThrowsUsageError(HasSubstr("line 2 has 'x'")));
  EXPECT_THAT(pose("1 0 0\n0 1 0\n0 0 1\n\n1 2 3\n4\n"),
              ThrowsUsageError(HasSubstr("line 6 is one too many")));
  EXPECT_THAT(pose("1 0 0\n0 1 0\n0 0 2\n\n1 2 3\n"),
              ThrowsUsageError(HasSubstr("lines 1 to 3"), HasSubstr("not a rotation")));
  EXPECT_THAT(pose("1 0 0\n0 1 0\n0 0 1\n\n1 2 inf\n"), ThrowsUsageError(HasSubstr("line 5")));
  auto bent = straight;
  bent.replace(bent.find("0 0 0 0"), 7, "0 0.1 0 0");
  EXPECT_THAT([&] { parse_biwi_calibration(bent, "rgb.cal"); },
              ThrowsUsageError(HasSubstr("rgb.cal: distortion 0.1")));
  EXPECT_THAT([] { parse_biwi_calibration("0 0 1\n" + straight.substr(10), "rgb.cal"); },
              ThrowsUsageError(HasSubstr("rgb.cal")));
}

TEST_F(Biwi, DamagedFilesGiveASequenceOrOurErrorSlow) {
  write_set();
  const auto read = [&](const auto&) { EXPECT_FALSE(read_biwi(folder.path()).empty()); };
  EXPECT_GE(read_damaged_copies(file("01/frame_00003_pose.txt"),
                                pose_text({.pitch = 5, .yaw = 6}, {1, 2, 800}), read),
            75);
  EXPECT_GE(read_damaged_copies(file("01/rgb.cal"), calibration, read), 75);
}

}  // namespace
}  // namespace reprise::datasets
