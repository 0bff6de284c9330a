// Evaluation of networks through all steps of `track` on photographs of unseen people: detector,
// face window, network. Photographs have no measured pose; the reference is solved from their true
// landmarks (datasets/landmark_pose.h).
#pragma once
#include <ATen/core/Tensor.h>

#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "datasets/landmarks.h"
#include "datasets/transforms/face_windows.h"
#include "records/record.h"

namespace reprise::reproduce::dynamic_face_study {

struct TestFaces {
  datasets::LandmarkFrames frames;
  std::vector<datasets::FrameRun> bursts = {};  ///< consecutive frames among `frames`
};

/// Function that tracks one face: successive pictures [T, side, side, 3] -> outputs [T, 139].
using TrackFunction = std::function<at::Tensor(const at::Tensor& pictures)>;

/// Evaluation on test photographs.
class TrackerEvaluation {
 public:
  /// Keeps references to all three. side: pixels of the pictures that `track` takes, cut out by
  /// `window`.
  TrackerEvaluation(const TestFaces& faces, const datasets::WindowOptions& window,
                    const TrackFunction& track, std::int64_t side)
      : faces_(faces),
        window_(window),
        track_(track),
        side_(side),
        detect_(datasets::open_face_detector()) {}

  /// Records found, found_turned, landmarks, yaw, yaw_zero, roll and roll_follows of upright and
  /// rotated photographs.
  void measure_stills(records::Record& record);
  /// Records sway: motion of the estimated yaw for photographs that sway without rotation.
  void measure_sway(records::Record& record);
  /// Records landmarks_bursts.
  void measure_bursts(records::Record& record);
  /// Draws some faces with their estimates, side by side.
  void draw_faces(const std::filesystem::path& path);

 private:
  struct Estimate {
    std::array<double, 3> pose;
    at::Tensor landmarks;  ///< [68, 2], pixels of the picture
    datasets::FaceWindow window;
  };
  /// Tracks one face; windows are found frame by frame, smoothed with `sigma` frames.
  /// Frames before the first detection have no estimate.
  std::vector<std::optional<Estimate>> track_frames(const std::vector<at::Tensor>& frames,
                                                    double sigma);

  const TestFaces& faces_;
  const datasets::WindowOptions& window_;
  const TrackFunction& track_;
  std::int64_t side_;
  datasets::FaceDetector detect_;
};

}  // namespace reprise::reproduce::dynamic_face_study
