// How a network does on the whole way of `track`, on photographs of people that it never saw: the
// detector's box, the window, the network. Nobody measured a photograph's pose: the truth is solved
// from its true landmarks (datasets/landmark_pose.h).
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
  std::vector<datasets::FrameRun> bursts = {};  ///< of these frames
};

/// What follows a face: pictures of one face, one after another, as track gives them -> outputs,
/// [T, 139].
using Follower = std::function<at::Tensor(const at::Tensor& pictures)>;

/// What the way of `track` makes of test pictures.
class TrackerEvaluation {
 public:
  /// side: pixels of the picture that `follow` takes, cut out as `window` says. All three are
  /// referred to.
  TrackerEvaluation(const TestFaces& faces, const datasets::WindowOptions& window,
                    const Follower& follow, std::int64_t side)
      : faces_(faces),
        window_(window),
        follow_(follow),
        side_(side),
        detect_(datasets::open_face_detector()) {}

  /// found, found_turned, landmarks, yaw, yaw_zero, roll, roll_follows: of photographs, upright and
  /// turned.
  void measure_stills(records::Record& record);
  /// sway: of photographs that sway and do not turn.
  void measure_sway(records::Record& record);
  /// landmarks_bursts.
  void measure_bursts(records::Record& record);
  /// Some of the faces with what was found, side by side.
  void draw_faces(const std::filesystem::path& path);

 private:
  struct Estimate {
    std::array<double, 3> pose;
    at::Tensor landmarks;  ///< [68, 2], pixels of the picture
    datasets::FaceWindow window;
  };
  /// Frames of one face, the windows found frame by frame; frames before the first detection have
  /// none.
  std::vector<std::optional<Estimate>> tracked(const std::vector<at::Tensor>& frames, double sigma);

  const TestFaces& faces_;
  const datasets::WindowOptions& window_;
  const Follower& follow_;
  std::int64_t side_;
  datasets::FaceDetector detect_;
};

}  // namespace reprise::reproduce::dynamic_face_study
