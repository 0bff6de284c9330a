// Faces followed through a video while its frames arrive: window, estimate, row, overlay. One frame
// lies in memory at a time.
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "datasets/formats/video_files.h"
#include "datasets/transforms/face_windows.h"
#include "training/progress.h"
#include "training/tracker.h"

namespace reprise::reproduce {

struct FaceEstimate {
  std::optional<std::array<double, 3>> pose;  ///< pitch, yaw, roll; degrees
  std::optional<at::Tensor> landmarks;        ///< [68, 2], pixels of the picture
  double confidence = 1;                      ///< 0 to 1
};
/// picture: uint8 [side, side, 3], RGB. It may remember the pictures before.
using FaceEstimator = std::function<FaceEstimate(const at::Tensor& picture)>;
/// One that has seen no picture: every face has its own.
using MakeEstimator = std::function<FaceEstimator()>;

/// The poses of the estimates through a tracker of three angles: pitch, yaw, roll.
FaceEstimator filtered(FaceEstimator estimator, std::shared_ptr<training::Tracker> filter);

/// Where faces are, frame by frame.
struct WindowFinder {
  using Face = datasets::CausalWindows::Face;
  /// The faces in the frame that follows the one before.
  std::function<std::vector<Face>(const at::Tensor& frame)> find;
  /// Is told where a face is that find() did not find in this frame and its landmarks show; none:
  /// of no use to it.
  std::function<void(std::int64_t place, const datasets::FaceBox& box)> found_at = nullptr;
  /// Is told of a frame that cannot be read and therefore is not asked for; none: of no use to it.
  std::function<void()> miss = nullptr;
};
WindowFinder causal_windows(datasets::FaceDetector detector, const datasets::WindowOptions& options,
                            std::int64_t most = 1);
/// Windows found before, one a frame. Error: more frames than windows.
WindowFinder known_windows(std::vector<datasets::FaceWindow> windows);
/// Frames that are windows already: the square in the middle of each, as large as it can be.
WindowFinder whole_frames();

struct FaceFiles {
  std::filesystem::path
      poses;  ///< CSV: sequence,frame,pitch,yaw,roll,x,y,side,face,confidence; frames count from 0
  std::filesystem::path
      landmarks;  ///< CSV: sequence,frame,x1,y1,...,x68,y68, pixels of the frame; "": none
  std::filesystem::path
      overlay;  ///< the video with window, axes and landmarks (datasets/face_drawing.h); "": none
};

struct TrackedVideo {
  std::int64_t frames = 0, with_face = 0;  ///< of all frames; of those with an estimate
  std::int64_t faces =
      0;               ///< that were followed: one that was lost and is found again counts twice
  double seconds = 0;  ///< for all of it: reading, finding, estimating, writing
  datasets::FramesRead read;  ///< with what is damaged of the source
};

/// source: a video, or a folder of pictures. The first face has the source's name as its sequence
/// and a row for every frame, whose cells are empty where there is none, and where the estimator
/// does not give what they hold; a second face beside it is the sequence NAME-2, a third NAME-3,
/// with rows where they are there. `face` counts the faces followed. Where no box is found and the
/// landmarks are sure (confidence of 0.5 or more) their own box is gone by. A picture of a folder
/// that cannot be read is a frame without a face; the overlay shows the frame before it once more.
/// Files are put in place when the source has ended; an error before leaves none. UsageError: as
/// datasets::read_frames(); no face in any frame (the source is named); landmarks wanted of an
/// estimator without.
TrackedVideo track_faces(const std::filesystem::path& source, const WindowFinder& finder,
                         std::int64_t side, const MakeEstimator& make, const FaceFiles& files,
                         training::Progress& progress);

}  // namespace reprise::reproduce
