// Every kind of file that this room reads, damaged in 300 ways from a fixed seed: reading it gives
// a value or our error with the file's name, within 2 GiB.
#include <fmt/format.h>

#include <opencv2/imgcodecs.hpp>
#include <string>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "datasets/predictions.h"
#include "datasets/readers/action_videos.h"
#include "datasets/readers/nvgesture.h"
#include "datasets/readers/pts.h"
#include "datasets/readers/ytf_keypoints.h"
#include "datasets/transforms/optical_flow.h"
#include "datasets/videos.h"
#include "tests/damage.h"
#include "tests/datasets/faces.h"
#include "tests/datasets/pts_text.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing_faces::points_at;
using testing_faces::ramp;
using testing_videos::write_video;

// Of 300 copies about 90 are cut short. A kind that shows where its end is refuses these at least.
constexpr int most_cut_copies = 75;

struct DamagedDataFile : testing::Test {
  TemporaryFolder folder;
  std::filesystem::path file(const std::string& name) const { return folder.path() / name; }
};

TEST_F(DamagedDataFile, PtsGivesPointsOrOurErrorSlow) {
  const int refused =
      read_damaged_copies(file("face.pts"), pts_text(points_at(30, 30)), [](const auto& path) {
        EXPECT_TRUE(at::isfinite(read_pts(path)).all().template item<bool>());
      });
  EXPECT_GE(refused, most_cut_copies);
}

TEST_F(DamagedDataFile, NpyGivesAnArrayOrOurErrorSlow) {
  for (const auto& [name, array] : {std::pair{"small.npy", at::arange(6).reshape({2, 3})},
                                    {"scalar.npy", at::scalar_tensor(0.5)}}) {
    const int refused = read_damaged_copies(file(name), encode_npy(array),
                                            [](const auto& path) { read_npy(path); });
    EXPECT_GE(refused, most_cut_copies) << name;
  }
}

TEST_F(DamagedDataFile, PredictionsGiveFiniteValuesOrOurErrorSlow) {
  const auto items = std::vector<std::string>{"a/0", "a/1", "b/0", "b/1"};
  const auto points =
      at::stack({points_at(20, 20), points_at(21, 20), points_at(40, 30), points_at(41, 31)})
          .to(at::kDouble);
  const std::vector<std::tuple<PredictionKind, std::string, Predictions>> kinds{
      {PredictionKind::Landmarks, "landmarks.csv", {items, points}},
      {PredictionKind::Labels, "labels.csv", {items, at::arange(4)}},
      {PredictionKind::Pose,
       "pose.csv",
       {items, at::arange(12).reshape({4, 3}).to(at::kDouble) / 7}}};
  for (const auto& [kind, name, predictions] : kinds) {
    const int refused = read_damaged_copies(
        file(name), format_predictions(predictions, kind), [kind = kind](const auto& path) {
          const auto read = read_predictions(path, kind);
          EXPECT_EQ(read.values.size(0), static_cast<std::int64_t>(read.item.size()));
          EXPECT_TRUE(at::isfinite(read.values).all().template item<bool>());
        });
    EXPECT_GE(refused, 20) << name;  // cut at the end of a line it is whole, only shorter
  }
  read_damaged_copies(file("landmarks.npy"), encode_npy(points),
                      [](const auto& path) { read_predictions(path, PredictionKind::Landmarks); });
}

TEST_F(DamagedDataFile, YtfKeypointsGiveFramesOrOurErrorSlow) {
  std::string text = "image_name";
  for (int i = 0; i < 136; ++i) text += fmt::format(",{}", i);
  for (int frame = 0; frame < 3; ++frame) {
    const std::string image = fmt::format("Ann_Lee_1{}.jpg", frame);
    write_png(file("training") / image, ramp(50, 50));
    text += "\n" + image;
    const auto points = points_at(24 + frame, 25);
    for (int i = 0; i < 136; ++i) text += fmt::format(",{:.3f}", points.data_ptr<float>()[i]);
  }
  const auto csv = file("training_frames_keypoints.csv");
  const int refused = read_damaged_copies(csv, text + "\n",
                                          [&](const auto&) { read_ytf_keypoints(folder.path()); });
  EXPECT_GE(refused, most_cut_copies);
  EXPECT_EQ(read_ytf_keypoints(folder.path()).bursts.size(), 1U);
}

std::string encoded(const std::string& ending, const std::vector<int>& options = {}) {
  cv::Mat picture(48, 40, CV_8UC3);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 40; ++x) picture.at<cv::Vec3b>(y, x) = cv::Vec3b(5 * x, 5 * y, 3 * (x + y));
  std::vector<unsigned char> bytes;
  cv::imencode(ending, picture, bytes, options);
  return {bytes.begin(), bytes.end()};
}

TEST_F(DamagedDataFile, AnImageGivesPixelsOrOurErrorSlow) {
  const auto read = [](const auto& path) { EXPECT_EQ(read_image(path).size(2), 3); };
  EXPECT_GE(read_damaged_copies(file("baseline.jpg"), encoded(".jpg"), read), most_cut_copies);
  EXPECT_GE(read_damaged_copies(file("progressive.jpg"),
                                encoded(".jpg", {cv::IMWRITE_JPEG_PROGRESSIVE, 1}), read),
            most_cut_copies);
  EXPECT_GE(read_damaged_copies(file("image.png"), encoded(".png"), read), most_cut_copies);
}

// A header of a few hundred bytes may claim any number of pixels; memory is taken by it before a
// single one is decoded.
TEST_F(DamagedDataFile, AnImageThatClaimsMorePixelsThanAnyPhotographHasIsRefused) {
  std::string jpeg = encoded(".jpg"), png = encoded(".png");
  const auto frame = jpeg.find("\xFF\xC0");
  ASSERT_NE(frame, std::string::npos);
  jpeg.replace(frame + 5, 4, std::string("\x7F\x00\x7F\x00", 4));          // 32512 x 32512
  png.replace(16, 8, std::string("\x00\x00\x7F\x00\x00\x00\x7F\x00", 8));  // the same
  const MemoryLimit limit(std::int64_t{2} << 30);
  for (const auto& [name, bytes] : {std::pair{"huge.jpg", jpeg}, {"huge.png", png}}) {
    write_file(file(name), bytes);
    EXPECT_THAT([&] { read_image(file(name)); },
                ThrowsUsageError(HasSubstr(name), HasSubstr("32512 x 32512")))
        << name;
  }
}

/// The set of one video.
VideoSet only(const std::filesystem::path& path) {
  return {.videos = {{.item = "video",
                      .person = "person",
                      .label = 0,
                      .colour = {.file = path},
                      .depth = {}}},
          .classes = {"class"}};
}

TEST_F(DamagedDataFile, AVideoGivesAClipOrOurErrorSlow) {
  write_video(file("whole.avi"), 8);
  auto strip = at::zeros({8, 4 * 8, 3}, at::kByte);
  for (int t = 0; t < 4; ++t) strip.slice(1, 8 * t, 8 * t + 8) = 50 * t;
  write_png(file("whole.png"), strip);
  for (const char* name : {"video.avi", "strip.png"}) {
    const auto whole =
        read_file(file(std::string(name).ends_with(".avi") ? "whole.avi" : "whole.png"));
    read_damaged_copies(file(name), whole, [](const auto& path) {
      const auto clips = read_clips(only(path), {0}, {.frames = 4, .size = 16, .flow = {}});
      EXPECT_EQ(clips.colour.sizes(), (std::vector<std::int64_t>{1, 4, 16, 16, 3}));
    });
    EXPECT_EQ(check_videos(only(file(name))).size(), 0U) << name;
  }
}

TEST_F(DamagedDataFile, SplitListsGiveASetOrOurErrorSlow) {
  const auto list = file("nvgesture_train_correct_cvpr2016_v2.lst"),
             hmdb = file("hmdb51/walk_test_split1.txt");
  const auto gesture = file("Video_data/class_01/subject1_r0");
  for (const char* sensor : {"sk_color.avi", "sk_depth.avi"}) write_video(gesture / sensor, 8);
  write_video(file("hmdb51/walk/Film_walk_f_cm_np1_ba_med_0.avi"), 4);
  write_video(file("hmdb51/walk/Other_walk_f_cm_np1_ba_med_0.avi"), 4);
  const std::string line =
      "path:./Video_data/class_01/subject1_r0 depth:sk_depth:1:7 color:sk_color:1:7 label:1\n";
  write_file(file("nvgesture_test_correct_cvpr2016_v2.lst"), "");
  EXPECT_GT(read_damaged_copies(
                list, line, [&](const auto&) { read_nvgesture(folder.path()); }, list.filename()),
            0);
  const std::string pair =
      "Film_walk_f_cm_np1_ba_med_0.avi 1 \nOther_walk_f_cm_np1_ba_med_0.avi 2 \n";
  EXPECT_GT(read_damaged_copies(
                hmdb, pair, [&](const auto&) { read_hmdb51(file("hmdb51")); }, hmdb.filename()),
            0);
}

// A cache is no source: what is damaged in it is computed again, and every copy ends in the same
// pictures.
TEST_F(DamagedDataFile, ADamagedFlowCacheIsMadeAnewSlow) {
  auto first = at::zeros({1, 16, 16, 3}, at::kByte), second = first.clone();
  first.slice(2, 4, 8) = 200, second.slice(2, 5, 9) = 200;
  const FlowOptions options{.method = FlowMethod::Dis, .cache = file("cache")};
  const auto expected = compute_flow_images(first, second, options);
  const auto cached = flow_cache_file(first, second, options);
  const int refused = read_damaged_copies(cached, read_file(cached), [&](const auto&) {
    EXPECT_TRUE(at::equal(compute_flow_images(first, second, options), expected));
  });
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace reprise::datasets
