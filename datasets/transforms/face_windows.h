// Windows that follow a face through a video: the landmark pre-processing of document dynamic_face.
//
// A detector processes every frame. One face is followed: first the largest, then the one nearest
// to the last. c_t is the centre of its box. Frames without detection interpolate linearly between
// their neighbours, and extend the first and the last detection. Then
//
//     centre of the window    s_t = sum_k g_k c_{t+k} / sum_k g_k,   g_k = exp(-k^2 / 2 sigma^2),
//                             |k| <= 4 sigma, over the frames of the video
//     side of the window      margin * the longest side of all boxes of the video,
//                             one for all its frames
//
// and the window is moved by `right` and `down` of that longest side. A face at rest, or at
// constant speed away from both ends, is followed without error. sigma = 0 disables smoothing. The
// document gives neither sigma nor margin.
//
// The centre of pixel (x, y) has the coordinates (x, y) (images.h): a box covers [x - 0.5, x +
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

/// Returns the box around landmarks [68, 2], in pixels.
FaceBox landmark_box(const at::Tensor& landmarks);

struct FaceWindow {
  double x = 0, y = 0, side = 0;  ///< centre and side, pixels
};

/// Returns the box of a frame that is followed. Empty: there is no box, or none with an area.
std::optional<FaceBox> choose_face(const std::vector<FaceBox>& boxes,
                                   const std::optional<FaceBox>& last);

struct WindowOptions {
  double sigma = 3;            ///< frames
  double margin = 1;           ///< side of the window over the longest side of a box
  double right = 0, down = 0;  ///< shift of the window's centre, over the longest side of a box
};

/// Returns one window per frame. UsageError: no frame has a face; sigma < 0; margin <= 0.
std::vector<FaceWindow> smooth_windows(const std::vector<std::optional<FaceBox>>& faces,
                                       const WindowOptions& options = {});

/// Detects faces and smooths windows for a video file or a folder of pictures (video_files.h),
/// without keeping frames. UsageError: as read_frames() and smooth_windows(), with the name.
std::vector<FaceWindow> find_face_windows(const std::filesystem::path& source,
                                          const FaceDetector& detector,
                                          const WindowOptions& options = {});

/// Follows up to `most` faces while frames arrive, in constant memory.
///
/// The document uses the complete video. The causal version differs:
///
/// - The Gaussian has its past half only (k <= 0). A moving face is followed with a delay of about
///   0.8 sigma frames.
/// - The side is smoothed by the same Gaussian, because the longest box is not known yet.
/// - A box belongs to the nearest face whose last box is at most its own side away. The largest
///   remaining boxes start new faces while places are free.
/// - A face without a box stays in place. After `lost_after` such frames it is lost, and its place
///   is free.
class CausalWindows {
 public:
  struct Face {
    std::int64_t place = 0;  ///< index, 0 to most - 1
    FaceWindow window;
    bool fresh = false;  ///< first frame of this face
    bool found = false;  ///< detected in this frame
  };
  /// UsageError: as smooth_windows(); most or lost_after below 1.
  explicit CausalWindows(const WindowOptions& options = {}, std::int64_t most = 1,
                         std::int64_t lost_after = 15);
  /// Processes the boxes of the next frame. Returns its faces, by place.
  std::vector<Face> next(const std::vector<FaceBox>& boxes);
  /// Sets the box of a face that the detector missed in the last frame, for example from landmarks
  /// that a network predicted.
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

/// Returns the map from pixels of the frame to pixels of the window's picture, size x size.
Affine window_affine(const FaceWindow& window, std::int64_t size);

/// Crops a window of a frame (uint8 [H, W, 3]) to [size, size, 3]. Border pixels of the frame
/// extend outwards. UsageError: the window has no extent.
at::Tensor crop_window(const at::Tensor& frame, const FaceWindow& window, std::int64_t size);

/// Maps points [..., 2] from pixels of a window's picture to pixels of the frame.
at::Tensor points_in_frame(const at::Tensor& points, const FaceWindow& window, std::int64_t size);

}  // namespace reprise::datasets
