// From any video to a face-centred one: the landmark pre-processing of document dynamic_face.
//
// A detector looks at every frame. One face is followed: at first the largest, later the one nearest the last. With c_t the centre of its
// box (in frames without detection on the straight line between the neighbours; before the first and after the last detection it stays):
//     centre of the window    s_t = Σ_k g_k c_{t+k} / Σ_k g_k,   g_k = exp(-k² / 2σ²),   |k| <= 4σ, over the frames that the video has
//     side of the window      margin * the longest side of all boxes of the video: one for all its frames
// A face that rests, and one that moves at constant speed (away from both ends), is followed without error. σ = 0 smooths nothing. The
// document gives no σ and no margin.
//
// Pixel (x, y) has its centre at the coordinates (x, y) (images.h): a box covers [x - 0.5, x + width - 0.5].
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "datasets/formats/images.h"

namespace reprise::datasets {

struct FaceBox {
  double x = 0, y = 0, width = 0, height = 0;  ///< pixels; (x, y) is the first pixel
};

struct FaceWindow {
  double x = 0, y = 0, side = 0;  ///< its centre, and its side; pixels
};

/// frame: uint8 [H, W, 3], RGB -> the faces in it, in any order.
using FaceDetector = std::function<std::vector<FaceBox>(const at::Tensor& frame)>;

/// A cascade of OpenCV (.xml; on the histogram-equalised gray frame, faces of an eighth of the frame's shorter side or more), or a YuNet
/// network (.onnx). No path: the frontal-face cascade of Debian's opencv-data. One detector serves one thread.
/// UsageError: no such file (for the default: the package is named); a file that OpenCV cannot read; another ending.
FaceDetector open_face_detector(const std::filesystem::path& path = {});

/// Which of a frame's boxes is followed; none when there is no box, or none with an area.
std::optional<FaceBox> followed_face(const std::vector<FaceBox>& boxes, const std::optional<FaceBox>& last);

struct WindowOptions {
  double sigma = 3;   ///< frames
  double margin = 1;  ///< side of the window over the longest side of a box
};

/// A window a frame. UsageError: no frame has a face; sigma < 0; margin <= 0.
std::vector<FaceWindow> smooth_windows(const std::vector<std::optional<FaceBox>>& faces, const WindowOptions& options = {});

/// All of the above for a video file or a folder of pictures (video_files.h); no frame stays in memory.
/// UsageError: as read_frames() and smooth_windows(), with the name.
std::vector<FaceWindow> face_windows(const std::filesystem::path& source, const FaceDetector& detector, const WindowOptions& options = {});

/// The same while frames arrive, in constant memory. It differs from the document, which sees the whole video:
///   - the Gaussian has its past half only (k <= 0), so a moving face is followed with a delay of about 0.8 σ frames;
///   - a frame without detection has the centre of the last one; before the first detection there is no window;
///   - the side is that of the longest box so far: it can grow, and never shrinks.
class CausalWindows {
 public:
  /// UsageError: as smooth_windows().
  explicit CausalWindows(const WindowOptions& options = {});
  std::optional<FaceWindow> next(const std::vector<FaceBox>& boxes);

 private:
  WindowOptions options_;
  std::vector<double> weight_;  ///< g_0, g_-1, ...
  std::optional<FaceBox> last_;
  std::deque<std::pair<double, double>> centres_;  ///< newest first
  double side_ = 0;
};

/// Pixels of the frame -> pixels of the window's picture of size x size.
Affine window_affine(const FaceWindow& window, std::int64_t size);

/// frame: uint8 [H, W, 3] -> [size, size, 3]. Beyond the frame's border its border pixels go on. UsageError: a window without extent.
at::Tensor crop_window(const at::Tensor& frame, const FaceWindow& window, std::int64_t size);

/// points: [..., 2], pixels of that picture -> pixels of the frame.
at::Tensor points_in_frame(const at::Tensor& points, const FaceWindow& window, std::int64_t size);

}  // namespace reprise::datasets
