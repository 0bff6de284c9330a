#include "datasets/generators/walkers.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "core/error.h"
#include "core/parallel.h"
#include "datasets/scene/background.h"
#include "datasets/scene/body_model.h"
#include "datasets/scene/sensor_noise.h"
#include "datasets/scene/smooth_path.h"
#include "datasets/scene/synthetic_head.h"

namespace reprise::datasets {
namespace {

enum class BodyMotion { Walk, Hurry, InPlace, Crouch, Wave, HoldUp, Jump };

/// A class: its motion, and whether its frames are shown in reverse order.
struct Action {
  const char* name;
  BodyMotion motion;
  bool backwards;
};
constexpr std::array<Action, 10> all_actions{{{"walk_forward", BodyMotion::Walk, false},
                                              {"walk_backward", BodyMotion::Walk, true},
                                              {"hurry_forward", BodyMotion::Hurry, false},
                                              {"hurry_backward", BodyMotion::Hurry, true},
                                              {"walk_in_place", BodyMotion::InPlace, false},
                                              {"crouch", BodyMotion::Crouch, false},
                                              {"rise", BodyMotion::Crouch, true},
                                              {"wave", BodyMotion::Wave, false},
                                              {"hold_up", BodyMotion::HoldUp, false},
                                              {"jump", BodyMotion::Jump, false}}};

// Metres: distance of the person, width of the view there, and length of two steps.
constexpr double distance = 5;
constexpr double width = 3;
constexpr double stride = 1.15;
constexpr double turn_of_wave = 2 * std::numbers::pi;

/// Random parameters of a clip, independent of its class.
class WalkerPerformance {
 public:
  explicit WalkerPerformance(Random& random) {
    // Drawn in a fixed order, and for all classes alike. Lengths in metres, angles in degrees.
    way_ = random.uniform(0.75, 0.95);
    middle_ = random.uniform(-0.2, 0.2);
    phase_ = random.uniform(0, 1);
    look_left_ = random.chance(0.5);
    turn_ = random.uniform(-28, 28);
    ground_ = random.uniform(0.86, 0.98);
    steps_ = random.uniform(0.85, 1.15);
    lean_ = random.uniform(0, 6);
    swing_ = random.uniform(0.7, 1.2);
    length_ = random.uniform(0.5, 0.85);
    start_ = random.uniform(0, 1 - length_);
    raised_ = random.uniform(135, 165);
    waves_ = random.uniform(2.2, 3.4);
    held_ = random.uniform(0, 1);
    leap_ = random.uniform(0.14, 0.24);
    near_arm_ = random.chance(0.5);
  }

  /// Returns the pose at a time. time: fraction of the clip, forwards; slightly below 0 and above 1
  /// for the extra frame after the last.
  BodyPose at(BodyMotion motion, double time) const {
    BodyPose pose;
    pose.z = distance;
    pose.ground = ground_;
    pose.turn = turn_ + (look_left_ ? 180 : 0);
    pose.lean = lean_;
    pose.x = middle_;
    // Standing, left and right limb: almost straight, since knees and elbows are never quite so.
    pose.shoulder = {3, 3};
    pose.elbow = {12, 12};
    pose.knee = {4, 4};
    pose.thigh = {3, -1};
    switch (motion) {
      case BodyMotion::Walk:
        walk(pose, time, way_);
        break;
      case BodyMotion::Hurry:
        walk(pose, time, 2 * way_);
        break;
      // The legs move as in walking, but the body stays.
      case BodyMotion::InPlace:
        walk(pose, time, way_);
        pose.x = middle_;
        break;
      case BodyMotion::Crouch: {
        const double s = ease(std::clamp((time - start_) / length_, 0.0, 1.0));
        pose.thigh = {3 + 92 * s, -1 + 96 * s};
        pose.knee = {4 + 126 * s, 4 + 126 * s};
        pose.lean += 30 * s;
        pose.shoulder = {3 + 55 * s, 3 + 55 * s};
        break;
      }
      case BodyMotion::Wave:
        raise(pose, std::sin(turn_of_wave * (waves_ * time + phase_)));
        break;
      case BodyMotion::HoldUp:
        raise(pose, std::sin(turn_of_wave * held_));
        break;
      case BodyMotion::Jump:
        jump(pose, time);
        break;
    }
    return pose;
  }

 private:
  /// The phase goes with the way, so that the standing foot hardly slides.
  void walk(BodyPose& pose, double time, double way) const {
    const double gone = way * (time - 0.5);
    // One turn per stride; the legs are half a turn apart.
    const double cycle = turn_of_wave * (gone / stride + phase_);
    pose.x += (look_left_ ? -1 : 1) * gone * std::cos(turn_ * std::numbers::pi / 180);
    for (std::size_t side = 0; side < 2; ++side) {
      const double a = cycle + (side == 0 ? 0 : std::numbers::pi);
      const double forth = std::max(0.0, std::cos(a));
      // The knee bends while the leg swings forwards, and an arm swings against its leg.
      pose.thigh[side] = 4 + 25 * steps_ * std::sin(a) + 8 * forth;
      pose.knee[side] = 6 + 52 * steps_ * forth * forth;
      pose.shoulder[side] = -22 * swing_ * std::sin(a);
      pose.elbow[side] = 22 + 10 * swing_;
    }
  }
  void raise(BodyPose& pose, double swing) const {
    const std::size_t arm = near_arm_ ? 0 : 1;
    pose.shoulder[arm] = raised_;
    pose.elbow[arm] = 22 + 42 * swing;
  }
  /// Two leaps: bend, fly, bend.
  void jump(BodyPose& pose, double time) const {
    const double beat = 2 * time + phase_;
    // Fractions of a leap: 0 to 0.35 bending, 0.35 to 0.85 in the air, then landing.
    const double within = beat - std::floor(beat);
    const double flight = std::clamp((within - 0.35) / 0.5, 0.0, 1.0);
    // A parabola with maximum 1, as under gravity.
    const double fly = 4 * flight * (1 - flight);
    const double bent =
        within < 0.35 ? std::sin(std::numbers::pi * within / 0.35)
                      : 0.35 * std::max(0.0, std::sin(std::numbers::pi * (within - 0.85) / 0.15));
    pose.height = leap_ * fly;
    pose.thigh = {3 + 44 * bent, -1 + 44 * bent};
    pose.knee = {4 + 84 * bent, 4 + 84 * bent};
    pose.lean += 20 * bent;
    pose.shoulder = {-25 * bent + 80 * swing_ * fly, -25 * bent + 80 * swing_ * fly};
  }

  double way_;
  double middle_;
  double phase_;
  double turn_;
  double ground_;
  double steps_;
  double lean_;
  double swing_;
  double length_;
  double start_;
  double raised_;
  double waves_;
  double held_;
  double leap_;
  bool look_left_;
  bool near_arm_;
};

/// Draws clips of a size; keeps the people it met. Not to be shared between threads.
class WalkerStage {
 public:
  explicit WalkerStage(int size)
      : size_(size),
        renderer_(std::clamp(size, 8, 2048), std::clamp(size, 8, 2048)),
        // This focal length shows `width` metres at the person's distance.
        camera_{distance / width * size, (size - 1) / 2.0, (size - 1) / 2.0},
        behind_(bytes()) {
    if (size < 8 || size > 2048)
      throw UsageError(fmt::format("people of {} pixels cannot be drawn", size),
                       "choose a size from 8 to 2048");
  }
  std::size_t bytes() const {
    return static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_) * 3;
  }

  /// image: [drawn, size, size, 3]; `drawn` frames of a clip of `frames`, from its first.
  void play(const Action& action, std::int64_t person, std::int64_t frames, std::int64_t drawn,
            Random random, std::uint8_t* image) {
    const auto light = random_light(random);
    paint_background(behind_.data(), size_, size_, random);
    const WalkerPerformance performance(random);
    // The ground's line lies 12 cm above the feet on the picture, behind the person.
    paint_ground(performance.at(BodyMotion::HoldUp, 0).ground - 0.12);
    const auto grain =
        static_cast<std::uint64_t>(random.below(std::numeric_limits<std::int64_t>::max()));
    auto& body = find_body(person);
    for (std::int64_t t = 0; t < drawn; ++t, image += bytes()) {
      // A class played backwards shows the same frames, noise included.
      const auto shown = action.backwards ? frames - 1 - t : t;
      const auto pose = performance.at(
          action.motion, (static_cast<double>(shown) + 0.5) / static_cast<double>(frames));
      renderer_.clear();
      renderer_.draw(body.place(pose), camera_, light);
      renderer_.resolve(behind_.data(), image);
      add_grain(image, bytes(), 1.5F, grain + static_cast<std::uint64_t>(shown));
    }
  }

 private:
  BodyModel& find_body(std::int64_t person) {
    const auto found = people_.find(person);
    if (found != people_.end()) return found->second;
    const int detail = size_ <= 96 ? 1 : 2;
    return people_.emplace(person, BodyModel(body_shape(person), detail)).first->second;
  }

  /// height: y of the line behind the person's feet, metres.
  void paint_ground(double height) {
    const double line = camera_.centre_y + camera_.focal * height / distance;
    for (int y = 0; y < size_; ++y) {
      // The ground is darker than the background; the row of the line is blended.
      const auto dim = static_cast<float>(1 - 0.4 * std::clamp(y - line + 0.5, 0.0, 1.0));
      auto* row = &behind_[static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) * 3];
      for (int i = 0; i < size_ * 3; ++i)
        row[i] = static_cast<std::uint8_t>(static_cast<float>(row[i]) * dim);
    }
  }

  int size_;
  Renderer renderer_;
  Camera camera_;
  std::vector<std::uint8_t> behind_;
  std::unordered_map<std::int64_t, BodyModel> people_;
};

}  // namespace

const std::vector<std::string>& walker_classes() {
  static const auto names = [] {
    std::vector<std::string> list;
    for (const auto& action : all_actions) list.emplace_back(action.name);
    return list;
  }();
  return names;
}

at::Tensor render_walker_clip(std::int64_t label, std::int64_t person, std::int64_t frames,
                              int size, Random random) {
  if (label < 0 || label >= static_cast<std::int64_t>(all_actions.size()))
    throw UsageError(fmt::format("there is no action {}", label),
                     fmt::format("actions are numbered from 0 to {}", all_actions.size() - 1));
  require_clip(frames, person);
  WalkerStage stage(size);
  auto clip = at::empty({frames, size, size, 3}, at::kByte);
  stage.play(all_actions[static_cast<std::size_t>(label)], person, frames, frames,
             std::move(random), clip.data_ptr<std::uint8_t>());
  return clip;
}

LabelledClips generate_walkers(std::int64_t n, std::int64_t frames, int size,
                               const std::vector<std::int64_t>& people, std::uint64_t seed,
                               const std::optional<FlowOptions>& flow) {
  ClipPlan cast(n, frames, walker_classes(), people, seed);
  auto& set = cast.set;
  std::vector<WalkerStage> stages(static_cast<std::size_t>(count_workers(n, at::get_num_threads())),
                                  WalkerStage(size));
  // The flow of the last frame needs one frame after it.
  const auto drawn = frames + (flow ? 1 : 0);
  auto images = at::empty({n, drawn, size, size, 3}, at::kByte);
  auto* pixels = images.data_ptr<std::uint8_t>();
  const Random whole(seed);
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    stages[static_cast<std::size_t>(worker)].play(
        all_actions[static_cast<std::size_t>(cast.label(i))], cast.person(i), frames, drawn,
        whole.split("action", i), pixels + i * drawn * size * size * 3);
  });
  // The extra frame is not part of the clip.
  set.colour = images.narrow(1, 0, frames).contiguous();
  if (!flow) return std::move(set);
  set.flow = at::empty_like(set.colour);
  for (std::int64_t i = 0; i < n; ++i)
    set.flow[i].copy_(
        compute_flow_images(images[i].narrow(0, 0, frames), images[i].narrow(0, 1, frames), *flow));
  return std::move(set);
}

}  // namespace reprise::datasets
