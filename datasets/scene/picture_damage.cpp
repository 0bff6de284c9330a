#include "datasets/scene/picture_damage.h"

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>

#include "datasets/scene/sensor_noise.h"

namespace reprise::datasets {
namespace {

// Returns an approximately Gaussian number of mean 0 and standard deviation 1: a sum of eight
// bytes.
float approximate_normal(std::uint64_t bits) {
  constexpr std::uint64_t bytes = 0x00ff00ff00ff00ffU;
  // Four sums of two bytes each; the product adds them into the highest 16 bits.
  const std::uint64_t pairs = (bits & bytes) + (bits >> 8 & bytes);
  const auto sum = static_cast<float>((pairs * 0x0001000100010001U) >> 48);
  // Mean 8 x 127.5; standard deviation sqrt(8 (256^2 - 1) / 12), up to rounding.
  return (sum - 1020.0F) / 209.01F;
}

}  // namespace

void occlude(Canvas& canvas, const Occluder& occluder) {
  const auto side = static_cast<float>(canvas.size);
  const auto cx = static_cast<float>(occluder.x) * side;
  const auto cy = static_cast<float>(occluder.y) * side;
  const auto half = static_cast<float>(occluder.width / 2) * side;
  const auto half_high = half * static_cast<float>(occluder.high);
  const auto c = static_cast<float>(std::cos(occluder.tilt));
  const auto s = static_cast<float>(std::sin(occluder.tilt));
  for (std::int64_t y = 0; y < canvas.size; ++y)
    for (std::int64_t x = 0; x < canvas.size; ++x) {
      const float dx = static_cast<float>(x) - cx;
      const float dy = static_cast<float>(y) - cy;
      // Coordinates in the occluder's frame, in half widths and half heights.
      const float u = (c * dx + s * dy) / half;
      const float v = (c * dy - s * dx) / half_high;
      const float past =
          occluder.round ? std::sqrt(u * u + v * v) : std::max(std::abs(u), std::abs(v));
      // Soft over one pixel at the edge.
      const float cover = std::clamp((1 - past) * half + 0.5F, 0.0F, 1.0F);
      if (cover == 0) continue;
      float* pixel =
          &canvas.pixels[static_cast<std::size_t>((y * canvas.size + x) * canvas.channels)];
      const float shade = occluder.stripe * std::sin(9 * u) - 25 * v;
      for (std::int64_t k = 0; k < canvas.channels; ++k)
        pixel[k] += (std::clamp(occluder.colour[k] + shade, 0.0F, 255.0F) - pixel[k]) * cover;
    }
}

void smear(Canvas& canvas, double length, double angle) {
  const int reach = static_cast<int>(std::ceil(length / 2));
  if (reach < 1) return;
  // Mean of 2 reach + 1 copies, shifted along the line by whole pixels.
  const auto step_x = std::cos(angle) * length / 2 / reach;
  const auto step_y = std::sin(angle) * length / 2 / reach;
  const auto row = canvas.size * canvas.channels;
  canvas.spare.assign(canvas.pixels.size(), 0);
  for (int k = -reach; k <= reach; ++k) {
    const auto dx = std::lround(step_x * k);
    const auto dy = std::lround(step_y * k);
    for (std::int64_t y = 0; y < canvas.size; ++y) {
      const float* from = &canvas.pixels[static_cast<std::size_t>(
          std::clamp<std::int64_t>(y + dy, 0, canvas.size - 1) * row)];
      float* to = &canvas.spare[static_cast<std::size_t>(y * row)];
      // The row is split where the shifted copy leaves the picture; its border pixel is repeated
      // there.
      const auto x0 = std::clamp<std::int64_t>(-dx, 0, canvas.size);
      const auto x1 = std::clamp<std::int64_t>(canvas.size - dx, x0, canvas.size);
      for (std::int64_t x = 0; x < x0; ++x)
        for (std::int64_t c = 0; c < canvas.channels; ++c) to[x * canvas.channels + c] += from[c];
      for (auto i = x0 * canvas.channels; i < x1 * canvas.channels; ++i)
        to[i] += from[i + dx * canvas.channels];
      for (auto x = x1; x < canvas.size; ++x)
        for (std::int64_t c = 0; c < canvas.channels; ++c)
          to[x * canvas.channels + c] += from[(canvas.size - 1) * canvas.channels + c];
    }
  }
  const float weight = 1.0F / static_cast<float>(2 * reach + 1);
  for (auto& value : canvas.spare) value *= weight;
  canvas.pixels.swap(canvas.spare);
}

void defocus(Canvas& canvas, double std_dev) {
  if (!(std_dev > 0)) return;
  const int side = static_cast<int>(canvas.size);
  const cv::Mat picture(side, side, CV_32FC(static_cast<int>(canvas.channels)),
                        canvas.pixels.data());
  cv::GaussianBlur(picture, picture, {}, std_dev, 0, cv::BORDER_REFLECT);
}

void add_noise(Canvas& canvas, float std_dev, std::uint64_t grain) {
  // A counter through a hash: pixel i has its own noise, whatever the order.
  const std::uint64_t start = mix_bits(grain);
  for (std::size_t i = 0; i < canvas.pixels.size(); ++i)
    canvas.pixels[i] += std_dev * approximate_normal(mix_bits(start + i));
}

}  // namespace reprise::datasets
