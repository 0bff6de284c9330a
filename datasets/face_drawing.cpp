#include "datasets/face_drawing.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "datasets/formats/images.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

void draw_points(cv::Mat& image, const at::Tensor& points, double scale, const cv::Scalar& colour) {
  constexpr int shift = 4;  // sub-pixel positions, in sixteenths
  const auto xy = points.to(at::kDouble).contiguous();
  const auto* p = xy.data_ptr<double>();
  for (std::int64_t k = 0; k < xy.size(0); ++k) {
    const auto place = [&](double v) {
      // Enlarging keeps the outer edges in place, so coordinates are scaled about -0.5.
      return static_cast<int>(std::lround(((v + 0.5) * scale - 0.5) * (1 << shift)));
    };
    cv::circle(image,
               {place(std::clamp(p[2 * k], -1e4, 1e4)), place(std::clamp(p[2 * k + 1], -1e4, 1e4))},
               // The radius is in sixteenths of a pixel too: 1.6 pixels.
               26, colour, cv::FILLED, cv::LINE_AA, shift);
  }
}

}  // namespace

void write_landmark_strip(const std::filesystem::path& path, const at::Tensor& frames,
                          const at::Tensor& predicted, const at::Tensor& truth, std::int64_t most) {
  const auto count = std::min(most, frames.size(0));
  const auto size = frames.size(1);
  // Whole factors, up to a side of at least 160 pixels: small frames would hide the points.
  const auto scale = std::max<std::int64_t>(1, (160 + size - 1) / size);
  const auto side = size * scale;
  auto strip = at::empty({side, side * count, 3}, at::kByte);
  cv::Mat canvas(static_cast<int>(side), static_cast<int>(side * count), CV_8UC3,
                 strip.data_ptr<std::uint8_t>());
  for (std::int64_t i = 0; i < count; ++i) {
    // Spread frames evenly from the first to the last.
    const auto t = count == 1 ? 0 : i * (frames.size(0) - 1) / (count - 1);
    const auto frame = frames[t].contiguous();
    const bool gray = frame.dim() == 2;
    const cv::Mat picture(static_cast<int>(size), static_cast<int>(size), gray ? CV_8UC1 : CV_8UC3,
                          frame.data_ptr<std::uint8_t>());
    cv::Mat colour;
    cv::resize(picture, colour, {static_cast<int>(side), static_cast<int>(side)}, 0, 0,
               cv::INTER_LINEAR);
    if (gray) cv::cvtColor(colour, colour, cv::COLOR_GRAY2RGB);
    // Truth in green below, predictions in red above.
    draw_points(colour, truth[t], static_cast<double>(scale), {70, 220, 90});
    draw_points(colour, predicted[t], static_cast<double>(scale), {240, 70, 60});
    colour.copyTo(canvas(
        cv::Rect(static_cast<int>(i * side), 0, static_cast<int>(side), static_cast<int>(side))));
  }
  write_png(path, strip);
}

void draw_face(at::Tensor& frame, const FaceWindow& window,
               const std::optional<std::array<double, 3>>& pose,
               const std::optional<at::Tensor>& landmarks) {
  cv::Mat canvas(static_cast<int>(frame.size(0)), static_cast<int>(frame.size(1)), CV_8UC3,
                 frame.data_ptr<std::uint8_t>());
  constexpr int shift = 4;  // sub-pixel positions, in sixteenths
  const auto place = [](double x, double y) {
    const auto sixteenths = [](double v) {
      // The limit keeps wild predictions within OpenCV's 32-bit coordinates.
      return static_cast<int>(std::lround(std::clamp(v, -1e5, 1e5) * (1 << shift)));
    };
    return cv::Point(sixteenths(x), sixteenths(y));
  };
  const double half = window.side / 2;
  const double length = 0.4 * window.side;
  const int thick = std::max(1, static_cast<int>(std::lround(window.side / 80)));
  cv::rectangle(canvas, place(window.x - half, window.y - half),
                place(window.x + half, window.y + half), {255, 255, 255}, 1, cv::LINE_AA, shift);
  if (landmarks) {
    const auto xy = landmarks->to(at::kDouble).contiguous();
    const auto* p = xy.data_ptr<double>();
    for (std::int64_t k = 0; k < xy.size(0); ++k)
      cv::circle(canvas, place(p[2 * k], p[2 * k + 1]), (thick << shift) * 5 / 4, {250, 220, 60},
                 cv::FILLED, cv::LINE_AA, shift);
  }
  if (!pose) return;
  // Column k of R is the direction of axis k; dropping z gives the orthographic projection.
  const auto R = rotation({.pitch = (*pose)[0], .yaw = (*pose)[1], .roll = (*pose)[2]});
  const cv::Scalar colours[] = {{240, 60, 50}, {60, 210, 80}, {70, 110, 250}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double sign = axis == 2 ? -1 : 1;  // the face looks along -z
    cv::line(canvas, place(window.x, window.y),
             place(window.x + sign * length * R[axis], window.y + sign * length * R[3 + axis]),
             colours[axis], 2 * thick, cv::LINE_AA, shift);
  }
}

at::Tensor draw_tracked_frames(const at::Tensor& frames, const at::Tensor& pose,
                               const at::Tensor& truth, double most) {
  const auto count = frames.size(0);
  const auto size = frames.size(1);
  // Whole factors, up to a side of at least 144 pixels.
  const auto side = size * std::max<std::int64_t>(1, (144 + size - 1) / size);
  const auto chart = side / 4;
  const auto angles = pose.to(at::kDouble).contiguous();
  // Chart: mean absolute error of the three angles per frame.
  const auto off = (angles - truth.to(at::kDouble)).abs().mean(-1).contiguous();
  auto out = at::full({count, side + chart, side, 3}, 255, at::kByte);
  const auto pixels = [](std::int64_t n) { return static_cast<int>(n); };
  for (std::int64_t t = 0; t < count; ++t) {
    const auto frame = frames[t].contiguous();
    const cv::Mat picture(pixels(size), pixels(size), CV_8UC3, frame.data_ptr<std::uint8_t>());
    auto head = at::empty({side, side, 3}, at::kByte);
    cv::resize(picture, cv::Mat(pixels(side), pixels(side), CV_8UC3, head.data_ptr<std::uint8_t>()),
               {pixels(side), pixels(side)}, 0, 0, cv::INTER_LINEAR);
    const double centre = 0.5 * static_cast<double>(side - 1);
    const auto* angle = angles.const_data_ptr<double>() + 3 * t;
    draw_face(head, {.x = centre, .y = centre, .side = static_cast<double>(side)},
              std::array{angle[0], angle[1], angle[2]}, {});
    auto whole = out[t];
    whole.slice(0, 0, side).copy_(head);
    cv::Mat canvas(pixels(side + chart), pixels(side), CV_8UC3, whole.data_ptr<std::uint8_t>());
    // The chart grows with the clip: frame t shows the errors up to t.
    for (std::int64_t u = 0; u <= t; ++u) {
      const double height =
          std::min(1.0, off[u].item<double>() / most) * static_cast<double>(chart);
      const auto left = pixels(u * side / count);
      const auto right = pixels((u + 1) * side / count);
      cv::rectangle(canvas,
                    cv::Rect(left, pixels(side + chart) - static_cast<int>(std::lround(height)),
                             std::max(1, right - left), static_cast<int>(std::lround(height))),
                    {200, 70, 60}, cv::FILLED);
    }
  }
  return out;
}

}  // namespace reprise::datasets
