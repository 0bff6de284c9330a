#include <fstream>

#include "datasets/readers/faces_300w.h"
#include "datasets/readers/pts.h"
#include "tests/datasets/faces.h"
#include "tests/datasets/pts_text.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::points_at;
using testing_faces::ramp;
using testing_faces::write_face;

std::string pts(const std::string& points, int n = 68) {
  return "version: 1\nn_points: " + std::to_string(n) + "\n{\n" + points + "}\n";
}

std::string rows(int n) {
  std::string text;
  for (int k = 0; k < n; ++k) text += std::to_string(k) + " " + std::to_string(k * 0.5) + "\n";
  return text;
}

TEST(Pts, PointsAreReadInOrderWithEitherLineEndAndAnySpaces) {
  std::string text = "version:  1\r\nn_points:68\r\n{\r\n";
  for (int k = 0; k < 68; ++k)
    text += "  " + std::to_string(k) + ".25\t-" + std::to_string(k) + " \r\n";
  const auto points = parse_pts(text + "}\r\n\r\n", "a.pts");
  for (int k = 0; k < 68; ++k) {
    EXPECT_FLOAT_EQ(points[k][0].item<float>(), static_cast<float>(k) + 0.25F);
    EXPECT_FLOAT_EQ(points[k][1].item<float>(), static_cast<float>(-k));
  }
}

TEST(Pts, WrittenPointsReadBackToTheThirdDecimal) {
  const auto points = points_at(40.125, 30);
  EXPECT_TRUE(at::allclose(parse_pts(pts_text(points), "a"), points, 0, 5e-4));
}

TEST(Pts, EveryKindOfDamageIsNamedWithItsLine) {
  const auto parse = [](const std::string& text) { return [text] { parse_pts(text, "a.pts"); }; };
  EXPECT_THAT(parse(""), ThrowsUsageError(HasSubstr("a.pts"), HasSubstr("version: 1")));
  EXPECT_THAT(parse("version: 2\n"),
              ThrowsUsageError(HasSubstr("line 1"), HasSubstr("version: 2")));
  EXPECT_THAT(
      parse(pts(rows(51), 51)),
      ThrowsUsageError(HasSubstr("line 2"), HasSubstr("n_points: 51"), HasSubstr("n_points: 68")));
  EXPECT_THAT(parse(pts(rows(67))),
              ThrowsUsageError(HasSubstr("line 71 is '}'"), HasSubstr("point 68 of 68")));
  EXPECT_THAT(parse(pts(rows(69))),
              ThrowsUsageError(HasSubstr("line 72"), HasSubstr("'}' after 68 points")));
  EXPECT_THAT(parse("version: 1\nn_points: 68\n" + rows(68)),
              ThrowsUsageError(HasSubstr("line 3"), HasSubstr("'{'")));
  EXPECT_THAT(parse("version: 1\nn_points: 68\n{\n" + rows(20)),
              ThrowsUsageError(HasSubstr("ends after line 23")));
  EXPECT_THAT(parse(pts("nan 3\n" + rows(67))),
              ThrowsUsageError(HasSubstr("line 4 is 'nan 3'"), HasSubstr("finite")));
  EXPECT_THAT(parse(pts("1 2 3\n" + rows(67))), ThrowsUsageError(HasSubstr("line 4")));
  EXPECT_THAT(parse(pts("1,5 2\n" + rows(67))), ThrowsUsageError(HasSubstr("line 4")));
  EXPECT_THAT(parse(pts(rows(68)) + "more\n"),
              ThrowsUsageError(HasSubstr("line 73"), HasSubstr("nothing after")));
  std::string same;
  for (int k = 0; k < 68; ++k) same += "5 5\n";
  EXPECT_THAT(parse(pts(same)), ThrowsUsageError(HasSubstr("all points are equal")));
}

TEST(Faces300w, FacesOfAllSubfoldersAreReadSortedByItemWithTheirOwnSizes) {
  const TemporaryFolder folder;
  write_face(folder.path() / "helen/trainset", "100_2", ramp(60, 50), points_at(30, 25));
  write_face(folder.path() / "helen/trainset", "100_1", ramp(40, 48), points_at(20, 25));
  write_face(folder.path() / "afw", "77_1", ramp(50, 50), points_at(25, 25));
  write_file(folder.path() / "readme.txt", "not a face");
  const auto faces = read_faces_300w(folder.path());
  EXPECT_THAT(faces.item, ElementsAre("afw/77_1", "helen/trainset/100_1", "helen/trainset/100_2"));
  EXPECT_THAT(faces.person, ElementsAre("77", "100", "100"));
  ASSERT_EQ(faces.size(), 3);
  EXPECT_TRUE(at::equal(faces.images[1], ramp(40, 48)));
  EXPECT_TRUE(at::equal(faces.images[2], ramp(60, 50)));
  EXPECT_TRUE(at::allclose(faces.landmarks[2], points_at(30, 25), 0, 5e-4));
  EXPECT_EQ(faces.landmarks.scalar_type(), at::kFloat);
  EXPECT_TRUE(verify_faces_300w(folder.path()).empty());
}

TEST(Faces300w, ACropIsCutAsTheFaceIsRead) {
  const TemporaryFolder folder;
  write_face(folder.path(), "1_1", ramp(60, 50), points_at(30, 25));
  const FaceCrop crop{.size = 16, .scale = 1.2};
  const auto faces = read_faces_300w(folder.path(), crop);
  const auto expected = crop_face(ramp(60, 50), parse_pts(pts_text(points_at(30, 25)), ""), crop);
  EXPECT_TRUE(at::equal(faces.images[0], expected.image));
  EXPECT_TRUE(at::equal(faces.landmarks[0], expected.landmarks));
}

TEST(Faces300w, SeveralFacesOfOnePhotographShareItsNameAndNumberedPhotographsKeepTheirs) {
  EXPECT_EQ(photograph_name("4538917191_23"), "4538917191");
  EXPECT_EQ(photograph_name("image_003_1"), "image_003");
  EXPECT_EQ(photograph_name("image_0001"), "image_0001");
  EXPECT_EQ(photograph_name("indoor_001"), "indoor_001");
  EXPECT_EQ(photograph_name("100_1_b"), "100_1_b");
  EXPECT_EQ(photograph_name("_1"), "_1");
  EXPECT_EQ(photograph_name("face"), "face");
}

TEST(Faces300w, AllOffendersAreCountedAndTheFirstFiveNamed) {
  const TemporaryFolder folder;
  for (int i = 0; i < 7; ++i)
    write_png(folder.path() / ("lonely" + std::to_string(i) + ".png"), ramp(8, 8));
  const auto read = [&] { read_faces_300w(folder.path()); };
  EXPECT_THAT(read, ThrowsUsageError(HasSubstr("7 things are wrong"), HasSubstr("lonely0.png"),
                                     HasSubstr("lonely4.png"), HasSubstr("and 2 more")));
  EXPECT_THAT(read, ThrowsUsageError(testing::Not(HasSubstr("lonely5.png"))));
}

TEST(Faces300w, VerifyListsEveryProblemWithoutThrowing) {
  const TemporaryFolder folder;
  write_face(folder.path(), "good", ramp(40, 40), points_at(20, 20));
  write_face(folder.path(), "far", ramp(40, 40), points_at(200, 20));
  write_file(folder.path() / "only.pts", pts_text(points_at(20, 20)));
  write_face(folder.path(), "cut", ramp(40, 40), points_at(20, 20));
  write_file(folder.path() / "cut.png", read_file(folder.path() / "cut.png").substr(0, 30));
  write_face(folder.path(), "few", ramp(40, 40), points_at(20, 20));
  write_file(folder.path() / "few.pts", pts(rows(51), 51));
  write_face(folder.path(), "twice", ramp(40, 40), points_at(20, 20));
  write_png(folder.path() / "twice.JPG", ramp(40, 40));
  std::string all;
  const auto issues = verify_faces_300w(folder.path());
  for (const auto& [where, what, fix] : issues) {
    all += where + ": " + what + "\n";
    EXPECT_FALSE(fix.empty());
  }
  EXPECT_EQ(issues.size(), 5U) << all;
  for (const char* expected :
       {"far.png: only 0 of 68 landmarks lie inside", "only.pts: this annotation has no .jpg",
        "cut.png: ", "n_points: 51", "2 images carry"})
    EXPECT_THAT(all, HasSubstr(expected));
  EXPECT_EQ(verify_faces_300w(folder.path() / "none").size(), 1U);
  EXPECT_THAT([&] { read_faces_300w(folder.path() / "none"); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("official layout")));
}

}  // namespace
}  // namespace reprise::datasets
