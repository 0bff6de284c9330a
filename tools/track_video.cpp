#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "experiments/names.h"
#include "reproduce/dynamic_face/face_tracker.h"
#include "tools/face_tracking.h"
#include "tools/media_inputs.h"
#include "tools/track.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Values of --method for a network without a filter.
const std::vector<std::string> networks{"rnn", "cnn"};

bool is_filter(const std::string& method) {
  return std::ranges::find(networks, method) == networks.end();
}

/// Returns the filter to run after the network. Throws a UsageError if it is unknown or not causal.
const baselines::TrackerMethod& find_filter(const std::string& method) {
  auto known = networks;
  for (const auto& tracker : baselines::trackers()) {
    if (tracker.info.id == method && tracker.causal()) return tracker;
    if (tracker.info.id == method)
      throw UsageError(fmt::format("{} is not causal and cannot track a video", tracker.info.title),
                       "track with --method rnn first, then: reprise track --method " + method +
                           " --measurements POSES.csv");
    if (tracker.causal()) known.push_back(tracker.info.id);
  }
  throw unknown("tracker", method, known);
}

/// Checks the options before the network is read.
void check(const TrackOptions& options, const Settings& settings) {
  // An unknown filter is refused before anything else.
  if (is_filter(options.method)) find_filter(options.method);
  if (options.faces < 1)
    throw UsageError(fmt::format("--faces {} is not a number of faces", options.faces),
                     "give 1 or more");
  if (options.faces > 1 && (options.two_passes || options.whole_frame))
    throw UsageError(
        fmt::format("--faces {}: --two-passes and --whole-frame track one face", options.faces),
        "leave out --faces, or the other option");
  if (options.network.empty())
    throw UsageError("--video needs --network", "give the network's .safetensors file");
  if (!fs::is_regular_file(options.video) && !fs::is_directory(options.video))
    throw UsageError(options.video.string() + ": there is no such video",
                     "give a file, or a folder of pictures");
  if (is_filter(options.method) && find_filter(options.method).has_model &&
      (settings.number("q") == 0 || settings.number("r") == 0))
    throw UsageError(
        "q or r is not set: a causal filter cannot estimate its noise from future frames",
        "set both: --set q=0.1 --set r=4. Estimates of both for recorded poses: reprise track "
        "--method kalman --measurements POSES.csv");
  if (!options.overlay.empty() && options.overlay.extension() != ".avi" &&
      options.overlay.extension() != ".mp4")
    throw UsageError("--overlay " + options.overlay.string() + ": unknown video format",
                     "end its name in .avi or .mp4");
}

/// Throws a UsageError if the network does not give the requested outputs.
void check(const TrackOptions& options, const FaceTracker& network) {
  // The file states its kind; --method only confirms it, or names a filter.
  const std::string kind = network.recurrent() ? "rnn" : "cnn";
  if (!is_filter(options.method) && options.method != kind)
    throw UsageError(fmt::format("{} holds '{}', which is not a {}", options.network.string(),
                                 network.title(), options.method),
                     "use --method " + kind);
  if (is_filter(options.method) && !network.gives_pose())
    throw UsageError(options.network.string() + ": this network gives no pose to filter",
                     "use --method " + kind + ", or another network");
  if (!options.landmarks_out.empty() && !network.gives_landmarks())
    throw UsageError(options.network.string() + ": this network gives no landmarks",
                     "leave out --landmarks-out, or use another network");
}

/// Makes a tracker with the same filter for pitch, yaw and roll.
std::shared_ptr<training::Tracker> make_filter(const TrackOptions& options,
                                               const Settings& settings) {
  const auto used =
      make_tracker_options(settings, {.q = settings.number("q"),
                                      .r = settings.number("r"),
                                      .rate_variance = settings.number("rate_variance"),
                                      .gate = settings.number("gate")});
  return baselines::make_tracker(find_filter(options.method), {used, used, used});
}

WindowFinder make_finder(const TrackOptions& options, const Settings& settings,
                         const FaceTracker& network) {
  if (options.whole_frame) return make_whole_frame_finder();
  auto windows = network.window();
  windows.sigma = settings.number("sigma");
  // A margin of 1 gives the window of the network's training.
  windows.margin *= settings.number("margin");
  const auto detector = datasets::open_face_detector(options.face_detector);
  return options.two_passes
             ? make_replay_finder(datasets::find_face_windows(options.video, detector, windows))
             : make_causal_finder(detector, windows, options.faces);
}

/// Returns a factory of estimators. Each face has a network with a separate state. The first face
/// takes `read`, the network that was loaded for the checks.
MakeEstimator make_estimator_factory(const TrackOptions& options, const Settings& settings,
                                     std::shared_ptr<FaceTracker> read) {
  return [&options, &settings, read]() mutable {
    const auto network =
        read ? std::exchange(read, nullptr) : std::make_shared<FaceTracker>(options.network);
    FaceEstimator estimate = [network](const at::Tensor& picture) {
      const auto face = network->split_estimate(network->next(picture));
      return FaceEstimate{face.pose, face.landmarks, network->confidence(picture)};
    };
    // A filter has a state too, so each face gets its own.
    return is_filter(options.method)
               ? filter_poses(std::move(estimate), make_filter(options, settings))
               : estimate;
  };
}

}  // namespace

void track_video(Call& call, const TrackOptions& options, const Settings& settings) {
  check(options, settings);
  const auto& source = options.video;
  if (fs::is_directory(source))
    report_skipped_files(source, datasets::Media::Pictures, datasets::Depth::OneFolder);
  const auto network = std::make_shared<FaceTracker>(options.network);
  // On one frame of a small network, starting threads takes longer than the computation.
  constexpr std::int64_t small = 128;  // side of the network's input, pixels
  if (network->side() < small) at::set_num_threads(1);
  check(options, *network);
  const auto finder = make_finder(options, settings, *network);
  training::Progress progress(stderr, source.filename().string());
  const auto tracked = track_faces(
      source, finder, network->side(), make_estimator_factory(options, settings, network),
      {.poses = options.out, .landmarks = options.landmarks_out, .overlay = options.overlay},
      progress);
  DamagedInputs damaged;
  damaged.add(tracked.read.problems);
  damaged.finish(call, static_cast<std::size_t>(tracked.frames));
  if (!options.overlay.empty()) report_losses(source, tracked.read);
  // Reading, detection, network and writing together.
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
              fmt::format("{}: {} frames of {}, {} with a face, {}, {:.1f} frames per second\n",
                          options.out.string(), tracked.frames, source.string(), tracked.with_face,
                          network->title(), rate));
}

}  // namespace reprise::reproduce
