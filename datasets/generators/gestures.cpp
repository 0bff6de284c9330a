#include "datasets/generators/gestures.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/scene/background.h"
#include "datasets/scene/hand_model.h"
#include "datasets/scene/sensor_noise.h"
#include "datasets/scene/smooth_path.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

enum class HandMotion { SwipeRight, SwipeUp, Push, Open, TurnClockwise, Wave, Beckon };

/// A class: its motion, and whether its frames are shown in reverse order.
struct Gesture {
  const char* name;
  HandMotion motion;
  bool backwards;
};
constexpr std::array<Gesture, 12> all_gestures{
    {{"swipe_left", HandMotion::SwipeRight, true},
     {"swipe_right", HandMotion::SwipeRight, false},
     {"swipe_up", HandMotion::SwipeUp, false},
     {"swipe_down", HandMotion::SwipeUp, true},
     {"push", HandMotion::Push, false},
     {"pull", HandMotion::Push, true},
     {"open", HandMotion::Open, false},
     {"close", HandMotion::Open, true},
     {"turn_clockwise", HandMotion::TurnClockwise, false},
     {"turn_counterclockwise", HandMotion::TurnClockwise, true},
     {"wave", HandMotion::Wave, false},
     {"beckon", HandMotion::Beckon, false}}};

/// Random parameters of a clip, independent of its class.
class GesturePerformance {
 public:
  explicit GesturePerformance(Random& random)
      : length_(random.uniform(0.45, 0.8)),
        start_(random.uniform(0, 1 - length_)),
        far_(random.uniform(0.8, 1.15)) {
    // Position in metres, angles in degrees.
    rest_.x = random.uniform(-0.05, 0.05);
    rest_.y = random.uniform(0.06, 0.13);
    rest_.z = random.uniform(0.48, 0.62);
    rest_.pitch = random.uniform(-14, 14);
    rest_.yaw = random.uniform(-22, 22);
    rest_.roll = random.uniform(-14, 14);
    for (auto& curl : rest_.curl) curl = random.uniform(0.02, 0.2);
    rest_.spread = random.uniform(0, 0.7);
    rest_.elbow = {random.uniform(-0.06, 0.16), random.uniform(0.2, 0.26), random.uniform(0, 0.1)};
    rounds_ = random.uniform(1.6, 2.6);
    // Periods in clips: a hand trembles some ten times while it makes a gesture.
    // Three paths for the position, three for the angles, and one for the fingers.
    for (int k = 0; k < 3; ++k) tremor_.emplace_back(random, 0.3, 0.9);
    for (int k = 3; k < 7; ++k) tremor_.emplace_back(random, 0.12, 0.4);
  }

  /// Returns the pose at a time. time: fraction of the clip, forwards.
  HandPose at(HandMotion motion, double time) const {
    // Progress of the stroke, 0 before and 1 after it, with a smooth start and end.
    const double s = ease(std::clamp((time - start_) / length_, 0.0, 1.0));
    // The stroke is symmetric about the resting pose, from -far_ to far_.
    const double way = far_ * (2 * s - 1);
    const double swing = far_ * std::sin(2 * std::numbers::pi * rounds_ * s);
    HandPose pose = rest_;
    // Ranges in metres and degrees; a swipe also tilts the hand along its arc.
    switch (motion) {
      case HandMotion::SwipeRight:
        pose.x += 0.12 * way;
        pose.y += 0.02 * way * way;
        pose.roll += 16 * way;
        pose.yaw -= 18 * way;
        break;
      case HandMotion::SwipeUp:
        pose.y -= 0.085 * way;
        pose.pitch += 24 * way;
        break;
      case HandMotion::Push:
        pose.z -= 0.12 * way;
        pose.pitch += 6 * way;
        break;
      case HandMotion::Open:
        for (auto& curl : pose.curl) curl += (1 - s) * (0.97 - curl);
        pose.spread = 0.2 + 0.8 * s;
        break;
      case HandMotion::TurnClockwise:
        pose.roll += 46 * way;
        break;
      case HandMotion::Wave:
        pose.roll += 22 * swing;
        pose.x += 0.03 * swing;
        pose.spread = 0.6;
        break;
      case HandMotion::Beckon:
        for (std::size_t f = 1; f < 5; ++f)
          pose.curl[f] +=
              // Whole rounds, so that the fingers end as they began.
              0.32 * far_ * (1 - std::cos(2 * std::numbers::pi * std::round(rounds_) * s));
        break;
    }
    // A tremor of a few millimetres and 1.5 degrees. It depends on time only, like the stroke.
    const auto shake = [&](int k) { return tremor_[static_cast<std::size_t>(k)].at(time); };
    pose.x += 0.004 * shake(0);
    pose.y += 0.004 * shake(1);
    pose.z += 0.006 * shake(2);
    pose.pitch += 1.5 * shake(3);
    pose.yaw += 1.5 * shake(4);
    pose.roll += 1.5 * shake(5);
    for (auto& curl : pose.curl) curl = std::clamp(curl + 0.03 * shake(6), 0.0, 1.0);
    return pose;
  }

 private:
  double length_;
  double start_;
  double far_;
  double rounds_ = 2;
  HandPose rest_;
  std::vector<SmoothPath> tremor_;
};

/// Renders clips at one size and caches the hands of people. Not safe for several threads.
class GestureStage {
 public:
  explicit GestureStage(int size)
      : size_(size),
        renderer_(size, size),
        heads_(size),
        camera_{1.2 * size, (size - 1) / 2.0, (size - 1) / 2.0},
        behind_(pixels() * 3),
        wall_(pixels()),
        metres_(pixels()) {}

  /// colour, depth: [frames, size, size, 3 and 1].
  void play(const Gesture& gesture, std::int64_t person, std::int64_t frames, Random random,
            std::uint8_t* colour, std::uint8_t* depth) {
    // The same draws for all classes: the pair of a class differs in the order of frames alone.
    const auto light = random_light(random);
    set_scene(person, light, random);
    const GesturePerformance performance(random);
    const auto grain =
        static_cast<std::uint64_t>(random.below(std::numeric_limits<std::int64_t>::max()));
    auto& hand = find_hand(person);
    for (std::int64_t t = 0; t < frames; ++t) {
      // A reversed class shows the same frames in reverse order, noise included.
      const auto shown = gesture.backwards ? frames - 1 - t : t;
      // Frames lie at the middle of their intervals, so the reversed clip has the same times.
      const auto pose = performance.at(
          gesture.motion, (static_cast<double>(shown) + 0.5) / static_cast<double>(frames));
      renderer_.clear();
      renderer_.draw(hand.place(pose), camera_, light);
      auto* image = colour + static_cast<std::size_t>(t) * pixels() * 3;
      renderer_.resolve(behind_.data(), image);
      renderer_.resolve_depth(metres_.data());
      // The head behind the hand was rendered once per clip and limits the depth.
      for (std::size_t i = 0; i < pixels(); ++i) metres_[i] = std::min(metres_[i], wall_[i]);
      // Even numbers seed the noise of colour, odd ones that of depth.
      add_grain(image, pixels() * 3, 2.4F, grain + 2 * static_cast<std::uint64_t>(shown));
      sense_depth(metres_.data(), size_, {.near = gesture_near, .far = gesture_far},
                  grain + 2 * static_cast<std::uint64_t>(shown) + 1,
                  depth + static_cast<std::size_t>(t) * pixels());
    }
  }

 private:
  std::size_t pixels() const {
    return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_);
  }

  HandModel& find_hand(std::int64_t person) {
    const auto found = people_.find(person);
    if (found != people_.end()) return found->second;
    const int detail = size_ <= 96 ? 1 : 2;
    return people_.emplace(person, HandModel(hand_shape(person), detail)).first->second;
  }

  /// Prepares the scene behind the hand for the whole clip.
  void set_scene(std::int64_t person, const Light& light, Random& random) {
    // Everything is drawn even if no head is present, so that later draws do not depend on it.
    paint_background(behind_.data(), size_, size_, random);
    std::fill(wall_.begin(), wall_.end(), std::numeric_limits<float>::infinity());
    const bool present = random.chance(0.7);
    // The heads' camera has a focal length of 2 sides: a head z metres away in this picture is z *
    // 2 / 1.2 away there.
    constexpr double farther = 2 / 1.2;
    HeadPose pose;
    pose.x = 10 * random.uniform(-0.16, 0.16);
    pose.y = 10 * random.uniform(-0.12, 0.1);
    pose.z = 10 * random.uniform(0.85, 1.1) * farther;
    pose.pitch = random.uniform(-8, 8);
    pose.yaw = random.uniform(-20, 20);
    pose.roll = random.uniform(-6, 6);
    if (!present) return;
    std::array<float, 136> landmarks;
    heads_.render_into(identity(person), pose, {}, light, behind_.data(), behind_.data(),
                       landmarks.data());
    const auto depth = heads_.depth();
    const auto* z = depth.data_ptr<float>();
    // From decimetres in the heads' camera to metres in this one.
    for (std::size_t i = 0; i < pixels(); ++i) wall_[i] = z[i] / static_cast<float>(10 * farther);
  }

  int size_;
  Renderer renderer_;
  HeadRenderer heads_;
  Camera camera_;
  std::vector<std::uint8_t> behind_;
  std::vector<float> wall_;
  std::vector<float> metres_;
  std::unordered_map<std::int64_t, HandModel> people_;
};

}  // namespace

const std::vector<std::string>& gesture_classes() {
  static const auto names = [] {
    std::vector<std::string> list;
    for (const auto& gesture : all_gestures) list.emplace_back(gesture.name);
    return list;
  }();
  return names;
}

std::vector<std::int64_t> opposite_gestures() {
  std::vector<std::int64_t> opposite;
  for (std::size_t i = 0; i < all_gestures.size(); ++i) {
    opposite.push_back(static_cast<std::int64_t>(i));
    for (std::size_t j = 0; j < all_gestures.size(); ++j)
      // A pair shares its motion; a class without partner keeps its own number.
      if (j != i && all_gestures[j].motion == all_gestures[i].motion)
        opposite.back() = static_cast<std::int64_t>(j);
  }
  return opposite;
}

GestureClip render_gesture_clip(std::int64_t label, std::int64_t person, std::int64_t frames,
                                int size, Random random) {
  if (label < 0 || label >= static_cast<std::int64_t>(all_gestures.size()))
    throw UsageError(fmt::format("there is no gesture {}", label),
                     fmt::format("gestures are numbered from 0 to {}", all_gestures.size() - 1));
  require_clip(frames, person);
  GestureStage stage(size);
  GestureClip clip{.colour = at::empty({frames, size, size, 3}, at::kByte),
                   .depth = at::empty({frames, size, size, 1}, at::kByte)};
  stage.play(all_gestures[static_cast<std::size_t>(label)], person, frames, std::move(random),
             clip.colour.data_ptr<std::uint8_t>(), clip.depth.data_ptr<std::uint8_t>());
  return clip;
}

LabelledClips generate_gestures(std::int64_t n, std::int64_t frames, int size,
                                const std::vector<std::int64_t>& people, std::uint64_t seed) {
  ClipPlan cast(n, frames, gesture_classes(), people, seed);
  auto& set = cast.set;
  set.colour = at::empty({n, frames, size, size, 3}, at::kByte);
  set.depth = at::empty({n, frames, size, size, 1}, at::kByte);
  std::vector<GestureStage> stages(
      static_cast<std::size_t>(count_workers(n, at::get_num_threads())), GestureStage(size));
  auto* colour = set.colour.data_ptr<std::uint8_t>();
  auto* depth = set.depth.data_ptr<std::uint8_t>();
  const Random whole(seed);
  const auto pixels = frames * size * size;
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    stages[static_cast<std::size_t>(worker)].play(
        all_gestures[static_cast<std::size_t>(cast.label(i))], cast.person(i), frames,
        whole.split("gesture", i), colour + i * pixels * 3, depth + i * pixels);
  });
  return std::move(set);
}

}  // namespace reprise::datasets
