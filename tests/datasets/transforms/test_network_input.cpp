#include <ATen/ATen.h>

#include <opencv2/videoio.hpp>

#include "datasets/transforms/network_input.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// The image of tests/fixtures/network_input.py.
at::Tensor image(std::int64_t height, std::int64_t width) {
  const auto y = at::arange(height, at::kLong).view({-1, 1, 1}), x = at::arange(width, at::kLong).view({1, -1, 1});
  const auto c = at::arange(3, at::kLong).view({1, 1, -1});
  return (3 * y * y + 5 * x * x + 7 * x * y + 50 * c).remainder(256).to(at::kByte);
}

std::filesystem::path write_video(const TemporaryFolder& folder, int frames) {
  const auto path = folder.path() / "clip.AVI";
  cv::VideoWriter writer(path.string(), cv::CAP_OPENCV_MJPEG, cv::VideoWriter::fourcc('M', 'J', 'P', 'G'), 25, {64, 48});
  for (int i = 0; i < frames; ++i) writer.write(cv::Mat(48, 64, CV_8UC3, cv::Scalar(10, 100, 40 * i)));  // blue, green, red
  return path;
}

TEST(ResizeShorter, GivesThePixelsOfPil) {
  const auto golden = fixture_json("network_input.json");
  for (const auto& c : golden.at("resized")) {
    const auto ours = resize_shorter(image(c.at("height"), c.at("width")), c.at("size"));
    const auto shape = c.at("shape").get<std::vector<std::int64_t>>();
    ASSERT_EQ(ours.sizes(), shape);
    const auto theirs = at::tensor(c.at("pixels").get<std::vector<std::int64_t>>()).reshape(shape);
    EXPECT_TRUE(ours.to(at::kLong).equal(theirs)) << c.at("height") << " x " << c.at("width");
  }
}

TEST(ImagenetInput, IsTorchvisions) {
  const auto golden = fixture_json("network_input.json");
  for (const auto& c : golden.at("prepared")) {
    const auto ours = imagenet_input(image(c.at("height"), c.at("width")));
    ASSERT_EQ(ours.sizes(), (std::vector<std::int64_t>{3, 224, 224}));
    const auto theirs = at::tensor(c.at("values").get<std::vector<float>>());
    const auto taken = ours.flatten().slice(0, 0, std::nullopt, 1501);
    ASSERT_EQ(taken.sizes(), theirs.sizes());
    EXPECT_LE((taken - theirs).abs().max().item<double>(), 2e-6) << c.at("height") << " x " << c.at("width");
  }
}

TEST(ImagenetInput, RefusesWhatIsNoColourImage) {
  EXPECT_THAT([] { imagenet_input(at::zeros({9, 9}, at::kByte)); }, ThrowsUsageError(HasSubstr("[H, W, 3]")));
  EXPECT_THAT([] { imagenet_input(at::zeros({9, 9, 3})); }, ThrowsUsageError(HasSubstr("uint8")));
}

TEST(C3dInput, IsTheCentreOf16FramesInGreyLevels) {
  std::vector<at::Tensor> frames;
  for (int i = 0; i < 16; ++i) frames.push_back(at::full({120, 200, 3}, 10 * i, at::kByte));
  const auto clip = c3d_input(frames);
  EXPECT_EQ(clip.sizes(), (std::vector<std::int64_t>{3, 16, 112, 112}));
  EXPECT_EQ(clip[0][7].min().item<float>(), 70);
  EXPECT_EQ(clip[2][15].max().item<float>(), 150);
  frames.pop_back();
  EXPECT_THAT([&] { c3d_input(frames); }, ThrowsUsageError(HasSubstr("15 frames"), HasSubstr("16")));
}

TEST(ReadVideo, ShowsEveryFrameInRgbAndOrder) {
  const TemporaryFolder folder;
  const auto path = write_video(folder, 5);
  EXPECT_TRUE(is_video(path));
  EXPECT_FALSE(is_video("clip.png"));
  std::vector<at::Tensor> frames;
  EXPECT_EQ(read_video(path, [&](const at::Tensor& frame) { frames.push_back(frame); }), 5);
  ASSERT_EQ(frames.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(frames[i].sizes(), (std::vector<std::int64_t>{48, 64, 3}));
    EXPECT_NEAR(frames[i].select(2, 0).to(at::kFloat).mean().item<double>(), 40 * i, 15);  // JPEG is not exact
    EXPECT_NEAR(frames[i].select(2, 2).to(at::kFloat).mean().item<double>(), 10, 15);
  }
}

TEST(ReadVideo, SaysThatAFileIsMissingOrNoVideo) {
  const TemporaryFolder folder;
  write_file(folder.path() / "text.mp4", "no video");
  const auto reading = [&](const char* name) { return [&folder, name] { read_video(folder.path() / name, [](const at::Tensor&) {}); }; };
  EXPECT_THAT(reading("none.mp4"), ThrowsUsageError(HasSubstr("none.mp4"), HasSubstr("no such file")));
  EXPECT_THAT(reading("text.mp4"), ThrowsUsageError(HasSubstr("text.mp4"), HasSubstr("does not open")));
}

}  // namespace
}  // namespace reprise::datasets
