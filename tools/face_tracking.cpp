#include "tools/face_tracking.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <utility>

#include "core/csv.h"
#include "core/error.h"
#include "core/growing_file.h"
#include "core/text.h"
#include "datasets/face_drawing.h"
#include "datasets/formats/video_files.h"
#include "datasets/landmarks.h"
#include "tools/media_inputs.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::FaceWindow;

std::string landmark_header() {
  std::string header = "sequence,frame";
  for (std::int64_t k = 1; k <= datasets::face_points; ++k) header += fmt::format(",x{0},y{0}", k);
  return header + "\n";
}

/// Output files of a tracked video, written frame by frame.
class Writers {
 public:
  Writers(const fs::path& source, const FaceFiles& files) : poses_(files.poses) {
    const auto name = source.has_filename() ? source : source.parent_path();
    sequence_ = fs::is_directory(source) ? name.filename().string() : name.stem().string();
    poses_.append("sequence,frame,pitch,yaw,roll,x,y,side,face,confidence\n");
    if (!files.landmarks.empty()) {
      landmarks_ = std::make_unique<GrowingFile>(files.landmarks);
      landmarks_->append(landmark_header());
    }
    if (!files.overlay.empty())
      overlay_ = std::make_unique<datasets::VideoWriter>(
          files.overlay, datasets::read_video_metadata(source).rate);
  }

  /// Adds one row to the pose file and to the landmark file. face = 0: no face in this frame.
  void add(std::int64_t number, const WindowFinder::Face& at, std::int64_t face,
           const FaceEstimate& estimate, const std::optional<at::Tensor>& landmarks) {
    // Further faces of a video are sequences with their own names.
    const auto name = at.place == 0 ? sequence_ : fmt::format("{}-{}", sequence_, at.place + 1);
    std::vector<std::string> row{name, std::to_string(number)};
    if (face > 0) {
      for (std::size_t a = 0; a < 3; ++a)
        row.push_back(estimate.pose ? number_text((*estimate.pose)[a]) : "");
      for (const double value : {at.window.x, at.window.y, at.window.side})
        row.push_back(number_text(value));
      row.insert(row.end(), {std::to_string(face), fmt::format("{:.3f}", estimate.confidence)});
    }
    // A frame without a face has empty cells.
    row.resize(10);
    poses_.append(csv_line(row) + "\n");
    if (landmarks_) add_landmarks(name, number, landmarks);
  }
  bool draws() const { return overlay_ != nullptr; }
  void show(const at::Tensor& frame) {
    if (!overlay_) return;
    overlay_->write(frame);
    last_ = frame;
  }
  /// Repeats the last frame in place of an unreadable one, so that the overlay keeps its timing.
  void show_last() {
    if (overlay_ && last_.defined()) overlay_->write(last_);
  }

  void close() {
    // The video first: its encoder can fail for more reasons than a full disk.
    if (overlay_) close_video(*overlay_);
    if (landmarks_) landmarks_->close();
    poses_.close();
  }

 private:
  void add_landmarks(const std::string& name, std::int64_t number,
                     const std::optional<at::Tensor>& landmarks) {
    std::vector<std::string> row{name, std::to_string(number)};
    if (landmarks) {
      const auto xy = landmarks->to(at::kDouble).contiguous();
      for (std::int64_t k = 0; k < xy.numel(); ++k)
        row.push_back(number_text(xy.data_ptr<double>()[k]));
    }
    // A frame without landmarks has empty cells.
    row.resize(2 + 2 * datasets::face_points);
    landmarks_->append(csv_line(row) + "\n");
  }

  std::string sequence_;
  GrowingFile poses_;
  std::unique_ptr<GrowingFile> landmarks_;
  std::unique_ptr<datasets::VideoWriter> overlay_;
  at::Tensor last_;  ///< last frame of the overlay
};

}  // namespace

FaceEstimator filter_poses(FaceEstimator estimator, std::shared_ptr<training::Tracker> filter) {
  return [estimator = std::move(estimator), filter = std::move(filter)](const at::Tensor& picture) {
    auto estimate = estimator(picture);
    if (!estimate.pose) return estimate;
    const auto angles = filter->next(at::tensor(at::ArrayRef<double>(*estimate.pose), at::kDouble));
    for (std::size_t a = 0; a < 3; ++a)
      (*estimate.pose)[a] = angles[static_cast<std::int64_t>(a)].item<double>();
    return estimate;
  };
}

WindowFinder make_causal_finder(datasets::FaceDetector detector,
                                const datasets::WindowOptions& options, std::int64_t most) {
  const auto windows = std::make_shared<datasets::CausalWindows>(options, most);
  return {.find = [detector = std::move(detector),
                   windows](const at::Tensor& frame) { return windows->next(detector(frame)); },
          .found_at = [windows](std::int64_t place,
                                const datasets::FaceBox& box) { windows->found_at(place, box); }};
}

WindowFinder make_replay_finder(std::vector<FaceWindow> windows) {
  const auto next = std::make_shared<std::size_t>(0);
  const auto find = [windows = std::move(windows),
                     next](const at::Tensor&) -> std::vector<WindowFinder::Face> {
    if (*next == windows.size())
      throw Error(fmt::format("the video now has more frames than the {} of the first pass",
                              windows.size()),
                  "do not change the video while it is read");
    const auto frame = (*next)++;
    return {{.window = windows[frame], .fresh = frame == 0, .found = true}};
  };
  return {.find = find, .miss = [next] { ++*next; }};
}

WindowFinder make_whole_frame_finder() {
  const auto begun = std::make_shared<bool>(false);
  return {.find = [begun](const at::Tensor& frame) -> std::vector<WindowFinder::Face> {
    const auto height = static_cast<double>(frame.size(0));
    const auto width = static_cast<double>(frame.size(1));
    // Only the first frame begins a track.
    const bool first = !std::exchange(*begun, true);
    return {{.window = {(width - 1) / 2, (height - 1) / 2, std::min(width, height)},
             .fresh = first,
             .found = true}};
  }};
}

namespace {

/// Lowest confidence at which landmarks replace a missing detection. A choice of this project.
constexpr double reliable_confidence = 0.5;

/// Faces of a video, each with its estimator.
class Faces {
 public:
  Faces(const WindowFinder& finder, std::int64_t side, const MakeEstimator& make,
        const FaceFiles& files, Writers& writers)
      : finder_(finder),
        side_(side),
        make_(make),
        landmarks_wanted_(!files.landmarks.empty()),
        writers_(writers) {}

  void next(std::int64_t number, const at::Tensor& frame, TrackedVideo& tracked) {
    // Faces are drawn on a copy: the network must see the plain frame.
    auto shown = writers_.draws() ? frame.contiguous().clone() : frame;
    const auto there = finder_.find(frame);
    // The first place always has a row, so that its track has all frames.
    if (there.empty() || there.front().place != 0) writers_.add(number, {}, 0, {}, {});
    for (const auto& face : there) track_face(number, frame, face, tracked, shown);
    tracked.with_face += !there.empty();
    writers_.show(shown);
  }
  /// Counts an unreadable frame as one without a face.
  void miss(std::int64_t number) {
    if (finder_.miss) finder_.miss();
    writers_.add(number, {}, 0, {}, {});
    writers_.show_last();
  }

 private:
  struct Track {
    FaceEstimator estimate;
    std::int64_t face = 0;
  };
  void track_face(std::int64_t number, const at::Tensor& frame, const WindowFinder::Face& face,
                  TrackedVideo& tracked, at::Tensor& shown) {
    auto& track = tracks_[face.place];
    // A new face begins with a new state of its network.
    if (face.fresh || !track.estimate) track = {.estimate = make_(), .face = ++tracked.faces};
    const auto estimate = track.estimate(datasets::crop_window(frame, face.window, side_));
    std::optional<at::Tensor> landmarks;
    if (estimate.landmarks)
      landmarks = datasets::points_in_frame(*estimate.landmarks, face.window, side_);
    if (!landmarks && landmarks_wanted_)
      throw UsageError("--landmarks-out is given, but this network gives none",
                       "leave out --landmarks-out, or use a network with landmarks");
    // The detector missed the face. Sure landmarks show where it is, so the window follows them.
    if (!face.found && landmarks && estimate.confidence >= reliable_confidence && finder_.found_at)
      finder_.found_at(face.place, datasets::landmark_box(*landmarks));
    writers_.add(number, face, track.face, estimate, landmarks);
    if (writers_.draws()) datasets::draw_face(shown, face.window, estimate.pose, landmarks);
  }

  const WindowFinder& finder_;
  std::int64_t side_;
  const MakeEstimator& make_;
  bool landmarks_wanted_;
  Writers& writers_;
  std::map<std::int64_t, Track> tracks_;  ///< by place in the order of appearance
};

}  // namespace

TrackedVideo track_faces(const fs::path& source, const WindowFinder& finder, std::int64_t side,
                         const MakeEstimator& make, const FaceFiles& files,
                         training::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // Containers may state no number of frames.
  const auto expected =
      static_cast<double>(std::max<std::int64_t>(1, datasets::read_video_metadata(source).frames));
  Writers writers(source, files);
  TrackedVideo tracked;
  Faces faces(finder, side, make, files, writers);
  const auto track_frame = [&](const at::Tensor& frame) {
    faces.next(tracked.frames++, frame, tracked);
    progress.update(static_cast<double>(tracked.frames) / expected,
                    fmt::format("frame {}, {:.1f} frames per second", tracked.frames,
                                static_cast<double>(tracked.frames) / seconds()));
  };
  tracked.read = datasets::read_frames(source, track_frame, [&] { faces.miss(tracked.frames++); });
  if (tracked.faces == 0)
    throw UsageError(
        fmt::format("{}: no face is found in any of {} frames", source.string(), tracked.frames),
        "use another --face-detector, or --whole-frame if the frames show the face alone");
  writers.close();
  tracked.seconds = seconds();
  return tracked;
}

}  // namespace reprise::reproduce
