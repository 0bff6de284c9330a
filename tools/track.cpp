#include "tools/track.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "baselines/trackers/kalman.h"
#include "core/csv.h"
#include "core/files.h"
#include "core/named.h"
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
q = 0.0                      # process noise, degrees^2; 0: the most likely one, for each angle, under the measurements themselves
r = 0.0                      # measurement noise, degrees^2; 0: likewise
rate_variance = 1e4          # of the first frame's rate, (degrees a frame)^2
gate = 0.0                   # of kalman: a measurement farther than so many deviations from its prediction counts as missing; 0: none does
gap = "predict"              # frames that are missing are predicted through; restart: the tracker begins anew behind them
particles = 1000
seed = 0
frames = 3                   # of the moving average
cutoff = 0.1                 # of the one-euro filter at rest, cycles per frame
beta = 0.1                   # of the one-euro filter, cycles per degree: the faster an angle moves, the less it is smoothed
sigma = 3.0                  # of a video: of the Gaussian that smooths the window's place, frames
margin = 1.0                 # of a video: the window's side over that which the network learned from
)";

/// Angles may be unwrapped, but a hundred turns are a mistake, and their squares leave the range of
/// numbers.
void expect_angles(const std::vector<PoseTrack>& tracks, const fs::path& file) {
  constexpr double most = 36000;
  for (const auto& track : tracks)
    for (std::size_t a = 0; a < track.angle.size(); ++a)
      for (const auto value : track.angle[a])
        if (std::abs(value) > most)
          throw UsageError(
              fmt::format("{}: {} is {:g} degrees", file.string(), angle_names[a], value),
              fmt::format("angles are degrees, at most {:g} either way", most));
}

/// q and r of each angle: as set, or found. UsageError: an angle with too few measurements to find
/// them (file and angle are named).
std::array<AngleNoise, 3> noise_of(const Settings& settings, baselines::Motion motion,
                                   const std::vector<PoseTrack>& tracks, const fs::path& file) {
  const double q = settings.number("q"), r = settings.number("r");
  std::array<AngleNoise, 3> noise;
  for (std::size_t a = 0; a < noise.size(); ++a) {
    noise[a] = {q, r, settings.number("rate_variance"), settings.number("gate")};
    if (q != 0 && r != 0) continue;
    if (q != 0 || r != 0)
      throw UsageError("--set: of q and r only one is set",
                       "set both, or none to have the most likely ones found");
    std::vector<std::vector<double>> measured;
    for (const auto& track : tracks)
      for (const auto& stretch : datasets::split_at_gaps(track, 3))
        measured.push_back(stretch.angle[a]);
    try {
      const auto likely =
          baselines::estimate_noise(motion, measured, {.rate_variance = noise[a].rate_variance});
      noise[a].q = likely.q, noise[a].r = likely.r;
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}: {}", file.string(), angle_names[a], error.problem()),
                       error.fix() + "; or say how noisy they are: --set q=0.1 --set r=4");
    }
  }
  return noise;
}

/// Filters know numbers, not circles: a step of more than half a turn between neighbouring
/// measurements is taken as the shorter way round. Returns how many there were.
std::int64_t unwrap(std::vector<PoseTrack>& tracks) {
  std::int64_t wraps = 0;
  for (auto& track : tracks)
    for (auto& angle : track.angle) {
      double last = std::nan(""), turns = 0;
      for (auto& value : angle) {
        if (!std::isfinite(value)) continue;
        const double step = std::isfinite(last) ? std::round((value + turns - last) / 360) : 0;
        wraps += step != 0;
        turns -= 360 * step;
        value += turns;
        last = value;
      }
    }
  return wraps;
}

/// Whether every angle was given as one of [-180, 180]: then estimates are, too.
bool within_half_turns(const std::vector<PoseTrack>& tracks) {
  return std::ranges::all_of(tracks, [](const PoseTrack& track) {
    return std::ranges::all_of(track.angle, [](const std::vector<double>& angle) {
      return std::ranges::all_of(
          angle, [](double value) { return !std::isfinite(value) || std::abs(value) <= 180; });
    });
  });
}

std::string csv_of(const std::vector<PoseTrack>& tracks,
                   const std::vector<std::array<AngleTrack, 3>>& estimates) {
  const auto cell = [](double value) {
    return std::isfinite(value) ? number_text(value) : std::string();
  };
  std::string text = "sequence,frame,pitch,yaw,roll,pitch_sd,yaw_sd,roll_sd\n";
  for (std::size_t s = 0; s < tracks.size(); ++s)
    for (std::size_t i = 0; i < tracks[s].frame.size(); ++i) {
      std::vector<std::string> fields{tracks[s].sequence, std::to_string(tracks[s].frame[i])};
      for (const auto& track : estimates[s]) fields.push_back(cell(track.angle[i]));
      for (const auto& track : estimates[s]) fields.push_back(cell(track.deviation[i]));
      text += csv_line(fields) + "\n";
    }
  return text;
}

void track_measurements(const Call& call, const TrackOptions& options, const Settings& settings) {
  const auto motion = baselines::parse_motion(settings.text("model"));
  const auto gap = baselines::parse_gap(settings.text("gap"));
  const auto& tracker = find_named(baselines::trackers(), "tracker", options.method);
  auto tracks = datasets::read_pose_tracks(options.measurements);
  if (tracks.empty())
    throw UsageError(options.measurements.string() + " holds no measurements",
                     "give a row a frame");
  expect_angles(tracks, options.measurements);
  const bool circle = within_half_turns(tracks);
  const auto wraps = unwrap(tracks);
  const auto noise = tracker.has_model ? noise_of(settings, motion, tracks, options.measurements)
                                       : std::array<AngleNoise, 3>{};
  std::vector<std::array<AngleTrack, 3>> estimates(tracks.size());
  std::int64_t frames = 0;
  for (std::size_t s = 0; s < tracks.size(); ++s) {
    frames += static_cast<std::int64_t>(tracks[s].frame.size());
    for (std::size_t a = 0; a < 3; ++a)
      estimates[s][a] = named(options.measurements.string(), [&] {
        return baselines::track_across_gaps(gap, tracks[s].frame, tracks[s].angle[a],
                                            tracker.whole(tracker_options(settings, noise[a])));
      });
    if (!circle) continue;
    for (auto& estimate : estimates[s])
      for (auto& angle : estimate.angle) angle = std::remainder(angle, 360);
  }
  write_file(options.out, csv_of(tracks, estimates));
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
    throw UsageError(fmt::format("{} of --measurements and --video are given",
                                 options.video.empty() ? "none" : "both"),
                     "give one of them");
  if (options.measurements.empty()) return track_video(call, options, settings);
  if (!options.network.empty() || !options.overlay.empty() || !options.landmarks_out.empty() ||
      !options.face_detector.empty() || options.whole_frame || options.two_passes)
    throw UsageError("measurements are a CSV, and options of videos are given",
                     "leave them away, or give --video");
  track_measurements(call, options, settings);
}

void add_video_options(CLI::App& verb, TrackOptions& options) {
  verb.add_option(
      "--video", options.video,
      "or a video, tracked frame by frame as players show it, causally, in constant memory; or a folder of pictures, in the order of "
      "their names: one that cannot be read is a frame without a face");
  verb.add_option(
      "--network", options.network,
      "of a video: the trained network, tracker.safetensors of a cell of study dynamic_face");
  verb.add_option(
          "--face-detector", options.face_detector,
          "a cascade of OpenCV (.xml) or a YuNet network (.onnx); left out, the cascade of Debian's opencv-data")
      ->group(rarely_used());
  verb.add_flag("--whole-frame", options.whole_frame,
                "the frames are face windows already: no detector")
      ->group(rarely_used());
  verb.add_flag(
          "--two-passes", options.two_passes,
          "find the face in all frames first and smooth its place as the document does: steadier windows, not causal")
      ->group(rarely_used());
  verb.add_option(
          "--faces", options.faces,
          "how many faces are followed at a time; the second is sequence NAME-2, the third NAME-3")
      ->group(rarely_used())
      ->capture_default_str();
  add_output(
      verb, "--overlay", options.overlay,
      "the video to write with window, axes (x red, y green, z blue) and landmarks: .avi or .mp4");
  add_output(verb, "--landmarks-out", options.landmarks_out,
             "the CSV of landmarks to write: sequence,frame,x1,y1,...,x68,y68")
      ->group(rarely_used());
}

}  // namespace

baselines::TrackerOptions tracker_options(const Settings& settings,
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
  auto* verb = add_verb(
      app, "track",
      "Track the head pose in a video, or filter measured poses. A video needs a trained network, which a filter may follow. "
      "Measurements are a CSV with columns sequence, frame, pitch, yaw, roll in degrees, where an empty cell was not measured. A step from 179 to "
      "-179 is one of 2 degrees.",
      "reprise track --method rnn --network tracker.safetensors --video me.mp4 --out poses.csv --overlay me.avi\n"
      "  reprise track --method kalman --measurements poses.csv --set q=0.1 --set r=4 --out tracked.csv");
  const auto options = std::make_shared<TrackOptions>();
  verb->add_option(
          "--method", options->method,
          "of measurements: kalman, particle, moving_average, one_euro, or smoother (not causal: it sees the whole track); of a "
          "video: rnn or cnn (the network's own estimates), or one of the filters behind it, but for the smoother")
      ->required();
  verb->add_option("--measurements", options->measurements, "the CSV of measurements");
  add_video_options(*verb, *options);
  verb->add_option(
          "--set", options->set,
          "key=value: a setting of the filter, or of a video's window. Settings: model (constant_velocity, constant_position), q and r (degrees^2; left out, the most likely "
          "ones are found from the measurements; a video's must be set), rate_variance, gate (of kalman: outliers beyond so many deviations are left out), gap (predict, restart), particles, seed; frames of a "
          "moving average; cutoff (cycles per frame) and beta (cycles per degree) of a one-euro filter; of a video's window sigma (of the Gaussian that smooths its place, frames) and margin "
          "(its side over that which the network learned from)")
      ->allow_extra_args(false);
  add_output(*verb, "--out", options->out, "the CSV to write")->required();
  verb->callback([options, &call] { track(call, *options); });
}

}  // namespace reprise::reproduce
