// One face followed through a video while its frames arrive: window, estimate, row, overlay. One frame lies in memory at a time.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "datasets/transforms/face_windows.h"
#include "training/progress.h"
#include "training/tracker.h"

namespace reprise::reproduce {

struct FaceEstimate {
  std::optional<std::array<double, 3>> pose;  ///< pitch, yaw, roll; degrees
  std::optional<at::Tensor> landmarks;        ///< [68, 2], pixels of the picture
};
/// picture: uint8 [side, side, 3], RGB. It may remember the pictures before.
using FaceEstimator = std::function<FaceEstimate(const at::Tensor& picture)>;

/// The poses of the estimates through a tracker of three angles: pitch, yaw, roll.
FaceEstimator filtered(FaceEstimator estimator, std::shared_ptr<training::Tracker> filter);

/// The face's window in the frame that follows the one before; none: no face was seen yet.
using WindowFinder = std::function<std::optional<datasets::FaceWindow>(const at::Tensor& frame)>;
WindowFinder causal_windows(datasets::FaceDetector detector, const datasets::WindowOptions& options);
/// Windows found before, one a frame. Error: more frames than windows.
WindowFinder known_windows(std::vector<datasets::FaceWindow> windows);
/// Frames that are windows already: the square in the middle of each, as large as it can be.
WindowFinder whole_frames();

struct FaceFiles {
  std::filesystem::path poses;      ///< CSV: sequence,frame,pitch,yaw,roll,x,y,side; frames count from 0
  std::filesystem::path landmarks;  ///< CSV: sequence,frame,x1,y1,...,x68,y68, pixels of the frame; "": none
  std::filesystem::path overlay;    ///< the video with window, axes and landmarks (datasets/draw.h); "": none
};

struct TrackedVideo {
  std::int64_t frames = 0, faces = 0;  ///< of all frames; of those with an estimate
  double seconds = 0;                  ///< for all of it: reading, finding, estimating, writing
};

/// source: a video, or a folder of pictures. A row for every frame; cells are empty before the first face, and where the estimator does
/// not give what they hold. Files are put in place when the source has ended; an error before leaves none. UsageError: as
/// datasets::read_frames(); no face in any frame (the source is named); landmarks wanted of an estimator without.
TrackedVideo track_faces(const std::filesystem::path& source, const WindowFinder& find, std::int64_t side, const FaceEstimator& estimate,
                         const FaceFiles& files, training::Progress& progress);

}  // namespace reprise::reproduce
