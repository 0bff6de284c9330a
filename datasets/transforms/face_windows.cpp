#include "datasets/transforms/face_windows.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <utility>

#include "core/error.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* default_cascade = "/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml";
constexpr const char* detector_fix = "give a cascade of OpenCV (.xml) or a YuNet network (.onnx)";

cv::Mat view(const at::Tensor& frame) {
  return {static_cast<int>(frame.size(0)), static_cast<int>(frame.size(1)), CV_8UC3, frame.data_ptr()};
}

FaceDetector cascade_detector(const fs::path& path) {
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
    const int smallest = std::max(24, std::min(gray.cols, gray.rows) / 8);
    std::vector<cv::Rect> found;
    cascade->detectMultiScale(gray, found, 1.2, 4, 0, {smallest, smallest});
    std::vector<FaceBox> boxes;
    for (const auto& box : found)
      boxes.push_back(
          {static_cast<double>(box.x), static_cast<double>(box.y), static_cast<double>(box.width), static_cast<double>(box.height)});
    return boxes;
  };
}

FaceDetector network_detector(const fs::path& path) {
  cv::Ptr<cv::FaceDetectorYN> network;
  try {
    network = cv::FaceDetectorYN::create(path.string(), "", {320, 320});
  } catch (const cv::Exception& error) {
    throw UsageError(fmt::format("{}: no network that OpenCV can read ({})", path.string(), error.err), detector_fix);
  }
  return [network, path](const at::Tensor& frame) {
    const auto pixels = frame.contiguous();
    cv::Mat bgr, faces;
    cv::cvtColor(view(pixels), bgr, cv::COLOR_RGB2BGR);
    try {
      network->setInputSize(bgr.size());
      network->detect(bgr, faces);
    } catch (const cv::Exception& error) {
      throw UsageError(fmt::format("{}: the network is no YuNet face detector ({})", path.string(), error.err), detector_fix);
    }
    std::vector<FaceBox> boxes;
    for (int i = 0; i < faces.rows; ++i) {  // x, y, width, height, five points, score
      const float* row = faces.ptr<float>(i);
      boxes.push_back({row[0], row[1], row[2], row[3]});
    }
    return boxes;
  };
}

double area(const FaceBox& box) { return box.width > 0 && box.height > 0 ? box.width * box.height : 0; }
double longest(const FaceBox& box) { return std::max(box.width, box.height); }
std::pair<double, double> centre(const FaceBox& box) { return {box.x + (box.width - 1) / 2, box.y + (box.height - 1) / 2}; }

/// g_0, g_1, ... up to 4σ.
std::vector<double> gaussian(const WindowOptions& options) {
  if (!(options.sigma >= 0) || options.sigma > 1e4 || !(options.margin > 0) || !std::isfinite(options.margin))
    throw UsageError(fmt::format("windows smoothed over {} frames with a margin of {} cannot be made", options.sigma, options.margin),
                     "use a sigma of 0 or more frames and a margin above 0");
  std::vector<double> weight{1};
  for (double k = 1; k <= 4 * options.sigma; ++k) weight.push_back(std::exp(-k * k / (2 * options.sigma * options.sigma)));
  return weight;
}

/// Linear in between, held at both ends. Empty when there is no face at all.
std::vector<std::pair<double, double>> centres_of(const std::vector<std::optional<FaceBox>>& faces) {
  std::vector<std::pair<double, double>> centres(faces.size());
  std::ptrdiff_t last = -1;
  const auto count = static_cast<std::ptrdiff_t>(faces.size());
  for (std::ptrdiff_t t = 0; t < count; ++t) {
    if (!faces[t]) continue;
    const auto here = centres[t] = centre(*faces[t]);
    for (auto k = last + 1; k < t; ++k) {
      const double share = last < 0 ? 1 : static_cast<double>(k - last) / static_cast<double>(t - last);
      const auto from = last < 0 ? here : centres[last];
      centres[k] = {from.first + share * (here.first - from.first), from.second + share * (here.second - from.second)};
    }
    last = t;
  }
  if (last < 0) return {};
  std::fill(centres.begin() + last, centres.end(), std::pair(centres[last]));
  return centres;
}

}  // namespace

FaceDetector open_face_detector(const fs::path& path) {
  if (path.empty()) {
    if (!fs::is_regular_file(default_cascade))
      throw UsageError(std::string("no face detector is given, and the default one is missing: ") + default_cascade,
                       std::string("install Debian's package opencv-data, or ") + detector_fix);
    return cascade_detector(default_cascade);
  }
  if (!fs::is_regular_file(path)) throw UsageError(path.string() + ": there is no such face detector", detector_fix);
  if (path.extension() == ".xml") return cascade_detector(path);
  if (path.extension() == ".onnx") return network_detector(path);
  throw UsageError(path.string() + ": a face detector of an unknown kind", detector_fix);
}

std::optional<FaceBox> followed_face(const std::vector<FaceBox>& boxes, const std::optional<FaceBox>& last) {
  std::optional<FaceBox> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const auto& box : boxes) {
    if (!(area(box) > 0)) continue;
    const auto [x, y] = centre(box);
    const double cost = last ? std::hypot(x - centre(*last).first, y - centre(*last).second) : -area(box);
    if (cost < best_cost) best = box, best_cost = cost;
  }
  return best;
}

std::vector<FaceWindow> smooth_windows(const std::vector<std::optional<FaceBox>>& faces, const WindowOptions& options) {
  const auto weight = gaussian(options);
  const auto centres = centres_of(faces);
  if (centres.empty())
    throw UsageError(fmt::format("no face is found in any of {} frames", faces.size()),
                     "use another face detector, or give frames that show the face alone");
  double side = 0;
  for (const auto& face : faces)
    if (face) side = std::max(side, options.margin * longest(*face));
  const auto count = static_cast<std::ptrdiff_t>(faces.size()), reach = static_cast<std::ptrdiff_t>(weight.size()) - 1;
  std::vector<FaceWindow> windows;
  for (std::ptrdiff_t t = 0; t < count; ++t) {
    double x = 0, y = 0, sum = 0;
    for (auto k = std::max<std::ptrdiff_t>(0, t - reach); k <= std::min(count - 1, t + reach); ++k) {
      const double g = weight[std::abs(k - t)];
      x += g * centres[k].first, y += g * centres[k].second, sum += g;
    }
    windows.push_back({x / sum, y / sum, side});
  }
  return windows;
}

std::vector<FaceWindow> face_windows(const fs::path& source, const FaceDetector& detector, const WindowOptions& options) {
  gaussian(options);  // says what is wrong with the options before the video is decoded
  std::vector<std::optional<FaceBox>> faces;
  std::optional<FaceBox> last;
  read_frames(source, [&](const at::Tensor& frame) {
    faces.push_back(followed_face(detector(frame), last));
    if (faces.back()) last = faces.back();
  });
  try {
    return smooth_windows(faces, options);
  } catch (const UsageError& error) {
    throw UsageError(source.string() + ": " + error.problem(), error.fix());
  }
}

CausalWindows::CausalWindows(const WindowOptions& options) : options_(options), weight_(gaussian(options)) {}

std::optional<FaceWindow> CausalWindows::next(const std::vector<FaceBox>& boxes) {
  const auto face = followed_face(boxes, last_);
  if (face) {
    last_ = face;
    side_ = std::max(side_, options_.margin * longest(*face));
  }
  if (!last_) return std::nullopt;
  centres_.push_front(centre(*last_));
  if (centres_.size() > weight_.size()) centres_.pop_back();
  double x = 0, y = 0, sum = 0;
  for (std::size_t k = 0; k < centres_.size(); ++k) {
    const double g = weight_[k];
    x += g * centres_[k].first, y += g * centres_[k].second, sum += g;
  }
  return FaceWindow{x / sum, y / sum, side_};
}

Affine window_affine(const FaceWindow& window, std::int64_t size) {
  if (size < 1 || !(window.side > 0) || !std::isfinite(window.side + window.x + window.y))
    throw UsageError(fmt::format("a window of side {} cannot become a picture of {} pixels", window.side, size),
                     "use a window with extent and a size of 1 or more");
  const double s = static_cast<double>(size) / window.side, middle = (static_cast<double>(size) - 1) / 2;
  return {s, 0, middle - s * window.x, 0, s, middle - s * window.y};
}

at::Tensor crop_window(const at::Tensor& frame, const FaceWindow& window, std::int64_t size) {
  return warp_image(frame, window_affine(window, size), size);
}

at::Tensor points_in_frame(const at::Tensor& points, const FaceWindow& window, std::int64_t size) {
  const auto m = window_affine(window, size);
  return move_points(points, {1 / m[0], 0, -m[2] / m[0], 0, 1 / m[4], -m[5] / m[4]});
}

}  // namespace reprise::datasets
