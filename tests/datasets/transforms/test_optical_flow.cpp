#include <ATen/ATen.h>

#include <opencv2/core/utility.hpp>
#include <opencv2/imgproc.hpp>

#include "core/random.h"
#include "datasets/transforms/optical_flow.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// A smooth random texture, [size + 2 margin, ...], of which pieces are cut.
cv::Mat texture(int side) {
  Random random(5);
  cv::Mat noise(side, side, CV_32FC1), soft;
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) noise.at<float>(y, x) = static_cast<float>(random.uniform());
  cv::GaussianBlur(noise, soft, {0, 0}, 2);
  cv::normalize(soft, soft, 0, 255, cv::NORM_MINMAX);
  cv::Mat gray;
  soft.convertTo(gray, CV_8UC1);
  return gray;
}

/// [1, 64, 64], gray: what lies at (x, y) in the texture.
at::Tensor piece(int x, int y) {
  static const cv::Mat all = texture(96);
  auto image = at::empty({1, 64, 64}, at::kByte);
  cv::Mat view(64, 64, CV_8UC1, image.data_ptr());
  all(cv::Rect(16 + x, 16 + y, 64, 64)).copyTo(view);
  return image;
}

std::vector<FlowMethod> methods() {
  std::vector<FlowMethod> list{FlowMethod::Dis};
  if (has_flow_method(FlowMethod::TvL1)) list.push_back(FlowMethod::TvL1);
  return list;
}

// A texture moved by whole pixels gives that motion, to a twentieth of a pixel on average, away
// from the border.
TEST(OpticalFlow, ATranslatedTextureHasTheKnownFlow) {
  for (const auto method : methods())
    for (const auto& [u, v] : {std::pair{1, 0}, {0, 2}, {-3, 1}, {4, -4}}) {
      // What is cut further left and up appears moved to the right and down.
      const auto flow =
          compute_optical_flow(piece(0, 0), piece(-u, -v), method)[0].slice(0, 8, 56).slice(1, 8,
                                                                                            56);
      const auto off = (flow - at::tensor({static_cast<float>(u), static_cast<float>(v)}))
                           .square()
                           .sum(-1)
                           .sqrt();
      EXPECT_LT(off.mean().item<double>(), 0.05)
          << flow_method_name(method) << " " << u << " " << v;
    }
}

// Nothing moves between equal frames, in gray and in colour, and the flow image says so exactly.
TEST(OpticalFlow, EqualFramesAreAtRest) {
  const auto gray = piece(3, 2), colour = gray.unsqueeze(-1).expand({1, 64, 64, 3}).contiguous();
  for (const auto method : methods()) {
    EXPECT_EQ(compute_optical_flow(gray, gray, method).abs().max().item<double>(), 0)
        << flow_method_name(method);
    EXPECT_EQ(compute_optical_flow(colour, colour, method).abs().max().item<double>(), 0)
        << flow_method_name(method);
  }
}

// The three channels: x, y, length; by hand.
TEST(OpticalFlow, TheImageHoldsXYAndLength) {
  const auto flow = at::tensor({0.0F, 0.0F, 4.0F, 0.0F, -8.0F, 0.0F, 3.0F, -4.0F, 100.0F, -100.0F})
                        .reshape({5, 2});
  const auto image = flow_image(flow, 8);
  ASSERT_EQ(image.sizes(), at::IntArrayRef({5, 3}));
  EXPECT_EQ(image.scalar_type(), at::kByte);
  const auto expected =
      at::tensor({128, 128, 0, 192, 128, 128, 1, 128, 255, 176, 64, 159, 255, 1, 255}, at::kByte)
          .reshape({5, 3});
  EXPECT_TRUE(at::equal(image, expected)) << image << expected;
}

// DIS cuts its work by the number of threads; ours does not depend on it, and leaves OpenCV's
// setting as it was.
TEST(OpticalFlow, TheNumberOfThreadsChangesNothing) {
  const auto first = at::cat({piece(0, 0), piece(2, 0), piece(0, 3)}),
             second = at::cat({piece(1, 1), piece(0, 0), piece(2, 2)});
  const int torch_before = at::get_num_threads(), opencv_before = cv::getNumThreads();
  for (const auto method : methods()) {
    at::set_num_threads(1), cv::setNumThreads(1);
    const auto one = compute_optical_flow(first, second, method);
    at::set_num_threads(3), cv::setNumThreads(2);
    EXPECT_TRUE(at::equal(one, compute_optical_flow(first, second, method)))
        << flow_method_name(method);
    EXPECT_EQ(cv::getNumThreads(), 2);
  }
  at::set_num_threads(torch_before), cv::setNumThreads(opencv_before);
}

// A hit gives the bytes of the first time, without computing: the file's own content comes back.
TEST(OpticalFlow, TheCacheGivesTheSameBytes) {
  const TemporaryFolder folder;
  const FlowOptions options{.method = FlowMethod::Dis, .range = 4, .cache = folder.path() / "flow"};
  const auto a = piece(0, 0), b = piece(-2, 1);
  const auto file = flow_cache_file(a, b, options);
  EXPECT_FALSE(std::filesystem::exists(file));
  const auto first = compute_flow_images(a, b, options);
  ASSERT_TRUE(std::filesystem::exists(file));
  const auto written = std::filesystem::last_write_time(file);
  EXPECT_TRUE(at::equal(first, compute_flow_images(a, b, options)));
  EXPECT_EQ(std::filesystem::last_write_time(file), written) << "computed again";
  EXPECT_TRUE(at::equal(
      first, compute_flow_images(a, b, {.method = FlowMethod::Dis, .range = 4, .cache = {}})));
}

// What changes the flow changes the file's name.
TEST(OpticalFlow, TheCacheKnowsFramesMethodAndRange) {
  const FlowOptions options{.method = FlowMethod::Dis, .range = 4, .cache = "c"};
  const auto a = piece(0, 0), b = piece(-2, 1);
  const auto name = flow_cache_file(a, b, options);
  auto other = options;
  other.range = 5;
  EXPECT_NE(flow_cache_file(a, b, other), name);
  other = options;
  other.method = FlowMethod::TvL1;
  EXPECT_NE(flow_cache_file(a, b, other), name);
  EXPECT_NE(flow_cache_file(b, a, options), name);
  auto one_pixel = b.clone();
  one_pixel[0][5][5] += 1;
  EXPECT_NE(flow_cache_file(a, one_pixel, options), name);
  EXPECT_EQ(flow_cache_file(a.clone(), b, options), name);
}

// A damaged file, however damaged, is computed again and written anew.
TEST(OpticalFlow, ADamagedCacheFileIsComputedAgain) {
  const TemporaryFolder folder;
  const FlowOptions options{.method = FlowMethod::Dis, .cache = folder.path()};
  const auto a = piece(0, 0), b = piece(1, 1);
  const auto truth = compute_flow_images(a, b, options);
  const auto file = flow_cache_file(a, b, options);
  const auto whole = read_file(file);
  auto flipped = whole;
  flipped[whole.size() / 2] ^= 4;
  for (const auto& bytes : {flipped, whole.substr(0, whole.size() / 2), whole.substr(0, 10),
                            std::string(), std::string(500, 'x')}) {
    write_file(file, bytes);
    EXPECT_TRUE(at::equal(compute_flow_images(a, b, options), truth));
    EXPECT_EQ(read_file(file), whole);
  }
}

// Wrong use is named.
TEST(OpticalFlow, WrongUseIsNamed) {
  EXPECT_THAT(
      [] {
        compute_optical_flow(piece(0, 0), at::zeros({1, 64, 32}, at::kByte), FlowMethod::Dis);
      },
      ThrowsUsageError(HasSubstr("[1, 64, 64]"), HasSubstr("[1, 64, 32]")));
  EXPECT_THAT(
      [] {
        compute_optical_flow(at::zeros({1, 8, 64}, at::kByte), at::zeros({1, 8, 64}, at::kByte),
                             FlowMethod::Dis);
      },
      ThrowsUsageError(HasSubstr("64 x 8"), HasSubstr("16 x 16")));
  EXPECT_THAT([] { flow_image(at::zeros({2, 2}), 0); }, ThrowsUsageError(HasSubstr("range 0")));
  EXPECT_THAT([] { flow_image(at::zeros({2, 3}), 1); }, ThrowsUsageError(HasSubstr("[2, 3]")));
  EXPECT_THAT([] { find_flow_method("farneback"); },
              ThrowsUsageError(HasSubstr("farneback"), HasSubstr("dis or tvl1")));
  if (has_flow_method(FlowMethod::TvL1)) return;
  EXPECT_THAT([] { compute_optical_flow(piece(0, 0), piece(0, 0), FlowMethod::TvL1); },
              ThrowsUsageError(HasSubstr("no TV-L1")));
  EXPECT_THAT([] { find_flow_method("tvl1"); },
              ThrowsUsageError(HasSubstr("no TV-L1"), HasSubstr("libopencv-contrib-dev")));
}

// Whatever packages were there when the build was made: the default is what every build has.
TEST(OpticalFlow, TheDefaultIsTheSameInEveryBuild) {
  EXPECT_EQ(FlowOptions{}.method, FlowMethod::Dis);
  EXPECT_EQ(find_flow_method("dis"), FlowMethod::Dis);
  EXPECT_TRUE(has_flow_method(FlowMethod::Dis));
}

}  // namespace
}  // namespace reprise::datasets
