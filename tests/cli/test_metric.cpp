// `reprise metric` on what is no landmark and no label.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>

#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "tests/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

// Every metric that records hold can be had of files: the values are known without any program.
TEST(MetricVerb, JudgesPicturesFeaturesPosesAndSeams) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name, const std::string& text) {
    write_file(folder.path() / name, text);
    return (folder.path() / name).string();
  };
  const auto path = [&](const char* name) { return (folder.path() / name).string(); };
  const auto value = [&](const std::vector<std::string>& words) { return call(words).object(); };
  const auto truth = at::full({2, 16, 20, 3}, 100, at::kByte);
  datasets::write_npy(path("truth.npy"), truth);
  datasets::write_npy(path("off.npy"), truth + 10);
  fs::create_directories(path("pictures"));
  for (int i = 0; i < 2; ++i)
    datasets::write_png(folder.path() / "pictures" / fmt::format("{}.png", i), truth[i]);
  const auto judged = [&](const char* metric, const char* predicted) {
    return value({"metric", metric, "--predictions", path(predicted), "--truth", path("truth.npy"),
                  "--json"});
  };
  EXPECT_NEAR(judged("psnr", "off.npy").at("psnr").get<double>(), 20 * std::log10(25.5), 1e-9);
  EXPECT_EQ(judged("psnr", "pictures").at("psnr").get<double>(), 60) << "equal items";
  EXPECT_EQ(judged("psnr", "pictures").at("unit"), "dB");
  EXPECT_EQ(judged("ssim", "pictures").at("unit"), "") << "a pure number";
  EXPECT_NEAR(judged("ssim", "pictures").at("ssim").get<double>(), 1, 1e-12);
  EXPECT_EQ(judged("ssim", "pictures").at("n"), 2);
  // A set and its copy shifted by 3 in one of 4 features are 9 apart.
  const auto features = at::randn({6, 4}, at::kDouble);
  datasets::write_npy(path("a.npy"), features);
  datasets::write_npy(path("b.npy"), features + at::tensor({3.0, 0.0, 0.0, 0.0}));
  const auto apart = [&](const char* metric) {
    return value({"metric", metric, "--predictions", path("a.npy"), "--truth", path("b.npy"),
                  "--json"})
        .at(metric)
        .get<double>();
  };
  EXPECT_NEAR(apart("frechet"), 9, 1e-9);
  EXPECT_TRUE(std::isfinite(apart("kernel")));
  EXPECT_TRUE(judged("frechet", "off.npy").at("frechet").is_number()) << "pixels are features too";
  // An error that grows by 1, 3, 1 within sequences; what lies between sequences, and behind a gap,
  // is no step.
  const auto poses = file(
      "poses.csv",
      "sequence,frame,pitch,yaw,roll\nb,1,90,90,90\na,1,0,0,0\na,2,1,1,1\na,3,4,4,4\na,4,5,5,5\na,9,50,50,50\n");
  const auto still = file(
      "still.csv",
      "sequence,frame,pitch,yaw,roll\na,1,0,0,0\na,2,0,0,0\na,3,0,0,0\na,4,0,0,0\na,9,0,0,0\nb,1,0,0,0\n");
  EXPECT_NEAR(value({"metric", "jitter", "--predictions", poses, "--truth", still, "--json"})
                  .at("jitter")
                  .get<double>(),
              std::sqrt(4.0 / 3), 1e-12);
  // Columns 0 to 7 are black, 8 and on rise by 1: the step at 8 is 20 times the others.
  auto canvas = at::zeros({1, 4, 16, 3}, at::kByte);
  for (int x = 8; x < 16; ++x) canvas.select(2, x).fill_(20 + x - 8);
  datasets::write_npy(path("canvas.npy"), canvas);
  EXPECT_NEAR(
      value({"metric", "seam", "--predictions", path("canvas.npy"), "--seams", "8", "--json"})
          .at("seam")
          .get<double>(),
      20 / (7 / 14.0), 1e-9);
  EXPECT_THAT(call({"metric", "seam", "--predictions", path("canvas.npy")}).err,
              HasSubstr("--seams"));
  EXPECT_THAT(call({"metric", "psnr", "--predictions", path("canvas.npy")}).err,
              HasSubstr("--truth"));
  EXPECT_THAT(
      call({"metric", "psnr", "--predictions", path("canvas.npy"), "--truth", path("truth.npy")})
          .err,
      AllOf(HasSubstr("canvas.npy against"), HasSubstr("truth.npy")));
}

}  // namespace
}  // namespace reprise::reproduce
