#include "datasets/scene/motion_events.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "datasets/scene/sensor_noise.h"

namespace reprise::datasets {
namespace {

// Nearly normal with mean 0 and standard deviation 1: the sum of eight bytes.
float nearly_normal(std::uint64_t bits) {
  constexpr std::uint64_t bytes = 0x00ff00ff00ff00ffU;
  const std::uint64_t pairs = (bits & bytes) + (bits >> 8 & bytes);
  const auto sum = static_cast<float>((pairs * 0x0001000100010001U) >> 48);
  return (sum - 1020.0F) / 209.01F;
}

}  // namespace

double MotionEvents::Event::at(double t) const {
  const double away = std::abs(t - middle) / half_width;
  return present && away < 1 ? strength * (1 + std::cos(std::numbers::pi * away)) / 2 : 0;
}

MotionEvents::MotionEvents(std::int64_t frames, double degradation, const EventOptions& options, Random& random) {
  const auto length = static_cast<double>(frames);
  const auto draw = [&](double chance, double strength) {
    Event event;
    event.present = random.chance(chance * degradation);
    event.middle = random.uniform(0, std::max(1.0, length - 1));
    event.half_width = random.uniform(2, 2 + 0.4 * length);
    event.strength = strength * degradation * random.uniform(0.4, 1);
    return event;
  };
  occluder_.event = draw(options.occluder_chance, options.occluder_size);
  occluder_.round = random.chance(0.5);
  const double way = random.uniform(0, 2 * std::numbers::pi), speed = 0.75 / occluder_.event.half_width;
  occluder_.speed_x = speed * std::cos(way), occluder_.speed_y = speed * std::sin(way);
  occluder_.x = random.uniform(-0.2, 0.2), occluder_.y = random.uniform(-0.2, 0.2);
  occluder_.high = random.uniform(0.5, 1.6), occluder_.tilt = random.uniform(0, std::numbers::pi);
  for (auto& c : occluder_.colour) c = static_cast<float>(random.uniform(10, 235));
  occluder_.stripe = static_cast<float>(random.uniform(0, 40));
  blur_ = draw(options.blur_chance, options.blur_length);
  blur_angle_ = random.uniform(0, std::numbers::pi);
  noise_ = draw(options.noise_chance, options.noise_deviation);
  dark_ = draw(options.dark_chance, options.dark_loss);
  flicker_ = draw(options.flicker_chance, options.flicker_depth);
  for (std::int64_t t = 0; t < frames; ++t) flicker_at_.push_back(random.uniform(-1, 1));
  grain_ = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
}

void MotionEvents::apply(Canvas& canvas, std::int64_t t) const {
  const auto time = static_cast<double>(t);
  if (occluder_.event.at(time) > 0) occlude(canvas, time);
  if (blur_.at(time) > 0) blur(canvas, time);
  shine(canvas, t);
}

// A box or an ellipse that crosses the picture, entering from outside and leaving it.
void MotionEvents::occlude(Canvas& canvas, double t) const {
  const auto side = static_cast<float>(canvas.size);
  const double since = t - occluder_.event.middle;
  const auto cx = static_cast<float>(0.5 + occluder_.x + occluder_.speed_x * since * 1.4) * side,
             cy = static_cast<float>(0.5 + occluder_.y + occluder_.speed_y * since * 1.4) * side;
  const auto half = static_cast<float>(occluder_.event.strength / 2) * side, half_high = half * static_cast<float>(occluder_.high);
  const auto c = static_cast<float>(std::cos(occluder_.tilt)), s = static_cast<float>(std::sin(occluder_.tilt));
  for (std::int64_t y = 0; y < canvas.size; ++y)
    for (std::int64_t x = 0; x < canvas.size; ++x) {
      const float dx = static_cast<float>(x) - cx, dy = static_cast<float>(y) - cy;
      const float u = (c * dx + s * dy) / half, v = (c * dy - s * dx) / half_high;
      const float past = occluder_.round ? std::sqrt(u * u + v * v) : std::max(std::abs(u), std::abs(v));
      const float cover = std::clamp((1 - past) * half + 0.5F, 0.0F, 1.0F);
      if (cover == 0) continue;
      float* pixel = &canvas.pixels[static_cast<std::size_t>((y * canvas.size + x) * canvas.channels)];
      const float shade = occluder_.stripe * std::sin(9 * u) - 25 * v;
      for (std::int64_t k = 0; k < canvas.channels; ++k)
        pixel[k] += (std::clamp(occluder_.colour[k] + shade, 0.0F, 255.0F) - pixel[k]) * cover;
    }
}

// The mean along a line through each pixel, as long to one side as to the other: what was at a place stays the middle of its streak.
void MotionEvents::blur(Canvas& canvas, double t) const {
  const double length = blur_.at(t) * static_cast<double>(canvas.size);
  const int reach = static_cast<int>(std::ceil(length / 2));
  if (reach < 1) return;
  const auto step_x = std::cos(blur_angle_) * length / 2 / reach, step_y = std::sin(blur_angle_) * length / 2 / reach;
  const auto row = canvas.size * canvas.channels;
  canvas.spare.assign(canvas.pixels.size(), 0);
  for (int k = -reach; k <= reach; ++k) {
    const auto dx = std::lround(step_x * k), dy = std::lround(step_y * k);
    for (std::int64_t y = 0; y < canvas.size; ++y) {
      const float* from = &canvas.pixels[static_cast<std::size_t>(std::clamp<std::int64_t>(y + dy, 0, canvas.size - 1) * row)];
      float* to = &canvas.spare[static_cast<std::size_t>(y * row)];
      const auto x0 = std::clamp<std::int64_t>(-dx, 0, canvas.size), x1 = std::clamp<std::int64_t>(canvas.size - dx, x0, canvas.size);
      for (std::int64_t x = 0; x < x0; ++x)
        for (std::int64_t c = 0; c < canvas.channels; ++c) to[x * canvas.channels + c] += from[c];
      for (auto i = x0 * canvas.channels; i < x1 * canvas.channels; ++i) to[i] += from[i + dx * canvas.channels];
      for (auto x = x1; x < canvas.size; ++x)
        for (std::int64_t c = 0; c < canvas.channels; ++c) to[x * canvas.channels + c] += from[(canvas.size - 1) * canvas.channels + c];
    }
  }
  const float share = 1.0F / static_cast<float>(2 * reach + 1);
  for (auto& value : canvas.spare) value *= share;
  canvas.pixels.swap(canvas.spare);
}

void MotionEvents::shine(Canvas& canvas, std::int64_t t) const {
  const auto time = static_cast<double>(t);
  const double light = (1 - dark_.at(time)) * (1 + flicker_.at(time) * flicker_at_[static_cast<std::size_t>(t)]);
  if (light != 1)
    for (auto& value : canvas.pixels) value *= static_cast<float>(light);
  // A camera raises its gain in the dark, and the grain with it.
  const auto deviation = static_cast<float>(noise_.at(time) + 8 * dark_.at(time));
  if (deviation == 0) return;
  const std::uint64_t start = mixed_bits(grain_ + static_cast<std::uint64_t>(t));
  for (std::size_t i = 0; i < canvas.pixels.size(); ++i) canvas.pixels[i] += deviation * nearly_normal(mixed_bits(start + i));
}

}  // namespace reprise::datasets
