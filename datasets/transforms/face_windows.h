// From any video to face-centred ones: the landmark pre-processing of document dynamic_face.
//
// A detector looks at every frame. One face is followed: at first the largest, later the one
// nearest the last. With c_t the centre of its box (in frames without detection on the straight
// line between the neighbours; before the first and after the last detection it stays):
//     centre of the window    s_t = sum_k g_k c_{t+k} / sum_k g_k,   g_k = exp(-k^2 / 2 sigma^2),   |k| <= 4 sigma, over the frames of the video
//     side of the window      margin * the longest side of all boxes of the video: one for all its frames
// and the window is then moved by `right` and `down` of that longest side. A face that rests, and
// one that moves at constant speed (away from both ends), is followed without error. sigma = 0
// smooths nothing. The document gives no sigma and no margin.
//
// Pixel (x, y) has its centre at the coordinates (x, y) (images.h): a box covers [x - 0.5, x +
// width - 0.5].
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "datasets/formats/images.h"
#include "datasets/transforms/face_detector.h"

namespace reprise::datasets {

/// landmarks: [68, 2], pixels.
FaceBox box_of_landmarks(const at::Tensor& landmarks);

struct FaceWindow {
  double x = 0, y = 0, side = 0;  ///< its centre, and its side; pixels
};

/// Which of a frame's boxes is followed; none when there is no box, or none with an area.
std::optional<FaceBox> followed_face(const std::vector<FaceBox>& boxes,
                                     const std::optional<FaceBox>& last);

struct WindowOptions {
  double sigma = 3;            ///< frames
  double margin = 1;           ///< side of the window over the longest side of a box
  double right = 0, down = 0;  ///< from the box's centre to the window's, over the same
};

/// A window a frame. UsageError: no frame has a face; sigma < 0; margin <= 0.
std::vector<FaceWindow> smooth_windows(const std::vector<std::optional<FaceBox>>& faces,
                                       const WindowOptions& options = {});

/// All of the above for a video file or a folder of pictures (video_files.h); no frame stays in
/// memory. UsageError: as read_frames() and smooth_windows(), with the name.
std::vector<FaceWindow> face_windows(const std::filesystem::path& source,
                                     const FaceDetector& detector,
                                     const WindowOptions& options = {});

/// The same while frames arrive, in constant memory, for up to `most` faces. It differs from the
/// document, which sees the whole video:
///   - the Gaussian has its past half only (k <= 0), so a moving face is followed with a delay of about 0.8 sigma frames;
///   - the side is smoothed by the same Gaussian, since the longest box of the video is not known yet;
///   - a box belongs to the nearest face whose last box is no more than its own side away; of the others, the largest first, new faces are
///     made while there is a place;
///   - a face without a box stays where it was, and after `lost_after` such frames it is lost: its place is free.
class CausalWindows {
 public:
  struct Face {
    std::int64_t place = 0;  ///< 0 to most - 1
    FaceWindow window;
    bool fresh = false;  ///< this frame is the first of it
    bool found = false;  ///< a box of this frame is its
  };
  /// UsageError: as smooth_windows(); most or lost_after below 1.
  explicit CausalWindows(const WindowOptions& options = {}, std::int64_t most = 1,
                         std::int64_t lost_after = 15);
  /// The faces of the frame that follows the one before, by place.
  std::vector<Face> next(const std::vector<FaceBox>& boxes);
  /// A face that no detector found in the last frame, found by other means: by the landmarks that a
  /// network gave of its window.
  void found_at(std::int64_t place, const FaceBox& box);

 private:
  struct Followed {
    bool there = false;
    FaceBox last;
    std::deque<FaceWindow> seen;  ///< centres and sides of boxes, newest first
    std::int64_t missed = 0;
  };
  void assign(std::vector<FaceBox> boxes, std::vector<Face>& faces);
  WindowOptions options_;
  std::vector<double> weight_;  ///< g_0, g_-1, ...
  std::vector<Followed> faces_;
  std::int64_t lost_after_;
};

/// Pixels of the frame -> pixels of the window's picture of size x size.
Affine window_affine(const FaceWindow& window, std::int64_t size);

/// frame: uint8 [H, W, 3] -> [size, size, 3]. Beyond the frame's border its border pixels go on.
/// UsageError: a window without extent.
at::Tensor crop_window(const at::Tensor& frame, const FaceWindow& window, std::int64_t size);

/// points: [..., 2], pixels of that picture -> pixels of the frame.
at::Tensor points_in_frame(const at::Tensor& points, const FaceWindow& window, std::int64_t size);

}  // namespace reprise::datasets
