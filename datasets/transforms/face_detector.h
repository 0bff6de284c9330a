// Where the faces of a picture are. Another kind of detector is a function and a line in the table
// of face_detector.cpp.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <vector>

namespace reprise::datasets {

/// The box around a face's 68 landmarks, or where a detector says that it is.
struct FaceBox {
  double x = 0, y = 0, width = 0, height = 0;  ///< pixels; (x, y) is the first pixel
};
/// frame: uint8 [H, W, 3], RGB -> the faces in it, in any order.
using FaceDetector = std::function<std::vector<FaceBox>(const at::Tensor& frame)>;

/// A cascade of OpenCV (.xml; on the histogram-equalised gray frame, faces of an eighth of the
/// frame's shorter side or more), or a YuNet network (.onnx). No path: the frontal-face cascade of
/// Debian's opencv-data. One detector serves one thread.
///
/// Whatever a detector calls a face becomes the box of its landmarks, so that windows are the same
/// with each. A cascade's square: moved down by 0.16 and made 0.955 times as large, the medians
/// over 300-W and YouTube Faces; the true box scatters about that by 0.10 and 0.055 of the square's
/// side in x and y, and by 11 % in size. YuNet's: the mean face, laid onto the eyes, nose and
/// corners of the mouth that it gives (never run here: no such file comes with Debian). A cascade
/// knows upright faces alone: where it finds none it looks at copies of the frame turned by 25 and
/// 50 degrees either way. UsageError: no such file (for the default: the package is named); a file
/// that OpenCV cannot read; another ending.
FaceDetector open_face_detector(const std::filesystem::path& path = {});
/// The box of the landmarks from YuNet's five points, [5, 2]: right eye, left eye, tip of the nose,
/// right and left corner of the mouth (of the person).
FaceBox box_of_five_points(const at::Tensor& points);

}  // namespace reprise::datasets
