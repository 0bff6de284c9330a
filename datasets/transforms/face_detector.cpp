#include "datasets/transforms/face_detector.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <string>

#include "core/error.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_cascade =
    "/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml";
constexpr const char* detector_fix = "give a cascade of OpenCV (.xml) or a YuNet network (.onnx)";

cv::Mat view(const at::Tensor& frame) {
  return {static_cast<int>(frame.size(0)), static_cast<int>(frame.size(1)), CV_8UC3,
          frame.data_ptr()};
}

FaceBox square_at(double x, double y, double side) {
  return {.x = x - (side - 1) / 2, .y = y - (side - 1) / 2, .width = side, .height = side};
}

/// Shift and scale from a cascade's square to the box of the landmarks, over the square's side
/// (face_detector.h).
constexpr double square_down = 0.16;
constexpr double square_size = 0.955;

/// Returns the squares of upright faces in a gray picture.
std::vector<cv::Rect> detect_squares(cv::CascadeClassifier& cascade, const cv::Mat& gray) {
  // An eighth of the shorter side, and at least the cascade's own 24 pixels.
  const int smallest = std::max(24, std::min(gray.cols, gray.rows) / 8);
  std::vector<cv::Rect> found;
  // Scale step 1.2, and at least 4 overlapping hits per face.
  cascade.detectMultiScale(gray, found, 1.2, 4, 0, {smallest, smallest});
  return found;
}

FaceDetector open_cascade(const fs::path& path) {
  const auto cascade = std::make_shared<cv::CascadeClassifier>();
  bool loaded = false;
  try {
    loaded = cascade->load(path.string());
  } catch (const cv::Exception&) {  // XML that is none
  }
  if (!loaded) throw UsageError(path.string() + ": no cascade that OpenCV can read", detector_fix);
  return [cascade](const at::Tensor& frame) {
    const auto pixels = frame.contiguous();
    cv::Mat gray;
    cv::cvtColor(view(pixels), gray, cv::COLOR_RGB2GRAY);
    cv::equalizeHist(gray, gray);
    std::vector<FaceBox> boxes;
    const cv::Point2d middle((gray.cols - 1) / 2.0, (gray.rows - 1) / 2.0);
    // The upright frame comes first; rotated copies cost four more searches.
    for (const double angle : {0.0, 25.0, -25.0, 50.0, -50.0}) {
      const cv::Matx23d turn = cv::getRotationMatrix2D(middle, angle, 1);
      cv::Mat turned;
      if (angle == 0)
        turned = gray;
      else
        cv::warpAffine(gray, turned, turn, gray.size(), cv::INTER_LINEAR, cv::BORDER_REPLICATE);
      for (const auto& square : detect_squares(*cascade, turned)) {
        const double side = square.width;
        const double x = square.x + (side - 1) / 2;
        const double y = square.y + (side - 1) / 2 + square_down * side;
        // Map back to the frame: the inverse of a rotation about the middle is its transpose.
        const double dx = x - middle.x;
        const double dy = y - middle.y;
        boxes.push_back(square_at(middle.x + turn(0, 0) * dx + turn(1, 0) * dy,
                                  middle.y + turn(0, 1) * dx + turn(1, 1) * dy,
                                  square_size * side));
      }
      if (!boxes.empty()) break;
    }
    return boxes;
  };
}

FaceDetector open_network(const fs::path& path) {
  cv::Ptr<cv::FaceDetectorYN> network;
  try {
    network = cv::FaceDetectorYN::create(path.string(), "", {320, 320});
  } catch (const cv::Exception& error) {
    throw UsageError(
        fmt::format("{}: no network that OpenCV can read ({})", path.string(), error.err),
        detector_fix);
  }
  return [network, path](const at::Tensor& frame) {
    const auto pixels = frame.contiguous();
    cv::Mat bgr;
    cv::Mat faces;
    cv::cvtColor(view(pixels), bgr, cv::COLOR_RGB2BGR);
    try {
      // YuNet is fully convolutional, so it runs at the frame's own size.
      network->setInputSize(bgr.size());
      network->detect(bgr, faces);
    } catch (const cv::Exception& error) {
      throw UsageError(
          fmt::format("{}: the network is no YuNet face detector ({})", path.string(), error.err),
          detector_fix);
    }
    std::vector<FaceBox> boxes;
    for (int i = 0; i < faces.rows; ++i)  // x, y, width, height, five points, score
      boxes.push_back(
          box_from_five_points(at::from_blob(faces.ptr<float>(i) + 4, {5, 2}, at::kFloat)));
    return boxes;
  };
}

/// A kind of detector: the ending of its files, and how one is opened.
struct DetectorKind {
  std::string ending;
  FaceDetector (*open)(const fs::path& path);
};

const std::vector<DetectorKind>& detector_kinds() {
  static const std::vector<DetectorKind> all{{".xml", open_cascade}, {".onnx", open_network}};
  return all;
}

}  // namespace

FaceBox box_from_five_points(const at::Tensor& points) {
  // Heights of the eyes' and of the mouth's middle relative to the centre of the box, and the
  // distance of the eyes, over the box's longer side: medians over the upright faces of 300-W.
  constexpr double eyes = -0.294;
  constexpr double mouth = 0.151;
  constexpr double eye_distance = 0.425;
  const auto p = points.to(at::kDouble).contiguous();
  const auto at = [&](std::int64_t i, std::int64_t d) { return p[i][d].item<double>(); };
  const double eye_x = (at(0, 0) + at(1, 0)) / 2;
  const double eye_y = (at(0, 1) + at(1, 1)) / 2;
  const double mouth_x = (at(3, 0) + at(4, 0)) / 2;
  const double mouth_y = (at(3, 1) + at(4, 1)) / 2;
  const double along = std::hypot(mouth_x - eye_x, mouth_y - eye_y);
  // A face turned sideways keeps its height, one turned up or down its width. The larger estimate
  // is its size.
  const double across = std::hypot(at(1, 0) - at(0, 0), at(1, 1) - at(0, 1));
  const double side = std::max(along / (mouth - eyes), across / eye_distance);
  // The box's centre divides the line from the eyes to the mouth in this proportion.
  const double part = -eyes / (mouth - eyes);
  return square_at(eye_x + part * (mouth_x - eye_x), eye_y + part * (mouth_y - eye_y), side);
}

FaceDetector open_face_detector(const fs::path& path) {
  if (path.empty() && !fs::is_regular_file(default_cascade))
    throw UsageError(std::string("no face detector is given, and the default one is missing: ") +
                         default_cascade,
                     std::string("install Debian's package opencv-data, or ") + detector_fix);
  const fs::path file = path.empty() ? default_cascade : path;
  if (!fs::is_regular_file(file))
    throw UsageError(file.string() + ": there is no such face detector", detector_fix);
  const auto kind =
      std::ranges::find(detector_kinds(), file.extension().string(), &DetectorKind::ending);
  if (kind == detector_kinds().end())
    throw UsageError(file.string() + ": a face detector of an unknown kind", detector_fix);
  return kind->open(file);
}

}  // namespace reprise::datasets
