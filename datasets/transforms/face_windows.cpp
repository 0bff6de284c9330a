#include "datasets/transforms/face_windows.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/error.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

double area(const FaceBox& box) {
  return box.width > 0 && box.height > 0 ? box.width * box.height : 0;
}
double longest(const FaceBox& box) { return std::max(box.width, box.height); }
std::pair<double, double> centre(const FaceBox& box) {
  // A box of width w covers the pixels x, ..., x + w - 1.
  return {box.x + (box.width - 1) / 2, box.y + (box.height - 1) / 2};
}

FaceWindow window_around(double x, double y, double side, const WindowOptions& options) {
  return {
      .x = x + options.right * side, .y = y + options.down * side, .side = options.margin * side};
}

/// Returns the weights g_0, g_1, ... up to 4 sigma.
std::vector<double> gaussian_weights(const WindowOptions& options) {
  if (!(options.sigma >= 0) || options.sigma > 1e4 || !(options.margin > 0) ||
      !std::isfinite(options.margin))
    throw UsageError(
        fmt::format("windows smoothed over {} frames with a margin of {} cannot be made",
                    options.sigma, options.margin),
        "use a sigma of 0 or more frames and a margin above 0");
  std::vector<double> weight{1};
  // Beyond 4 sigma a weight is below 0.04 % of the largest.
  const auto reach = static_cast<std::int64_t>(std::floor(4 * options.sigma));
  for (std::int64_t k = 1; k <= reach; ++k)
    weight.push_back(std::exp(-static_cast<double>(k * k) / (2 * options.sigma * options.sigma)));
  return weight;
}

/// Interpolates the centres of missing faces linearly and extends both ends. Empty: there is no
/// face.
std::vector<std::pair<double, double>> interpolate_centres(
    const std::vector<std::optional<FaceBox>>& faces) {
  std::vector<std::pair<double, double>> centres(faces.size());
  std::ptrdiff_t last = -1;
  const auto count = static_cast<std::ptrdiff_t>(faces.size());
  for (std::ptrdiff_t t = 0; t < count; ++t) {
    if (!faces[t]) continue;
    const auto here = centres[t] = centre(*faces[t]);
    // Frames between two found faces; before the first one its position is repeated.
    for (auto k = last + 1; k < t; ++k) {
      const double fraction =
          last < 0 ? 1 : static_cast<double>(k - last) / static_cast<double>(t - last);
      const auto from = last < 0 ? here : centres[last];
      centres[k] = {from.first + fraction * (here.first - from.first),
                    from.second + fraction * (here.second - from.second)};
    }
    last = t;
  }
  if (last < 0) return {};
  std::fill(centres.begin() + last, centres.end(), std::pair(centres[last]));
  return centres;
}

}  // namespace

FaceBox landmark_box(const at::Tensor& landmarks) {
  const auto points = landmarks.to(at::kDouble);
  const auto low = std::get<0>(points.min(0));
  const auto high = std::get<0>(points.max(0));
  const auto value = [](const at::Tensor& of, std::int64_t i) { return of[i].item<double>(); };
  // A pixel has extent 1, so the box of two neighbours is 2 wide.
  return {.x = value(low, 0),
          .y = value(low, 1),
          .width = value(high, 0) - value(low, 0) + 1,
          .height = value(high, 1) - value(low, 1) + 1};
}

std::optional<FaceBox> choose_face(const std::vector<FaceBox>& boxes,
                                   const std::optional<FaceBox>& last) {
  std::optional<FaceBox> best;
  double best_cost = std::numeric_limits<double>::infinity();
  for (const auto& box : boxes) {
    if (!(area(box) > 0)) continue;
    const auto [x, y] = centre(box);
    // Without an earlier face the largest box wins; otherwise the nearest one.
    const double cost =
        last ? std::hypot(x - centre(*last).first, y - centre(*last).second) : -area(box);
    if (cost < best_cost) {
      best = box;
      best_cost = cost;
    }
  }
  return best;
}

std::vector<FaceWindow> smooth_windows(const std::vector<std::optional<FaceBox>>& faces,
                                       const WindowOptions& options) {
  const auto weight = gaussian_weights(options);
  const auto centres = interpolate_centres(faces);
  if (centres.empty())
    throw UsageError(fmt::format("no face is found in any of {} frames", faces.size()),
                     "use another face detector, or give frames that show the face alone");
  double side = 0;
  // One side for the whole video: a window that breathes with the detector would add apparent
  // motion.
  for (const auto& face : faces)
    if (face) side = std::max(side, longest(*face));
  const auto count = static_cast<std::ptrdiff_t>(faces.size());
  const auto reach = static_cast<std::ptrdiff_t>(weight.size()) - 1;
  std::vector<FaceWindow> windows;
  for (std::ptrdiff_t t = 0; t < count; ++t) {
    double x = 0;
    double y = 0;
    double sum = 0;
    for (auto k = std::max<std::ptrdiff_t>(0, t - reach); k <= std::min(count - 1, t + reach);
         ++k) {
      const double g = weight[std::abs(k - t)];
      // At both ends the kernel is cut and normalised by the weights that are left.
      x += g * centres[k].first;
      y += g * centres[k].second;
      sum += g;
    }
    windows.push_back(window_around(x / sum, y / sum, side, options));
  }
  return windows;
}

std::vector<FaceWindow> find_face_windows(const fs::path& source, const FaceDetector& detector,
                                          const WindowOptions& options) {
  gaussian_weights(options);  // says what is wrong with the options before the video is decoded
  std::vector<std::optional<FaceBox>> faces;
  std::optional<FaceBox> last;
  // A frame without a face keeps the last one as reference for the next.
  const auto see = [&](const at::Tensor& frame) {
    faces.push_back(choose_face(detector(frame), last));
    if (faces.back()) last = faces.back();
  };
  read_frames(source, see, [&] { faces.emplace_back(); });
  try {
    return smooth_windows(faces, options);
  } catch (const UsageError& error) {
    throw UsageError(source.string() + ": " + error.problem(), error.fix());
  }
}

CausalWindows::CausalWindows(const WindowOptions& options, std::int64_t most,
                             std::int64_t lost_after)
    : options_(options), weight_(gaussian_weights(options)), lost_after_(lost_after) {
  if (most < 1 || lost_after < 1)
    throw UsageError(
        fmt::format("{} faces, each lost after {} frames, cannot be followed", most, lost_after),
        "give 1 or more of both");
  faces_.resize(static_cast<std::size_t>(most));
}

void CausalWindows::assign(std::vector<FaceBox> boxes, std::vector<Face>& faces) {
  std::erase_if(boxes, [](const FaceBox& box) { return !(area(box) > 0); });
  std::ranges::stable_sort(boxes, std::ranges::greater{}, area);
  struct Pair {
    double cost;
    std::size_t face;
    std::size_t box;
  };
  std::vector<Pair> pairs;
  for (std::size_t f = 0; f < faces_.size(); ++f)
    for (std::size_t b = 0; faces_[f].there && b < boxes.size(); ++b) {
      const auto [x, y] = centre(boxes[b]);
      const auto [last_x, last_y] = centre(faces_[f].last);
      // Distance in faces: a face that moves farther than its own size within a frame is another
      // one.
      const double cost = std::hypot(x - last_x, y - last_y) / longest(faces_[f].last);
      if (cost <= 1) pairs.push_back({cost, f, b});
    }
  // Greedy assignment, nearest pairs first. Stable sorting keeps ties independent of the library.
  std::ranges::stable_sort(pairs, {}, &Pair::cost);
  std::vector<bool> taken(boxes.size());
  const auto give = [&](std::size_t f, std::size_t b) {
    taken[b] = true;
    faces[f].found = true;
    faces_[f].last = boxes[b];
  };
  for (const auto& [cost, f, b] : pairs)
    if (!faces[f].found && !taken[b]) give(f, b);
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    if (faces_[f].there) continue;
    // Boxes are sorted by area, so the first free one is the largest.
    const auto largest = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
    if (largest == boxes.size()) return;
    faces_[f] = {.there = true, .last = {}, .seen = {}, .missed = 0};
    give(f, largest);
    faces[f].fresh = true;
  }
}

std::vector<CausalWindows::Face> CausalWindows::next(const std::vector<FaceBox>& boxes) {
  std::vector<Face> faces(faces_.size());
  assign(boxes, faces);
  std::vector<Face> there;
  for (std::size_t f = 0; f < faces_.size(); ++f) {
    auto& followed = faces_[f];
    if (!followed.there) continue;
    // A lost face frees its place for another one.
    followed.missed = faces[f].found ? 0 : followed.missed + 1;
    if (followed.missed > lost_after_) {
      followed = {};
      continue;
    }
    const auto [x, y] = centre(followed.last);
    // Half of a Gaussian: only this frame and earlier ones, because later ones are unknown.
    followed.seen.push_front({x, y, longest(followed.last)});
    if (followed.seen.size() > weight_.size()) followed.seen.pop_back();
    double sum = 0;
    FaceWindow mean;
    for (std::size_t k = 0; k < followed.seen.size(); ++k) {
      const double g = weight_[k];
      mean.x += g * followed.seen[k].x;
      mean.y += g * followed.seen[k].y;
      mean.side += g * followed.seen[k].side;
      sum += g;
    }
    faces[f].place = static_cast<std::int64_t>(f);
    faces[f].window = window_around(mean.x / sum, mean.y / sum, mean.side / sum, options_);
    there.push_back(faces[f]);
  }
  return there;
}

void CausalWindows::found_at(std::int64_t place, const FaceBox& box) {
  auto& followed = faces_.at(static_cast<std::size_t>(place));
  if (followed.there && area(box) > 0) {
    followed.last = box;
    followed.missed = 0;
  }
}

Affine window_affine(const FaceWindow& window, std::int64_t size) {
  if (size < 1 || !(window.side > 0) || !std::isfinite(window.side + window.x + window.y))
    throw UsageError(
        fmt::format("a window of side {} cannot become a picture of {} pixels", window.side, size),
        "use a window with extent and a size of 1 or more");
  // The window's centre becomes the picture's, whose pixel centres are whole numbers.
  const double s = static_cast<double>(size) / window.side;
  const double middle = (static_cast<double>(size) - 1) / 2;
  return {s, 0, middle - s * window.x, 0, s, middle - s * window.y};
}

at::Tensor crop_window(const at::Tensor& frame, const FaceWindow& window, std::int64_t size) {
  return warp_image(frame, window_affine(window, size), size);
}

at::Tensor points_in_frame(const at::Tensor& points, const FaceWindow& window, std::int64_t size) {
  const auto m = window_affine(window, size);
  // The map only scales and shifts, so its inverse is written down directly.
  return move_points(points, {1 / m[0], 0, -m[2] / m[0], 0, 1 / m[4], -m[5] / m[4]});
}

}  // namespace reprise::datasets
