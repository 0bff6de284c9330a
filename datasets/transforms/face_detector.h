// Face detectors. Another kind of detector is a function and a row in the table of
// face_detector.cpp.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <vector>

namespace reprise::datasets {

/// Box around the 68 landmarks of a face, or a detector's box.
struct FaceBox {
  double x = 0, y = 0, width = 0, height = 0;  ///< pixels; (x, y) is the first pixel
};
/// Function that returns the faces of a frame (uint8 [H, W, 3], RGB), in any order.
using FaceDetector = std::function<std::vector<FaceBox>(const at::Tensor& frame)>;

/// Opens a cascade of OpenCV (.xml) or a YuNet network (.onnx). An empty path opens the
/// frontal-face cascade of Debian's opencv-data. One detector serves one thread.
///
/// Every detection is converted to the box of its landmarks, so that windows agree between
/// detectors.
///
/// - A cascade sees the histogram-equalised gray frame and finds faces of at least an eighth of its
///   shorter side. Its square is moved down by 0.16 sides and scaled by 0.955. Both are medians
///   over the sets of 300-W and YouTube Faces. The true box scatters about that by 0.10 sides in x
///   and 0.055 in y. Its size scatters by 11 %. Cascades find upright faces only. If none is found,
///   copies of the frame turned by 25 and 50 degrees either way are searched.
/// - YuNet's five points (eyes, nose, corners of the mouth) are matched by the mean face. This path
///   is untested, because Debian provides no such file.
///
/// UsageError: the file is missing (for the default, the package is named); OpenCV cannot read it;
/// another ending.
FaceDetector open_face_detector(const std::filesystem::path& path = {});
/// Returns the box of the landmarks from YuNet's five points, [5, 2]. Their order is: right eye,
/// left eye, tip of the nose, right and left corner of the mouth. Right and left are the person's.
FaceBox box_from_five_points(const at::Tensor& points);

}  // namespace reprise::datasets
