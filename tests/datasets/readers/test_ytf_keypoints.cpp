#include <fmt/format.h>

#include <opencv2/imgcodecs.hpp>

#include "datasets/readers/ytf_keypoints.h"
#include "tests/datasets/faces.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_faces::points_at;
using testing_faces::ramp;

std::string header(bool lettered = false, const std::string& first = "image_name") {
  std::string text = first;
  for (int i = 0; i < 136; ++i)
    text += lettered ? fmt::format(",{}{}", i % 2 == 0 ? 'x' : 'y', i / 2) : fmt::format(",{}", i);
  return text + "\n";
}

std::string row(const std::string& image, const at::Tensor& points) {
  std::string text = image;
  for (int i = 0; i < 136; ++i) text += fmt::format(",{:.3f}", points.data_ptr<float>()[i]);
  return text + "\n";
}

/// A set on disk: every name gets an image and a row.
class Set {
 public:
  explicit Set(const std::vector<std::string>& names, const std::string& head = header())
      : text_(head) {
    for (const auto& name : names) add(name);
  }
  void add(const std::string& name) {
    write_png(images() / name, ramp(50, 50, static_cast<int>(count_)));
    text_ += row(name, points_at(20 + static_cast<double>(count_++), 25));
  }
  void add_row(const std::string& text) { text_ += text; }
  const std::filesystem::path& write() {
    write_file(folder_.path() / "training_frames_keypoints.csv", text_);
    return folder_.path();
  }
  std::filesystem::path images() const { return folder_.path() / "training"; }

 private:
  TemporaryFolder folder_;
  std::string text_;
  int count_ = 0;
};

TEST(YtfKeypoints, BurstsAreInTimeOrderAndPersonsKeepTheirNames) {
  Set files({"Ann_Lee_12.jpg", "Ann_Lee_10.jpg", "Bo_de_la_Ho-y_00.jpg", "Ann_Lee_11.jpg",
             "Bo_de_la_Ho-y_01.jpg", "Bo_de_la_Ho-y_02.jpg", "Ann_Lee_01.jpg"});
  const auto set = read_ytf_keypoints(files.write());
  EXPECT_THAT(set.frames.item,
              ElementsAre("Ann_Lee_01", "Ann_Lee_10", "Ann_Lee_11", "Ann_Lee_12",
                          "Bo_de_la_Ho-y_00", "Bo_de_la_Ho-y_01", "Bo_de_la_Ho-y_02"));
  EXPECT_THAT(set.frames.person, ElementsAre("Ann_Lee", "Ann_Lee", "Ann_Lee", "Ann_Lee",
                                             "Bo_de_la_Ho-y", "Bo_de_la_Ho-y", "Bo_de_la_Ho-y"));
  ASSERT_EQ(set.bursts.size(), 2U);
  EXPECT_EQ(set.bursts[0].name, "Ann_Lee_1");
  EXPECT_THAT(set.bursts[0].frames, ElementsAre(1, 2, 3));
  EXPECT_EQ(set.bursts[1].person, "Bo_de_la_Ho-y");
  EXPECT_THAT(set.bursts[1].frames, ElementsAre(4, 5, 6));
  EXPECT_THAT(set.incomplete, ElementsAre("Ann_Lee_0"));
  // The row's own image and points: blue counts the rows.
  EXPECT_EQ(set.frames.images[3].select(2, 2).max().item<int>(), 0);
  EXPECT_TRUE(at::allclose(set.frames.landmarks[3], points_at(20, 25), 0, 1e-3));
  EXPECT_EQ(set.frames.images[0].select(2, 2).max().item<int>(), 6);
  EXPECT_TRUE(at::allclose(set.frames.landmarks[0], points_at(26, 25), 0, 1e-3));
  EXPECT_TRUE(verify_ytf_keypoints(files.write()).empty());
}

TEST(YtfKeypoints, AnUntitledFirstColumnAndLetteredColumnsAreTheSameSet) {
  Set numbered({"Ann_Lee_10.jpg"}, header(false, "")), lettered({"Ann_Lee_10.jpg"}, header(true));
  EXPECT_TRUE(at::equal(read_ytf_keypoints(numbered.write()).frames.landmarks,
                        read_ytf_keypoints(lettered.write()).frames.landmarks));
}

TEST(YtfKeypoints, ImagesWithAnAlphaChannelAreReadAsRgb) {
  Set files({"Ann_Lee_10.jpg"});
  const cv::Mat bgra(50, 50, CV_8UC4, cv::Scalar(10, 20, 30, 128));
  std::vector<unsigned char> bytes;
  ASSERT_TRUE(cv::imencode(".png", bgra, bytes));
  write_file(files.images() / "Ann_Lee_10.jpg",
             {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const auto image = read_ytf_keypoints(files.write()).frames.images[0];
  ASSERT_THAT(image.sizes(), ElementsAre(50, 50, 3));
  EXPECT_TRUE(at::equal(image[7][9], at::tensor({30, 20, 10}, at::kByte)));
}

TEST(YtfKeypoints, AMissingFileOrColumnIsNamed) {
  const TemporaryFolder empty;
  EXPECT_THAT([&] { read_ytf_keypoints(empty.path()); },
              ThrowsError(HasSubstr("training_frames_keypoints.csv")));
  EXPECT_EQ(verify_ytf_keypoints(empty.path()).size(), 1U);
  std::string head = header();
  head.replace(head.find(",135"), 4, ",136");
  Set files({}, head);
  EXPECT_THAT([&] { read_ytf_keypoints(files.write()); },
              ThrowsUsageError(HasSubstr("1 of 136"), HasSubstr("missing: 135")));
  Set wide({}, "image_name,136" + header().substr(10));
  EXPECT_THAT([&] { read_ytf_keypoints(wide.write()); },
              ThrowsUsageError(HasSubstr("138 columns")));
  Set none({});
  EXPECT_THAT([&] { read_ytf_keypoints(none.write()); }, ThrowsUsageError(HasSubstr("no row")));
}

TEST(YtfKeypoints, VerifyNamesEveryLineThatIsWrong) {
  Set files({"Ann_Lee_10.jpg"});
  auto broken = points_at(25, 25);
  broken[3][1] = std::nan("");
  files.add_row(row("Ann_Lee_10.jpg", points_at(25, 25)));
  files.add_row(row("Cy_Day_10.jpg", points_at(25, 25)));
  files.add_row(row("../Ann_Lee_10.jpg", points_at(25, 25)));
  files.add_row(row("portrait.jpg", points_at(25, 25)));
  write_png(files.images() / "Di_Fox_10.jpg", ramp(50, 50));
  files.add_row(row("Di_Fox_10.jpg", broken));
  write_png(files.images() / "Ed_Guy_10.jpg", ramp(50, 50));
  write_file(files.images() / "Flo_Hay_10.jpg", "no image");
  files.add_row(row("Flo_Hay_10.jpg", points_at(25, 25)));
  const auto issues = verify_ytf_keypoints(files.write());
  std::string all;
  for (const auto& [where, what, fix] : issues) all += where + ": " + what + "\n";
  EXPECT_EQ(issues.size(), 7U) << all;
  for (const char* expected :
       {"line 3: 'Ann_Lee_10.jpg' occurs a second time", "line 4: the image",
        "line 5: '../Ann_Lee_10.jpg' is not a name", "line 6: 'portrait.jpg'", "column '7': 'nan'",
        "Ed_Guy_10.jpg: no row", "Flo_Hay_10.jpg: "})
    EXPECT_THAT(all, HasSubstr(expected));
  EXPECT_THAT([&] { read_ytf_keypoints(files.write()); },
              ThrowsUsageError(HasSubstr("5 things are wrong"), HasSubstr("line 4")));
}

}  // namespace
}  // namespace reprise::datasets
