#include "reproduce/cli/face_video.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "core/csv.h"
#include "core/error.h"
#include "core/growing_file.h"
#include "core/text.h"
#include "datasets/draw.h"
#include "datasets/formats/video_files.h"
#include "datasets/landmarks.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using datasets::FaceWindow;

std::string landmark_header() {
  std::string header = "sequence,frame";
  for (std::int64_t k = 1; k <= datasets::face_points; ++k) header += fmt::format(",x{0},y{0}", k);
  return header + "\n";
}

/// What is written of every frame.
class Writers {
 public:
  Writers(const fs::path& source, const FaceFiles& files) : poses_(files.poses) {
    const auto name = source.has_filename() ? source : source.parent_path();
    sequence_ = fs::is_directory(source) ? name.filename().string() : name.stem().string();
    poses_.append("sequence,frame,pitch,yaw,roll,x,y,side\n");
    if (!files.landmarks.empty()) {
      landmarks_ = std::make_unique<GrowingFile>(files.landmarks);
      landmarks_->append(landmark_header());
    }
    if (!files.overlay.empty()) overlay_ = std::make_unique<datasets::VideoWriter>(files.overlay, datasets::video_facts(source).rate);
  }

  void add(std::int64_t number, at::Tensor frame, const std::optional<FaceWindow>& window, const FaceEstimate& estimate,
           const std::optional<at::Tensor>& landmarks) {
    std::vector<std::string> row{sequence_, std::to_string(number)};
    if (window) {
      for (std::size_t a = 0; a < 3; ++a) row.push_back(estimate.pose ? number_text((*estimate.pose)[a]) : "");
      for (const double value : {window->x, window->y, window->side}) row.push_back(number_text(value));
    }
    row.resize(8);
    poses_.append(csv_line(row) + "\n");
    if (landmarks_) add_landmarks(number, landmarks);
    if (!overlay_) return;
    if (window) {
      frame = frame.contiguous();
      datasets::draw_face(frame, *window, estimate.pose, landmarks);
    }
    overlay_->write(frame);
  }

  void close() {
    if (overlay_) overlay_->close();  // first: the one that can fail for more than a full disk
    if (landmarks_) landmarks_->close();
    poses_.close();
  }

 private:
  void add_landmarks(std::int64_t number, const std::optional<at::Tensor>& landmarks) {
    std::vector<std::string> row{sequence_, std::to_string(number)};
    if (landmarks) {
      const auto xy = landmarks->to(at::kDouble).contiguous();
      for (std::int64_t k = 0; k < xy.numel(); ++k) row.push_back(number_text(xy.data_ptr<double>()[k]));
    }
    row.resize(2 + 2 * datasets::face_points);
    landmarks_->append(csv_line(row) + "\n");
  }

  std::string sequence_;
  GrowingFile poses_;
  std::unique_ptr<GrowingFile> landmarks_;
  std::unique_ptr<datasets::VideoWriter> overlay_;
};

}  // namespace

FaceEstimator filtered(FaceEstimator estimator, std::shared_ptr<training::Tracker> filter) {
  return [estimator = std::move(estimator), filter = std::move(filter)](const at::Tensor& picture) {
    auto estimate = estimator(picture);
    if (!estimate.pose) return estimate;
    const auto angles = filter->next(at::tensor(at::ArrayRef<double>(*estimate.pose), at::kDouble));
    for (std::size_t a = 0; a < 3; ++a) (*estimate.pose)[a] = angles[static_cast<std::int64_t>(a)].item<double>();
    return estimate;
  };
}

WindowFinder causal_windows(datasets::FaceDetector detector, const datasets::WindowOptions& options) {
  const auto windows = std::make_shared<datasets::CausalWindows>(options);
  return [detector = std::move(detector), windows](const at::Tensor& frame) { return windows->next(detector(frame)); };
}

WindowFinder known_windows(std::vector<FaceWindow> windows) {
  const auto next = std::make_shared<std::size_t>(0);
  return [windows = std::move(windows), next](const at::Tensor&) -> std::optional<FaceWindow> {
    if (*next == windows.size())
      throw Error(fmt::format("a video has more frames than the {} that windows were found in", windows.size()),
                  "do not change the video while it is read");
    return windows[(*next)++];
  };
}

WindowFinder whole_frames() {
  return [](const at::Tensor& frame) -> std::optional<FaceWindow> {
    const auto height = static_cast<double>(frame.size(0)), width = static_cast<double>(frame.size(1));
    return FaceWindow{(width - 1) / 2, (height - 1) / 2, std::min(width, height)};
  };
}

TrackedVideo track_faces(const fs::path& source, const WindowFinder& find, std::int64_t side, const FaceEstimator& estimate,
                         const FaceFiles& files, training::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto expected = static_cast<double>(std::max<std::int64_t>(1, datasets::video_facts(source).frames));
  Writers writers(source, files);
  TrackedVideo tracked;
  datasets::read_frames(source, [&](const at::Tensor& frame) {
    const auto window = find(frame);
    FaceEstimate face;
    std::optional<at::Tensor> landmarks;
    if (window) {
      face = estimate(datasets::crop_window(frame, *window, side));
      if (face.landmarks) landmarks = datasets::points_in_frame(*face.landmarks, *window, side);
      if (!landmarks && !files.landmarks.empty())
        throw UsageError("landmarks are wanted, and this network gives none",
                         "leave --landmarks-out away, or use a network with landmarks");
      ++tracked.faces;
    }
    writers.add(tracked.frames++, frame, window, face, landmarks);
    progress.update(static_cast<double>(tracked.frames) / expected,
                    fmt::format("frame {}, {:.1f} frames a second", tracked.frames, static_cast<double>(tracked.frames) / seconds()));
  });
  if (tracked.faces == 0)
    throw UsageError(fmt::format("{}: no face is found in any of {} frames", source.string(), tracked.frames),
                     "use another --face-detector, or --whole-frame where the frames show the face alone");
  writers.close();
  tracked.seconds = seconds();
  return tracked;
}

}  // namespace reprise::reproduce
