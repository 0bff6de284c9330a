#include "datasets/generators/street_digits.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"

namespace reprise::datasets {
namespace {

constexpr std::array<int, 6> fonts{cv::FONT_HERSHEY_SIMPLEX, cv::FONT_HERSHEY_PLAIN,
                                   cv::FONT_HERSHEY_DUPLEX,  cv::FONT_HERSHEY_COMPLEX,
                                   cv::FONT_HERSHEY_TRIPLEX, cv::FONT_HERSHEY_COMPLEX_SMALL};
/// Side of the page on which digits are printed before they are turned and shrunk, pixels.
constexpr int page = 160;
/// Height of a printed digit, and distance between the centres of neighbours; pixels of the page.
constexpr double tall = 72;
constexpr double apart = 64;

/// Prints three digits in a row with the middle one centred: ink from 0 to 1, [page, page] floats.
cv::Mat print_digits(const std::array<int, 3>& digits, int font, int weight) {
  cv::Mat ink = cv::Mat::zeros(page, page, CV_8UC1);
  // Fonts differ in their height at scale 1, so each is scaled to the same height.
  const double scale = tall / cv::getTextSize("8", font, 1, 1, nullptr).height;
  for (int place = 0; place < 3; ++place) {
    const auto text = std::to_string(digits[static_cast<std::size_t>(place)]);
    const auto size = cv::getTextSize(text, font, scale, weight, nullptr);
    const int x =
        static_cast<int>(std::lround(page / 2.0 + apart * (place - 1) - size.width / 2.0));
    // OpenCV places text by its lower left corner.
    cv::putText(ink, text, {x, (page + size.height) / 2}, font, scale, cv::Scalar(255), weight,
                cv::LINE_AA);
  }
  cv::Mat values;
  ink.convertTo(values, CV_32F, 1 / 255.0);
  return values;
}

/// Draws the random map from the page to the picture: size, slant, turn and position.
cv::Mat draw_page_map(int side, Random& random) {
  const double height = side * random.uniform(0.5, 0.8);
  const double turn = random.uniform(-12, 12) * std::numbers::pi / 180;
  const double slant = random.uniform(-0.2, 0.2);
  const double wide = random.uniform(0.8, 1.1);
  const double right = side * random.uniform(-0.06, 0.06);
  const double down = side * random.uniform(-0.06, 0.06);
  // Pixels of the page per pixel of the picture.
  const double step = tall / height;
  const double c = std::cos(turn) * step;
  const double s = std::sin(turn) * step;
  const double middle = (side - 1) / 2.0;
  const double of_page = (page - 1) / 2.0;
  // Inverse map, from the picture to the page: turn back, then undo slant and width.
  const double xx = (c + slant * s) / wide;
  const double xy = (s - slant * c) / wide;
  const double yx = -s;
  const double yy = c;
  return (cv::Mat_<double>(2, 3) << xx, xy, of_page - xx * (middle + right) - xy * (middle + down),
          yx, yy, of_page - yx * (middle + right) - yy * (middle + down));
}

/// Wall and digit: colours whose lightness is at least 55 apart.
std::array<cv::Vec3d, 2> street_colours(Random& random) {
  std::array<cv::Vec3d, 2> colours;
  // Luma weights, rounded from ITU-R BT.601.
  const auto lightness = [](const cv::Vec3d& c) { return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]; };
  do {
    for (auto& colour : colours) {
      const double light = random.uniform(30, 225);
      for (int c = 0; c < 3; ++c)
        colour[c] = std::clamp(light + random.uniform(-40, 40), 0.0, 255.0);
    }
  } while (std::abs(lightness(colours[0]) - lightness(colours[1])) < 55);
  return colours;
}

void draw_street_digit(std::int64_t digit, int side, Random random, std::uint8_t* image) {
  std::array<int, 3> digits{};
  // The neighbours are random distractors; the middle digit is the label.
  for (auto& each : digits) each = static_cast<int>(random.below(10));
  digits[1] = static_cast<int>(digit);
  const int font =
      fonts[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(fonts.size())))];
  // Thickness of the strokes, pixels of the page.
  const int weight = static_cast<int>(3 + random.below(8));
  cv::Mat ink;
  // Twice as fine as the picture and then halved: edges are as soft as a camera's.
  cv::warpAffine(print_digits(digits, font, weight), ink, draw_page_map(2 * side, random),
                 {2 * side, 2 * side}, cv::INTER_LINEAR | cv::WARP_INVERSE_MAP);
  cv::GaussianBlur(ink, ink, {}, random.uniform(0.6, 2.0));
  cv::resize(ink, ink, {side, side}, 0, 0, cv::INTER_AREA);
  const auto colours = street_colours(random);
  const double slope_x = random.uniform(-35, 35);
  const double slope_y = random.uniform(-35, 35);
  const double noise = random.uniform(1, 7);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      // Uneven light: a plane over the picture, levels per side.
      const double light = slope_x * (static_cast<double>(x) / side - 0.5) +
                           slope_y * (static_cast<double>(y) / side - 0.5);
      const double covered = ink.at<float>(y, x);
      const double grain = noise * random.normal();
      for (int c = 0; c < 3; ++c) {
        const double value =
            colours[0][c] + covered * (colours[1][c] - colours[0][c]) + light + grain;
        *image++ = static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
      }
    }
}

}  // namespace

Pictures draw_street_digits(std::int64_t n, int side, std::uint64_t seed) {
  if (n < 0) throw UsageError(fmt::format("{} digits were requested", n), "request 0 or more");
  if (side < 16 || side > 256)
    throw UsageError(fmt::format("street digits of {} pixels cannot be drawn", side),
                     "choose a side from 16 to 256");
  const Random whole(seed);
  Pictures set{.images = at::empty({n, side, side, 3}, at::kByte),
               .labels = at::empty({n}, at::kLong)};
  auto* labels = set.labels.data_ptr<std::int64_t>();
  for (std::int64_t round = 0; round * 10 < n; ++round) {
    const auto order = whole.split("classes", round).permutation(10);
    std::copy_n(order.begin(), std::min<std::int64_t>(10, n - round * 10), labels + round * 10);
  }
  auto* pixels = set.images.data_ptr<std::uint8_t>();
  parallel_items(n, at::get_num_threads(), [&](std::int64_t, std::int64_t i) {
    draw_street_digit(labels[i], side, whole.split("digit", i), pixels + i * side * side * 3);
  });
  return set;
}

}  // namespace reprise::datasets
