#include "datasets/scene/motion_events.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reprise::datasets {
double MotionEvents::Event::at(double t) const {
  const double away = std::abs(t - middle) / half_width;
  // A raised cosine: the event fades in and out without a step.
  return present && away < 1 ? strength * (1 + std::cos(std::numbers::pi * away)) / 2 : 0;
}

MotionEvents::MotionEvents(std::int64_t frames, double degradation, const EventOptions& options,
                           Random& random) {
  const auto length = static_cast<double>(frames);
  const auto draw = [&](double chance, double strength) {
    Event event;
    event.present = random.chance(chance * degradation);
    event.middle = random.uniform(0, std::max(1.0, length - 1));
    // Frames; all numbers are drawn even if the event is absent, so that events do not depend on
    // each other.
    event.half_width = random.uniform(2, 2 + 0.4 * length);
    event.strength = strength * degradation * random.uniform(0.4, 1);
    return event;
  };
  occluder_.event = draw(options.occluder_chance, options.occluder_size);
  occluder_.shape.round = random.chance(0.5);
  const double way = random.uniform(0, 2 * std::numbers::pi);
  // Sides per frame: the occluder is in the picture around the middle of its event.
  const double speed = 0.75 / occluder_.event.half_width;
  occluder_.speed_x = speed * std::cos(way);
  occluder_.speed_y = speed * std::sin(way);
  occluder_.x = random.uniform(-0.2, 0.2);
  occluder_.y = random.uniform(-0.2, 0.2);
  occluder_.shape.high = random.uniform(0.5, 1.6);
  occluder_.shape.tilt = random.uniform(0, std::numbers::pi);
  for (auto& c : occluder_.shape.colour) c = static_cast<float>(random.uniform(10, 235));
  occluder_.shape.stripe = static_cast<float>(random.uniform(0, 40));
  blur_ = draw(options.blur_chance, options.blur_length);
  blur_angle_ = random.uniform(0, std::numbers::pi);
  noise_ = draw(options.noise_chance, options.noise_std_dev);
  dark_ = draw(options.dark_chance, options.dark_loss);
  flicker_ = draw(options.flicker_chance, options.flicker_depth);
  for (std::int64_t t = 0; t < frames; ++t) flicker_at_.push_back(random.uniform(-1, 1));
  grain_ = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
}

void MotionEvents::apply(Canvas& canvas, std::int64_t t) const {
  const auto time = static_cast<double>(t);
  if (occluder_.event.at(time) > 0) pass(canvas, time);
  if (blur_.at(time) > 0)
    smear(canvas, blur_.at(time) * static_cast<double>(canvas.size), blur_angle_);
  shine(canvas, t);
}

// Draws the occluder, which crosses the picture from outside to outside.
void MotionEvents::pass(Canvas& canvas, double t) const {
  const double since = t - occluder_.event.middle;
  auto now = occluder_.shape;
  now.x = 0.5 + occluder_.x + occluder_.speed_x * since * 1.4;
  now.y = 0.5 + occluder_.y + occluder_.speed_y * since * 1.4;
  now.width = occluder_.event.strength;
  occlude(canvas, now);
}

void MotionEvents::shine(Canvas& canvas, std::int64_t t) const {
  const auto time = static_cast<double>(t);
  const double light =
      (1 - dark_.at(time)) * (1 + flicker_.at(time) * flicker_at_[static_cast<std::size_t>(t)]);
  // Light 1 and noise 0 leave the picture bit by bit as it is.
  if (light != 1)
    for (auto& value : canvas.pixels) value *= static_cast<float>(light);
  // A camera raises its gain in the dark, which amplifies the grain.
  const auto std_dev = static_cast<float>(noise_.at(time) + 8 * dark_.at(time));
  if (std_dev != 0) add_noise(canvas, std_dev, grain_ + static_cast<std::uint64_t>(t));
}

}  // namespace reprise::datasets
