#include "tools/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "baselines/trackers/kalman.h"
#include "core/csv.h"
#include "core/files.h"
#include "core/prefix_errors.h"
#include "core/text.h"
#include "datasets/pose_tracks.h"
#include "experiments/names.h"
#include "tools/help.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using baselines::AngleNoise;
using baselines::AngleTrack;
using datasets::angle_names;
using datasets::PoseTrack;
using nlohmann::json;

constexpr std::string_view defaults = R"(
model = "constant_velocity"  # or constant_position
q = 0.0                      # process noise, degrees^2 (0: maximum likelihood, per angle)
r = 0.0                      # measurement noise, degrees^2 (0: maximum likelihood, per angle)
rate_variance = 1e4          # variance of the first frame's rate, (degrees per frame)^2
gate = 0.0                   # kalman: largest innovation, standard deviations (0: no limit)
gap = "predict"              # predict through missing frames; or restart after them
particles = 1000
seed = 0
frames = 3                   # moving_average: length
cutoff = 0.1                 # one_euro: cutoff at rest, cycles per frame
beta = 0.1                   # one_euro: cutoff per speed, cycles per degree
sigma = 3.0                  # video: smoothing of the window's position, frames
margin = 1.0                 # video: side of the window, relative to the network's training
)";

/// Throws a UsageError for an angle of more than 100 turns. Unwrapped angles are allowed, but such
/// values are mistakes, and their squares overflow.
void expect_angles(const std::vector<PoseTrack>& tracks, const fs::path& file) {
  constexpr double most = 36000;  // degrees
  for (const auto& track : tracks)
    for (std::size_t a = 0; a < track.angle.size(); ++a)
      for (const auto value : track.angle[a])
        if (std::abs(value) > most)
          throw UsageError(
              fmt::format("{}: {} is {:g} degrees", file.string(), angle_names[a], value),
              fmt::format("angles are degrees, at most {:g} either way", most));
}

/// Returns q and r of each angle, from the settings or estimated. Throws a UsageError that names
/// file and angle if there are too few measurements for an estimate.
std::array<AngleNoise, 3> choose_noise(const Settings& settings, baselines::Motion motion,
                                       const std::vector<PoseTrack>& tracks, const fs::path& file) {
  const double q = settings.number("q");
  const double r = settings.number("r");
  std::array<AngleNoise, 3> noise;
  for (std::size_t a = 0; a < noise.size(); ++a) {
    noise[a] = {.q = q,
                .r = r,
                .rate_variance = settings.number("rate_variance"),
                .gate = settings.number("gate")};
    // 0 stands for "not set": both are then estimated by maximum likelihood.
    if (q != 0 && r != 0) continue;
    if (q != 0 || r != 0)
      throw UsageError("--set: of q and r only one is set",
                       "set both, or none to estimate them from the measurements");
    std::vector<std::vector<double>> measured;
    for (const auto& track : tracks)
      // The likelihood needs consecutive frames, so tracks are cut where frames are missing.
      for (const auto& segment : datasets::split_at_gaps(track, 3))
        measured.push_back(segment.angle[a]);
    try {
      const auto likely =
          baselines::estimate_noise(motion, measured, {.rate_variance = noise[a].rate_variance});
      noise[a].q = likely.q;
      noise[a].r = likely.r;
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}: {}", file.string(), angle_names[a], error.problem()),
                       error.fix() + "; or set the noise: --set q=0.1 --set r=4");
    }
  }
  return noise;
}

/// Unwraps the angles, because filters do not know that 180 and -180 degrees are equal: every step
/// becomes the shorter way round. Returns the number of changed steps.
std::int64_t unwrap_angles(std::vector<PoseTrack>& tracks) {
  std::int64_t wraps = 0;
  for (auto& track : tracks)
    for (auto& angle : track.angle) {
      double last = std::nan("");
      double turns = 0;
      for (auto& value : angle) {
        if (!std::isfinite(value)) continue;
        // Whole turns between this value and the last one.
        const double step = std::isfinite(last) ? std::round((value + turns - last) / 360) : 0;
        wraps += step != 0;
        turns -= 360 * step;
        value += turns;
        last = value;
      }
    }
  return wraps;
}

/// Returns whether all angles are in [-180, 180]. The estimates are then written in that range too.
bool is_within_half_turns(const std::vector<PoseTrack>& tracks) {
  return std::ranges::all_of(tracks, [](const PoseTrack& track) {
    return std::ranges::all_of(track.angle, [](const std::vector<double>& angle) {
      return std::ranges::all_of(
          angle, [](double value) { return !std::isfinite(value) || std::abs(value) <= 180; });
    });
  });
}

/// Formats the estimates and their standard deviations (sd) as CSV. Cells without a value are
/// empty.
std::string format_csv(const std::vector<PoseTrack>& tracks,
                       const std::vector<std::array<AngleTrack, 3>>& estimates) {
  const auto cell = [](double value) {
    return std::isfinite(value) ? number_text(value) : std::string();
  };
  std::string text = "sequence,frame,pitch,yaw,roll,pitch_sd,yaw_sd,roll_sd\n";
  for (std::size_t s = 0; s < tracks.size(); ++s)
    for (std::size_t i = 0; i < tracks[s].frame.size(); ++i) {
      std::vector<std::string> fields{tracks[s].sequence, std::to_string(tracks[s].frame[i])};
      // First the three angles, then their standard deviations, as in the header.
      for (const auto& track : estimates[s]) fields.push_back(cell(track.angle[i]));
      for (const auto& track : estimates[s]) fields.push_back(cell(track.std_dev[i]));
      text += csv_line(fields) + "\n";
    }
  return text;
}

/// Filters the measurements of a CSV, each angle separately, and writes the estimates.
void track_measurements(const Call& call, const TrackOptions& options, const Settings& settings) {
  const auto motion = baselines::parse_motion(settings.text("model"));
  const auto gap = baselines::parse_gap(settings.text("gap"));
  const auto& tracker = find_named(baselines::trackers(), "tracker", options.method);
  auto tracks = datasets::read_pose_tracks(options.measurements);
  if (tracks.empty())
    throw UsageError(options.measurements.string() + " holds no measurements",
                     "give one row per frame");
  expect_angles(tracks, options.measurements);
  // Decided before the angles are unwrapped, which can move them out of that range.
  const bool circle = is_within_half_turns(tracks);
  const auto wraps = unwrap_angles(tracks);
  const auto noise = tracker.has_model
                         ? choose_noise(settings, motion, tracks, options.measurements)
                         : std::array<AngleNoise, 3>{};
  std::vector<std::array<AngleTrack, 3>> estimates(tracks.size());
  std::int64_t frames = 0;
  for (std::size_t s = 0; s < tracks.size(); ++s) {
    frames += static_cast<std::int64_t>(tracks[s].frame.size());
    for (std::size_t a = 0; a < 3; ++a)
      // Angles are independent: each has its own filter and noise.
      estimates[s][a] = prefix_errors(options.measurements.string(), [&] {
        return baselines::track_across_gaps(
            gap, tracks[s].frame, tracks[s].angle[a],
            tracker.full_track(make_tracker_options(settings, noise[a])));
      });
    if (!circle) continue;
    for (auto& estimate : estimates[s])
      // Back to [-180, 180], as the input states them.
      for (auto& angle : estimate.angle) angle = std::remainder(angle, 360);
  }
  write_file(options.out, format_csv(tracks, estimates));
  json used = json::object();
  std::string text =
      fmt::format("{}: {} frames of {} sequences\n", options.out.string(), frames, tracks.size());
  for (std::size_t a = 0; a < 3 && tracker.has_model; ++a) {
    used[angle_names[a]] = {{"q", noise[a].q}, {"r", noise[a].r}};
    text += fmt::format("{:<5}  q = {:.4g}, r = {:.4g}\n", angle_names[a], noise[a].q, noise[a].r);
  }
  if (wraps > 0)
    text +=
        fmt::format("{} steps of more than 180 degrees were taken the shorter way round\n", wraps);
  call.answer({{"file", options.out.string()},
               {"frames", frames},
               {"sequences", tracks.size()},
               {"noise", used},
               {"wraps", wraps}},
              text);
}

void track(Call& call, const TrackOptions& options) {
  Settings settings(defaults, "track");
  for (const auto& assignment : options.set) settings.set(assignment);
  if (options.measurements.empty() == options.video.empty())
    throw UsageError(options.video.empty() ? "neither --measurements nor --video is given"
                                           : "both --measurements and --video are given",
                     "give one of them");
  if (options.measurements.empty()) return track_video(call, options, settings);
  if (!options.network.empty() || !options.overlay.empty() || !options.landmarks_out.empty() ||
      !options.face_detector.empty() || options.whole_frame || options.two_passes)
    throw UsageError("options of --video are given with --measurements",
                     "leave out --network, --overlay, --landmarks-out, --face-detector, "
                     "--whole-frame and --two-passes, or give --video");
  track_measurements(call, options, settings);
}

void add_video_options(CLI::App& verb, TrackOptions& options) {
  verb.add_option(
      "--video", options.video,
      "video to track, causally and in constant memory. A folder of pictures works too, in "
      "the order of their names; a picture that cannot be read is a frame without a face");
  verb.add_option(
      "--network", options.network,
      "trained network for --video: tracker.safetensors of a cell of study dynamic_face");
  verb.add_option(
          "--face-detector", options.face_detector,
          "OpenCV cascade (.xml) or YuNet network (.onnx) (default: the cascade of Debian's "
          "opencv-data)")
      ->group(rarely_used());
  verb.add_flag("--whole-frame", options.whole_frame,
                "use whole frames as face windows, without a detector")
      ->group(rarely_used());
  verb.add_flag(
          "--two-passes", options.two_passes,
          "find the face in all frames first and smooth its position, as in the document. The "
          "windows are steadier, but not causal")
      ->group(rarely_used());
  verb.add_option("--faces", options.faces,
                  "number of faces tracked at a time. The second is the sequence NAME-2, the third "
                  "NAME-3")
      ->group(rarely_used())
      ->capture_default_str();
  add_output(verb, "--overlay", options.overlay,
             "video to write (.avi or .mp4) with window, axes (x red, y green, z blue) and "
             "landmarks");
  add_output(verb, "--landmarks-out", options.landmarks_out,
             "CSV of landmarks to write: sequence,frame,x1,y1,...,x68,y68")
      ->group(rarely_used());
}

}  // namespace

baselines::TrackerOptions make_tracker_options(const Settings& settings,
                                               const baselines::AngleNoise& noise) {
  return {.motion = baselines::parse_motion(settings.text("model")),
          .noise = noise,
          .particles = settings.integer("particles"),
          .seed = static_cast<std::uint64_t>(settings.integer("seed")),
          .frames = settings.integer("frames"),
          .cutoff = settings.number("cutoff"),
          .beta = settings.number("beta")};
}

void add_track(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "track",
      "Track the head pose in a video, or filter measured poses. A video needs a trained "
      "network; a filter may follow it. Measurements are a CSV with the columns "
      "sequence,frame,pitch,yaw,roll in degrees; an empty cell is a missing measurement. A "
      "step from 179 to -179 degrees counts as 2 degrees.",
      "reprise track --method rnn --network tracker.safetensors --video me.mp4 --out poses.csv "
      "--overlay me.avi\n"
      "reprise track --method kalman --measurements poses.csv --set q=0.1 --set r=4 "
      "--out tracked.csv");
  const auto options = std::make_shared<TrackOptions>();
  verb->add_option(
          "--method", options->method,
          "tracking method. Video: rnn or cnn (the network alone), or a causal filter after "
          "the network. Measurements: a filter. Filters: kalman, particle, moving_average, "
          "one_euro, and smoother (not causal: it uses the whole track)")
      ->required();
  verb->add_option("--measurements", options->measurements,
                   "CSV of measurements, in place of --video");
  add_video_options(*verb, *options);
  verb->add_option(
          "--set", options->set,
          "KEY=VALUE, a setting of the filter or of the face window.\n"
          "model: constant_velocity or constant_position\n"
          "q, r: process and measurement noise, degrees^2 (default: estimated from the "
          "measurements; a video needs both)\n"
          "rate_variance: variance of the first rate, (degrees per frame)^2\n"
          "gate: largest innovation, standard deviations; kalman ignores measurements beyond "
          "it (0: none)\n"
          "gap: predict through missing frames, or restart after them\n"
          "particles, seed: of the particle filter\n"
          "frames: length of the moving average\n"
          "cutoff, beta: of one_euro, cycles per frame and cycles per degree\n"
          "sigma: smoothing of the window's position, frames\n"
          "margin: side of the window, relative to the network's training")
      ->allow_extra_args(false);
  add_output(*verb, "--out", options->out, "CSV to write")->required();
  verb->callback([options, &call] { track(call, *options); });
}

}  // namespace reprise::reproduce
