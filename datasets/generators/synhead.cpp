#include "datasets/generators/synhead.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "datasets/landmarks.h"
#include "datasets/scene/background.h"
#include "datasets/scene/smooth_path.h"

namespace reprise::datasets {
namespace {

/// Number of frames that share their events.
constexpr std::int64_t block = 60;

/// Random parameters of a sequence.
struct Scene {
  Light light;
  std::vector<std::uint8_t> background;
  std::vector<SmoothPath> path;  ///< place (x, y), distance, then the face's movements

  Scene(int size, Random random)
      : light(random_light(random)), background(static_cast<std::size_t>(size) * size * 3) {
    paint_background(background.data(), size, size, random);
    // Three paths for place and distance, six for the expression; periods in frames.
    for (int k = 0; k < 9; ++k) path.emplace_back(random, 40, 160);
  }
};

Expression expression_at(const Scene& scene, double t) {
  const auto at = [&](int k) { return scene.path[k].at(t); };
  return moving_face({at(3), at(4), at(5), at(6), at(7), at(8)}, 1);
}

GapOptions gap_options(const Degradation& degradation) {
  // Frames; see the header.
  return {.clear_low = 3, .clear_high = 9, .gap_low = 1, .gap_high = 6, .kinds = degradation.gaps};
}

/// Displaces and scales the window in a gap of kind Jumped, in the units of pose_at().
void jump(const Gaps::At& gap, double by, HeadPose& pose) {
  // The angle of the gap serves as the direction; other multiples of it decide the scale.
  pose.x += 3.5 * by * gap.strength * std::cos(2 * gap.angle);
  pose.y += 3.5 * by * gap.strength * std::sin(2 * gap.angle);
  pose.z *= std::exp(by * gap.strength * std::cos(3 * gap.angle));
}

/// Returns the pose at frame t. The window's offset is expressed as a movement of the head. At the
/// default distance of 7 decimetres and a focal length of 2 sides, a side is 3.5 decimetres.
HeadPose pose_at(const Scene& scene, const PoseTrack& track, std::int64_t t, double jitter,
                 Random random) {
  HeadPose pose;
  const auto i = static_cast<std::size_t>(t);
  const auto at = [&](int k) { return scene.path[k].at(static_cast<double>(t)); };
  pose.pitch = track.angle[0][i];
  pose.yaw = track.angle[1][i];
  pose.roll = track.angle[2][i];
  // A slow drift of the head, and a jitter of the window that is new in every frame.
  pose.x += 0.15 * at(0) + 3.5 * jitter * random.normal();
  pose.y += 0.15 * at(1) + 3.5 * jitter * random.normal();
  pose.z *= (1 + 0.1 * at(2)) * std::exp(0.5 * jitter * random.normal());
  return pose;
}

void check_places(const Synhead& set, const std::vector<SynheadPosition>& places,
                  std::int64_t count) {
  for (const auto& place : places) {
    if (place.sequence < 0 || place.sequence >= set.sequences())
      throw UsageError(
          fmt::format("there is no sequence {} among {}", place.sequence, set.sequences()),
          "count them from 0");
    const auto length = static_cast<std::int64_t>(set.track(place.sequence).frame.size());
    if (count < 1 || place.first < 0 || place.first + count > length)
      throw UsageError(fmt::format("{} frames from {} on were requested, and track {} has {}",
                                   count, place.first, set.track(place.sequence).sequence, length),
                       "request frames that are there");
  }
}

/// Damage to the frames of a sequence. It is drawn per block of frames, when the first frame of a
/// block comes up.
class BlockDamage {
 public:
  BlockDamage(const Degradation& degradation, double strength, const Random& random)
      : degradation_(degradation), strength_(strength), random_(random) {}

  /// Draws the damage of the block that contains frame t, unless it is there already.
  void enter(std::int64_t t) {
    if (block_ == t / block) return;
    block_ = t / block;
    auto drawn = random_.split("events", block_);
    events_.emplace(block, strength_, degradation_.events, drawn);
    if (degradation_.gaps.empty()) return;
    auto of_gaps = random_.split("gaps", block_);
    gaps_.emplace(block, strength_, gap_options(degradation_), of_gaps);
  }
  std::optional<Gaps::At> gap_at(std::int64_t t) const {
    return gaps_ ? gaps_->at(t % block) : std::nullopt;
  }
  /// Returns the frame that is delivered in a gap of kind Frozen: the one before the gap, but of
  /// the same block.
  std::int64_t frozen_frame(const Gaps::At& gap, std::int64_t t) const {
    return std::max(block_ * block, t - t % block + gap.first - 1);
  }
  /// Damages a picture of size x size pixels. Damage works on floats.
  void apply(std::int64_t t, std::int64_t size, Canvas& canvas, std::uint8_t* image) const {
    canvas.size = size;
    canvas.channels = 3;
    canvas.pixels.assign(image, image + size * size * 3);
    events_->apply(canvas, t % block);
    if (gaps_) gaps_->apply(canvas, t % block);
    std::transform(canvas.pixels.begin(), canvas.pixels.end(), image, [](float v) {
      return static_cast<std::uint8_t>(std::clamp(v, 0.0F, 255.0F) + 0.5F);
    });
  }

 private:
  const Degradation& degradation_;
  double strength_;
  const Random& random_;
  std::int64_t block_ = -1;
  std::optional<MotionEvents> events_;
  std::optional<Gaps> gaps_;
};

/// Subtracts the neck's position from 68 landmarks.
void make_relative(const HeadPose& pose, float* points) {
  for (std::int64_t k = 0; k < 68; ++k) {
    points[3 * k] -= static_cast<float>(pose.x);
    points[3 * k + 1] -= static_cast<float>(pose.y);
    points[3 * k + 2] -= static_cast<float>(pose.z);
  }
}

}  // namespace

const std::vector<std::string>& degradation_kinds() {
  static const std::vector<std::string> kinds{"clean",  "occlusion", "blur",   "light", "noise",
                                              "jitter", "mix",       "hidden", "dark",  "shaken",
                                              "frozen", "jumps",     "gaps"};
  return kinds;
}

Degradation find_degradation(const std::string& kind) {
  Degradation all{.events = {}, .jitter = 0.025};
  // The defaults of the events are those of the mix.
  if (kind == "mix") return all;
  static const std::vector<std::pair<std::string, Damage>> in_gaps{{"hidden", Damage::Hidden},
                                                                   {"dark", Damage::Dark},
                                                                   {"shaken", Damage::Blurred},
                                                                   {"frozen", Damage::Frozen},
                                                                   {"jumps", Damage::Jumped}};
  for (const auto& [name, damage] : in_gaps)
    if (kind == name || kind == "gaps") all.gaps.push_back(damage);
  auto& e = all.events;
  // A single kind occurs with certainty, and all others never.
  const auto only = [&](const std::string& name, double& chance) { chance = kind == name ? 1 : 0; };
  only("occlusion", e.occluder_chance);
  only("blur", e.blur_chance);
  only("noise", e.noise_chance);
  // Light has two events, darkness and flicker.
  only("light", e.dark_chance);
  only("light", e.flicker_chance);
  if (kind != "jitter") all.jitter = 0;
  if (std::find(degradation_kinds().begin(), degradation_kinds().end(), kind) ==
      degradation_kinds().end())
    throw UsageError("there is no degradation '" + kind + "'",
                     "use one of: " + join(degradation_kinds(), ", "));
  return all;
}

Synhead::Synhead(std::vector<PoseTrack> tracks, SynheadOptions options)
    : tracks_(std::move(tracks)),
      options_(std::move(options)),
      degradation_(find_degradation(options_.kind)),
      renderer_(options_.size) {
  if (tracks_.empty() || options_.heads.empty())
    throw UsageError("SynHead without tracks or heads", "give at least one of each");
  for (const auto& track : tracks_)
    for (const auto& angle : track.angle)
      if (angle.size() != track.frame.size() ||
          !std::all_of(angle.begin(), angle.end(), [](double v) { return std::isfinite(v); }))
        throw UsageError("track " + track.sequence + " lacks an angle in a frame",
                         "give tracks whose angles are all there");
  // Meshes are built once, before the renderer is copied to the workers.
  for (const auto head : options_.heads) renderer_.meet(identity(head));
}

const PoseTrack& Synhead::track(std::int64_t sequence) const {
  // Sequences are ordered by track, and within a track by head.
  return tracks_.at(static_cast<std::size_t>(sequence) / options_.heads.size());
}

std::int64_t Synhead::head(std::int64_t sequence) const {
  return options_.heads[static_cast<std::size_t>(sequence) % options_.heads.size()];
}

std::int64_t Synhead::frames() const {
  std::int64_t count = 0;
  for (const auto& track : tracks_)
    count += static_cast<std::int64_t>(track.frame.size() * options_.heads.size());
  return count;
}

SynheadPosition Synhead::place(std::int64_t index) const {
  auto left = index;
  for (std::int64_t s = 0; index >= 0 && s < sequences(); ++s) {
    const auto length = static_cast<std::int64_t>(track(s).frame.size());
    if (left < length) return {s, left};
    left -= length;
  }
  throw UsageError(fmt::format("there is no frame {} among {}", index, frames()),
                   "count them from 0");
}

SynheadClips Synhead::read(const std::vector<SynheadPosition>& places, std::int64_t count) const {
  check_places(*this, places, count);
  const auto n = static_cast<std::int64_t>(places.size());
  const auto size = static_cast<std::int64_t>(options_.size);
  SynheadClips clips{.images = at::empty({n, count, size, size, 3}, at::kByte),
                     .pose = at::empty({n, count, 3}, at::kFloat),
                     .landmarks = at::empty({n, count, 68, 2}, at::kFloat),
                     .landmarks_3d = at::empty({n, count, 68, 3}, at::kFloat)};
  auto* images = clips.images.data_ptr<std::uint8_t>();
  auto* poses = clips.pose.data_ptr<float>();
  auto* landmarks = clips.landmarks.data_ptr<float>();
  auto* points = clips.landmarks_3d.data_ptr<float>();
  std::vector<HeadRenderer> renderers(
      static_cast<std::size_t>(count_workers(n, at::get_num_threads())), renderer_);
  std::vector<Canvas> canvases(renderers.size());
  const Random whole(options_.seed);
  const auto bytes = size * size * 3;
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    const auto& [sequence, start, take] = places[static_cast<std::size_t>(i)];
    auto& renderer = renderers[static_cast<std::size_t>(worker)];
    auto& canvas = canvases[static_cast<std::size_t>(worker)];
    const auto who = identity(head(sequence));
    // The stream depends on track, head and take, so any part of a sequence can be rendered alone.
    const auto random = whole.split(track(sequence).sequence, who.number).split("take", take);
    const Scene scene(options_.size, random.split("scene"));
    // Jitter has a stream per frame: frame t is the same in every excerpt.
    const auto posed = [&](std::int64_t t) {
      return pose_at(scene, track(sequence), t, options_.strength * degradation_.jitter,
                     random.split("window", t));
    };
    BlockDamage damage(degradation_, options_.strength, random);
    for (std::int64_t t = start; t < start + count; ++t) {
      const auto f = i * count + t - start;
      auto* image = images + f * bytes;
      damage.enter(t);
      const auto gap = damage.gap_at(t);
      auto pose = posed(t);
      if (gap && gap->kind == Damage::Jumped) jump(*gap, degradation_.jump, pose);
      renderer.render_into(who, pose, expression_at(scene, static_cast<double>(t)), scene.light,
                           scene.background.data(), image, landmarks + f * 136);
      renderer.write_landmarks_3d(points + f * 204);
      make_relative(pose, points + f * 204);
      const std::array angles{pose.pitch, pose.yaw, pose.roll};
      for (std::size_t a = 0; a < 3; ++a)
        poses[3 * f + static_cast<std::int64_t>(a)] = static_cast<float>(angles[a]);
      // Frozen: the truth belongs to frame t, the picture to the frame before the gap.
      if (gap && gap->kind == Damage::Frozen) {
        const auto shown = damage.frozen_frame(*gap, t);
        std::array<float, 2 * 68> unused{};
        renderer.render_into(who, posed(shown), expression_at(scene, static_cast<double>(shown)),
                             scene.light, scene.background.data(), image, unused.data());
      }
      damage.apply(t, size, canvas, image);
    }
  });
  return clips;
}

SynheadClips mirror_clips(const SynheadClips& clips) {
  const auto order = mirror_order();
  const auto named = at::tensor(std::vector<std::int64_t>(order.begin(), order.end()), at::kLong);
  const auto width = clips.images.size(-2);
  SynheadClips out{.images = clips.images.flip({-2}),
                   .pose = clips.pose.clone(),
                   .landmarks = mirror_landmarks(clips.landmarks, width),
                   .landmarks_3d = clips.landmarks_3d.index_select(-2, named)};
  // A mirrored head has the opposite yaw and roll, and opposite x.
  out.pose.slice(-1, 1).neg_();
  out.landmarks_3d.select(-1, 0).neg_();
  return out;
}

SynheadClips reverse_clips(const SynheadClips& clips) {
  return {.images = clips.images.flip({1}),
          .pose = clips.pose.flip({1}),
          .landmarks = clips.landmarks.flip({1}),
          .landmarks_3d = clips.landmarks_3d.flip({1})};
}

}  // namespace reprise::datasets
