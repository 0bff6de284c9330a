#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "experiments/names.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "tools/face_video.h"
#include "tools/media_inputs.h"
#include "tools/track.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What --method says for a network without a filter behind it.
const std::vector<std::string> networks{"rnn", "cnn"};

bool is_filter(const std::string& method) {
  return std::ranges::find(networks, method) == networks.end();
}

/// The filter behind the network. UsageError: unknown; it is not causal.
const baselines::TrackerMethod& filter_named(const std::string& method) {
  auto known = networks;
  for (const auto& tracker : baselines::trackers()) {
    if (tracker.info.id == method && tracker.causal()) return tracker;
    if (tracker.info.id == method)
      throw UsageError(
          fmt::format("{} sees the whole track and cannot follow a video", tracker.info.title),
          "track with --method rnn first, then: reprise track --method " + method +
              " --measurements POSES.csv");
    if (tracker.causal()) known.push_back(tracker.info.id);
  }
  throw unknown("tracker", method, known);
}

/// All that can be known to be wrong before the network is read.
void check(const TrackOptions& options, const Settings& settings) {
  if (is_filter(options.method)) filter_named(options.method);
  if (options.faces < 1)
    throw UsageError(fmt::format("--faces {}: how many are followed", options.faces),
                     "give 1 or more");
  if (options.faces > 1 && (options.two_passes || options.whole_frame))
    throw UsageError(
        "several faces are followed while frames arrive, and --two-passes and --whole-frame know one",
        "leave them away, or --faces");
  if (options.network.empty())
    throw UsageError("a video is tracked by a network, and --network is missing",
                     "give its .safetensors file");
  if (!fs::is_regular_file(options.video) && !fs::is_directory(options.video))
    throw UsageError(options.video.string() + ": there is no such video",
                     "give a file, or a folder of pictures");
  if (is_filter(options.method) && filter_named(options.method).has_model &&
      (settings.number("q") == 0 || settings.number("r") == 0))
    throw UsageError(
        "a filter that follows a video cannot fit its noise to frames yet to come",
        "set it: --set q=0.1 --set r=4; reprise track --method kalman --measurements POSES.csv finds the most likely ones");
  if (!options.overlay.empty() && options.overlay.extension() != ".avi" &&
      options.overlay.extension() != ".mp4")
    throw UsageError("--overlay " + options.overlay.string() + ": a video of an unknown kind",
                     "end its name in .avi or .mp4");
}

/// UsageError: the network does not give what is asked for.
void check(const TrackOptions& options, const FaceTracker& network) {
  const std::string kind = network.recurrent() ? "rnn" : "cnn";
  if (!is_filter(options.method) && options.method != kind)
    throw UsageError(fmt::format("{} holds '{}', which is no {}", options.network.string(),
                                 network.title(), options.method),
                     "use --method " + kind);
  if (is_filter(options.method) && !network.gives_pose())
    throw UsageError(options.network.string() + ": this network gives no pose to filter",
                     "use --method " + kind + ", or another network");
  if (!options.landmarks_out.empty() && !network.gives_landmarks())
    throw UsageError(options.network.string() + ": this network gives no landmarks",
                     "leave --landmarks-out away, or use another network");
}

/// One for each of pitch, yaw and roll, alike.
std::shared_ptr<training::Tracker> filter_of(const TrackOptions& options,
                                             const Settings& settings) {
  const auto used =
      tracker_options(settings, {settings.number("q"), settings.number("r"),
                                 settings.number("rate_variance"), settings.number("gate")});
  return baselines::make_tracker(filter_named(options.method), {used, used, used});
}

WindowFinder finder_of(const TrackOptions& options, const Settings& settings,
                       const FaceTracker& network) {
  if (options.whole_frame) return whole_frames();
  auto windows = network.window();
  windows.sigma = settings.number("sigma");
  windows.margin *= settings.number("margin");
  const auto detector = datasets::open_face_detector(options.face_detector);
  return options.two_passes
             ? known_windows(datasets::find_face_windows(options.video, detector, windows))
             : causal_windows(detector, windows, options.faces);
}

/// Every face has a network of its own, whose state is that face's; the first has the one that was
/// read to be checked.
MakeEstimator estimators_of(const TrackOptions& options, const Settings& settings,
                            std::shared_ptr<FaceTracker> read) {
  return [&options, &settings, read]() mutable {
    const auto network =
        read ? std::exchange(read, nullptr) : std::make_shared<FaceTracker>(options.network);
    FaceEstimator estimate = [network](const at::Tensor& picture) {
      const auto face = network->split_estimate(network->next(picture));
      return FaceEstimate{face.pose, face.landmarks, network->confidence(picture)};
    };
    return is_filter(options.method) ? filtered(std::move(estimate), filter_of(options, settings))
                                     : estimate;
  };
}

}  // namespace

void track_video(Call& call, const TrackOptions& options, const Settings& settings) {
  check(options, settings);
  const auto& source = options.video;
  if (fs::is_directory(source))
    say_skipped(source, datasets::Media::Pictures, datasets::Depth::OneFolder);
  const auto network = std::make_shared<FaceTracker>(options.network);
  // The operations of a small network on one frame are shorter than what it takes to share them
  // out.
  constexpr std::int64_t small = 128;
  if (network->side() < small) at::set_num_threads(1);
  check(options, *network);
  const auto finder = finder_of(options, settings, *network);
  training::Progress progress(stderr, source.filename().string());
  const auto tracked = track_faces(
      source, finder, network->side(), estimators_of(options, settings, network),
      {.poses = options.out, .landmarks = options.landmarks_out, .overlay = options.overlay},
      progress);
  DamagedInputs damaged;
  damaged.add(tracked.read.problems);
  damaged.finish(call, static_cast<std::size_t>(tracked.frames));
  if (!options.overlay.empty()) say_losses(source, tracked.read);
  const double rate = static_cast<double>(tracked.frames) / tracked.seconds;
  json answer{{"file", options.out.string()},
              {"method", options.method},
              {"network", network->title()},
              {"frames", tracked.frames},
              {"frames_with_face", tracked.with_face},
              {"faces", tracked.faces},
              {"seconds", tracked.seconds},
              {"frames_per_second", rate},
              {"damaged", damaged.as_json()}};
  if (!options.overlay.empty()) answer["overlay"] = options.overlay.string();
  if (!options.landmarks_out.empty()) answer["landmarks"] = options.landmarks_out.string();
  call.answer(answer,
              fmt::format("{}: {} frames of {}, {} with a face, {}, {:.1f} frames a second\n",
                          options.out.string(), tracked.frames, source.string(), tracked.with_face,
                          network->title(), rate));
}

}  // namespace reprise::reproduce
