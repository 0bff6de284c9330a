#include "datasets/draw.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "datasets/images.h"

namespace reprise::datasets {
namespace {

void draw_points(cv::Mat& image, const at::Tensor& points, double scale, const cv::Scalar& colour) {
  constexpr int shift = 4;  // sub-pixel positions, in sixteenths
  const auto xy = points.to(at::kDouble).contiguous();
  const auto* p = xy.data_ptr<double>();
  for (std::int64_t k = 0; k < xy.size(0); ++k) {
    const auto place = [&](double v) { return static_cast<int>(std::lround(((v + 0.5) * scale - 0.5) * (1 << shift))); };
    cv::circle(image, {place(std::clamp(p[2 * k], -1e4, 1e4)), place(std::clamp(p[2 * k + 1], -1e4, 1e4))}, 26, colour, cv::FILLED,
               cv::LINE_AA, shift);
  }
}

}  // namespace

void write_landmark_strip(const std::filesystem::path& path, const at::Tensor& frames, const at::Tensor& predicted, const at::Tensor& truth,
                          std::int64_t most) {
  const auto count = std::min(most, frames.size(0)), size = frames.size(1);
  const auto scale = std::max<std::int64_t>(1, (160 + size - 1) / size);
  const auto side = size * scale;
  auto strip = at::empty({side, side * count, 3}, at::kByte);
  cv::Mat canvas(static_cast<int>(side), static_cast<int>(side * count), CV_8UC3, strip.data_ptr<std::uint8_t>());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto t = count == 1 ? 0 : i * (frames.size(0) - 1) / (count - 1);
    const auto frame = frames[t].contiguous();
    const cv::Mat gray(static_cast<int>(size), static_cast<int>(size), CV_8UC1, frame.data_ptr<std::uint8_t>());
    cv::Mat large, colour;
    cv::resize(gray, large, {static_cast<int>(side), static_cast<int>(side)}, 0, 0, cv::INTER_LINEAR);
    cv::cvtColor(large, colour, cv::COLOR_GRAY2RGB);
    draw_points(colour, truth[t], static_cast<double>(scale), {70, 220, 90});
    draw_points(colour, predicted[t], static_cast<double>(scale), {240, 70, 60});
    colour.copyTo(canvas(cv::Rect(static_cast<int>(i * side), 0, static_cast<int>(side), static_cast<int>(side))));
  }
  write_png(path, strip);
}

}  // namespace reprise::datasets
