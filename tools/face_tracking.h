// Tracking of faces through a video, frame by frame: find the window, estimate pose and landmarks,
// write a CSV row, draw the overlay. Memory holds one frame at a time.
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

/// Estimate of one face in one frame.
struct FaceEstimate {
  std::optional<std::array<double, 3>> pose;  ///< pitch, yaw, roll; degrees
  std::optional<at::Tensor> landmarks;        ///< [68, 2], pixels of the picture
  double confidence = 1;                      ///< 0 to 1
};
/// Estimates a face from its window, uint8 [side, side, 3], RGB. May keep a state between frames.
using FaceEstimator = std::function<FaceEstimate(const at::Tensor& picture)>;
/// Makes an estimator in its initial state. Each face gets one.
using MakeEstimator = std::function<FaceEstimator()>;

/// Returns an estimator whose poses (pitch, yaw, roll) pass through the filter.
FaceEstimator filter_poses(FaceEstimator estimator, std::shared_ptr<training::Tracker> filter);

/// Finds the windows of faces, frame by frame.
struct WindowFinder {
  using Face = datasets::CausalWindows::Face;
  /// Returns the faces in the next frame.
  std::function<std::vector<Face>(const at::Tensor& frame)> find;
  /// Receives the box of a face that find() missed and whose landmarks are reliable. Optional.
  std::function<void(std::int64_t place, const datasets::FaceBox& box)> found_at = nullptr;
  /// Called in place of find() for a frame that cannot be read. Optional.
  std::function<void()> miss = nullptr;
};
/// Finds at most `most` faces with the detector while frames arrive.
WindowFinder make_causal_finder(datasets::FaceDetector detector,
                                const datasets::WindowOptions& options, std::int64_t most = 1);
/// Replays windows that were found before, one per frame. Its find() throws an Error if there are
/// more frames than windows.
WindowFinder make_replay_finder(std::vector<datasets::FaceWindow> windows);
/// Takes the largest central square of every frame, for frames that show the face alone.
WindowFinder make_whole_frame_finder();

/// Files to write. An empty path writes no such file; `poses` is required.
struct FaceFiles {
  /// CSV: sequence,frame,pitch,yaw,roll,x,y,side,face,confidence. The first frame has number 0.
  std::filesystem::path poses;
  /// CSV: sequence,frame,x1,y1,...,x68,y68 in pixels of the frame.
  std::filesystem::path landmarks;
  /// Video with window, axes and landmarks (datasets/face_drawing.h).
  std::filesystem::path overlay;
};

struct TrackedVideo {
  std::int64_t frames = 0;     ///< all frames
  std::int64_t with_face = 0;  ///< frames with an estimate
  std::int64_t faces = 0;      ///< tracks; a face that is lost and found again counts twice
  double seconds = 0;          ///< total time: reading, finding, estimating, writing
  datasets::FramesRead read;   ///< frames read, and damage found in the source
};

/// Tracks the faces of a source, a video or a folder of pictures, and writes the files.
///
/// - The first face is the sequence named like the source. It has a row for every frame, with empty
///   cells where there is no face or no such estimate.
/// - Further faces are the sequences NAME-2, NAME-3, ..., with rows only where they are found.
/// - Column `face` numbers the tracks.
/// - Where the detector finds no box, landmarks with a confidence of at least 0.5 give the box.
/// - A picture that cannot be read is a frame without a face; the overlay repeats the frame before.
///
/// The files appear when the source has ended; an error before that leaves none. Throws a
/// UsageError as datasets::read_frames() does, if no frame shows a face, and if landmarks are
/// requested from an estimator without.
TrackedVideo track_faces(const std::filesystem::path& source, const WindowFinder& finder,
                         std::int64_t side, const MakeEstimator& make, const FaceFiles& files,
                         training::Progress& progress);

}  // namespace reprise::reproduce
