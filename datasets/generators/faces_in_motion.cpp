#include "datasets/generators/faces_in_motion.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <opencv2/imgproc.hpp>
#include <string>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "datasets/scene/smooth_path.h"

namespace reprise::datasets {
namespace {

struct Picture {
  const std::uint8_t* pixels;
  std::int64_t height;
  std::int64_t width;
  std::int64_t channels;
};

/// Checked input of generate_face_motion().
struct Stills {
  std::vector<at::Tensor> kept;  // contiguous
  std::vector<Picture> pictures;
  at::Tensor landmarks;
  std::int64_t points = 0;
  const float* landmarks_of(std::int64_t i) const {
    return landmarks.const_data_ptr<float>() + i * points * 2;
  }
};

struct View {
  double x, y, side, angle;  // in the still's pixels, radians
};

/// Position of the camera over time.
class CameraPath {
 public:
  CameraPath(const Stills& stills, const std::vector<std::int64_t>& run,
             const MotionOptions& options, Random& random)
      : options_(options),
        x_(path(random)),
        y_(path(random)),
        zoom_(path(random)),
        turn_(path(random)) {
    // Box of the landmarks of all frames of the run: a burst stays in view.
    double left = stills.landmarks_of(run.front())[0];
    double right = left;
    double top = stills.landmarks_of(run.front())[1];
    double bottom = top;
    for (const auto i : run)
      for (std::int64_t k = 0; k < stills.points; ++k) {
        const double x = stills.landmarks_of(i)[2 * k];
        const double y = stills.landmarks_of(i)[2 * k + 1];
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
      }
    middle_x_ = (left + right) / 2;
    middle_y_ = (top + bottom) / 2;
    // Drawn in a fixed order after the paths: size, then offsets.
    side_ = std::max(right - left, bottom - top) *
            (options.enlarged + options.jitter * options.enlarged_spread * random.uniform(-1, 1));
    off_x_ = options.jitter * options.offset * random.uniform(-1, 1);
    off_y_ = options.jitter * options.offset * random.uniform(-1, 1);
  }
  View at(double t) const {
    const double run = options_.camera;
    const double side = side_ * std::exp(run * options_.zoom * zoom_.at(t));
    // Offsets and movements are in sides of the crop, so they scale with the zoom.
    return {middle_x_ + side * (off_x_ + run * options_.shift * x_.at(t)),
            middle_y_ + side * (off_y_ + run * options_.shift * y_.at(t)), side,
            run * options_.turn * turn_.at(t) * std::numbers::pi / 180};
  }

 private:
  SmoothPath path(Random& random) const {
    return {random, options_.period_low, options_.period_high};
  }
  const MotionOptions& options_;
  SmoothPath x_;
  SmoothPath y_;
  SmoothPath zoom_;
  SmoothPath turn_;
  double middle_x_ = 0;
  double middle_y_ = 0;
  double side_ = 1;
  double off_x_ = 0;
  double off_y_ = 0;
};

/// Renders the camera's view, [size, size] pixels, into out. The still is reflected beyond its
/// border.
void render_view(const Picture& picture, const View& view, std::int64_t size, float* out) {
  const double step = view.side / static_cast<double>(size);
  // As many samples per pixel as the still has pixels there, up to 4 x 4.
  const int samples = static_cast<int>(std::clamp(std::ceil(step - 1e-6), 1.0, 4.0));
  const double dx = step * std::cos(view.angle);
  const double dy = step * std::sin(view.angle);
  // Sample (i, j) of the finer grid lies (first + i / samples, first + j / samples) pixels from the
  // crop's middle.
  const double first = (1.0 / samples - static_cast<double>(size)) / 2;
  // WARP_INVERSE_MAP: the matrix leads from a sample of the crop to the still.
  const cv::Matx23d to_still(dx / samples, -dy / samples, view.x + (dx - dy) * first, dy / samples,
                             dx / samples, view.y + (dx + dy) * first);
  // OpenCV reads the still only, though its matrices know no const.
  const cv::Mat still(static_cast<int>(picture.height), static_cast<int>(picture.width),
                      CV_8UC(static_cast<int>(picture.channels)),
                      const_cast<std::uint8_t*>(picture.pixels));
  const int side = static_cast<int>(size);
  cv::Mat fine;
  cv::Mat crop;
  cv::warpAffine(still, fine, to_still, {side * samples, side * samples},
                 cv::INTER_LINEAR | cv::WARP_INVERSE_MAP, cv::BORDER_REFLECT);
  // Averaging the finer grid prevents aliasing.
  if (samples > 1)
    cv::resize(fine, crop, {side, side}, 0, 0, cv::INTER_AREA);
  else
    crop = fine;
  const auto count = static_cast<std::size_t>(size * size * picture.channels);
  std::copy_n(crop.ptr<std::uint8_t>(), count, out);
}

void place_landmarks(const float* landmarks, std::int64_t points, const View& view,
                     std::int64_t size, float* out) {
  const double scale = static_cast<double>(size) / view.side;
  const double c = std::cos(view.angle);
  const double s = std::sin(view.angle);
  const double half = static_cast<double>(size - 1) / 2;
  for (std::int64_t k = 0; k < points; ++k) {
    // The inverse of the map in render_view(), for the same view.
    const double x = landmarks[2 * k] - view.x;
    const double y = landmarks[2 * k + 1] - view.y;
    out[2 * k] = static_cast<float>((c * x + s * y) * scale + half);
    out[2 * k + 1] = static_cast<float>((c * y - s * x) * scale + half);
  }
}

void to_bytes(const Canvas& canvas, bool gray, std::uint8_t* out) {
  const auto byte = [](float value) {
    return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
  };
  const auto count = canvas.pixels.size();
  if (canvas.channels == 3 && gray)
    for (std::size_t i = 0; i < count; i += 3)
      // Luma weights of ITU-R BT.601, as in OpenCV.
      *out++ = byte(0.299F * canvas.pixels[i] + 0.587F * canvas.pixels[i + 1] +
                    0.114F * canvas.pixels[i + 2]);
  else
    for (std::size_t i = 0; i < count; ++i) *out++ = byte(canvas.pixels[i]);
}

struct ClipMemory {
  std::uint8_t* frames;
  float* landmarks;
  bool* damaged;
};

void make_clip(const Stills& stills, const std::vector<std::int64_t>& run,
               const MotionOptions& options, Random random, Canvas& canvas, ClipMemory out) {
  const CameraPath camera(stills, run, options, random);
  const Gaps gaps(options.frames, options.degradation, options.gaps, random);
  for (std::int64_t t = 0; t < options.frames; ++t) {
    const auto view = camera.at(static_cast<double>(t));
    // A single still serves all frames.
    const auto index = run.size() == 1 ? run.front() : run[static_cast<std::size_t>(t)];
    const auto& picture = stills.pictures[static_cast<std::size_t>(index)];
    canvas.size = options.size;
    canvas.channels = picture.channels;
    canvas.pixels.resize(static_cast<std::size_t>(options.size * options.size * picture.channels));
    render_view(picture, view, options.size, canvas.pixels.data());
    // Damage changes pixels only; landmarks stay exact.
    gaps.apply(canvas, t);
    out.damaged[t] = gaps.damages(t);
    to_bytes(canvas, options.gray,
             out.frames + t * options.size * options.size * (options.gray ? 1 : 3));
    place_landmarks(stills.landmarks_of(index), stills.points, view, options.size,
                    out.landmarks + t * stills.points * 2);
  }
}

void check_options(const MotionOptions& o) {
  const auto refuse = [](const std::string& what) {
    throw UsageError("faces in motion cannot be made: " + what,
                     "see MotionOptions for what each value means");
  };
  const auto require_fraction = [&](const char* name, double value) {
    if (!(value >= 0 && value <= 1))
      refuse(std::string(name) + " is " + number_text(value) + ", expected 0 to 1");
  };
  if (o.size < 1 || o.size > 4096)
    refuse("size is " + std::to_string(o.size) + ", expected 1 to 4096");
  if (o.frames < 1) refuse("frames is " + std::to_string(o.frames) + ", expected at least 1");
  if (!(o.period_low > 0) || !(o.period_high >= o.period_low))
    refuse("period_low must be above 0 and period_high not below it");
  require_fraction("degradation", o.degradation);
  require_fraction("camera", o.camera);
  require_fraction("jitter", o.jitter);
  if (!(o.enlarged - o.enlarged_spread > 0) || !(o.enlarged_spread >= 0))
    refuse("enlarged must be greater than enlarged_spread, and that not negative");
  const auto& e = o.gaps;
  if (e.kinds.empty()) refuse("no kind of damage is named");
  if (e.clear_low < 0 || e.clear_high < e.clear_low || e.gap_low < 1 || e.gap_high < e.gap_low)
    refuse(
        "clear runs and gaps need their lowest length not above their highest, gaps at least 1 "
        "frame");
}

Picture convert_picture(const at::Tensor& image, std::int64_t number, bool gray) {
  const bool fits = image.scalar_type() == at::kByte && image.numel() > 0 &&
                    (image.dim() == 2 || (image.dim() == 3 && image.size(2) == 3));
  if (!fits || (!gray && image.dim() == 2))
    throw UsageError(
        "image " + std::to_string(number) + " has shape " + shape_text(image.sizes()),
        gray ? "give [H, W] or [H, W, 3], uint8" : "give [H, W, 3], uint8, for colour clips");
  return {.pixels = image.const_data_ptr<std::uint8_t>(),
          .height = image.size(0),
          .width = image.size(1),
          .channels = image.dim() == 3 ? 3 : 1};
}

void check_landmarks(const Stills& stills, std::int64_t i) {
  const auto* p = stills.landmarks_of(i);
  const std::string whose = "the landmarks of image " + std::to_string(i);
  bool extent = false;
  for (std::int64_t k = 0; k < stills.points * 2; ++k) {
    if (!std::isfinite(p[k]))
      throw UsageError(whose + " are not finite", "leave the image out or correct them");
    // Compares each coordinate with that of the first point.
    extent = extent || p[k] != p[k % 2];
  }
  if (!extent)
    throw UsageError(whose + " all lie in one place", "leave the image out or correct them");
}

Stills check_stills(const std::vector<at::Tensor>& images, const at::Tensor& landmarks, bool gray) {
  const auto count = static_cast<std::int64_t>(images.size());
  if (landmarks.dim() != 3 || landmarks.size(0) != count || landmarks.size(1) < 1 ||
      landmarks.size(2) != 2)
    throw UsageError(std::to_string(count) + " images and landmarks of shape " +
                         shape_text(landmarks.sizes()) + " do not belong together",
                     "give landmarks [" + std::to_string(count) + ", K, 2]");
  Stills stills;
  stills.landmarks = landmarks.to(at::kFloat).contiguous();
  stills.points = landmarks.size(1);
  for (std::int64_t i = 0; i < count; ++i) {
    stills.kept.push_back(images[static_cast<std::size_t>(i)].contiguous());
    stills.pictures.push_back(convert_picture(stills.kept.back(), i, gray));
  }
  return stills;
}

void check_runs(const Stills& stills, const std::vector<std::vector<std::int64_t>>& runs,
                std::int64_t frames) {
  const auto count = static_cast<std::int64_t>(stills.pictures.size());
  std::vector<bool> seen(stills.pictures.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto length = std::ssize(runs[r]);
    if (length != 1 && length != frames)
      throw UsageError("run " + std::to_string(r) + " has " + std::to_string(length) +
                           " images, expected 1 or " + std::to_string(frames),
                       "give one still, or as many frames as a clip has");
    for (const auto i : runs[r]) {
      if (i < 0 || i >= count)
        throw UsageError("run " + std::to_string(r) + " names image " + std::to_string(i) + " of " +
                             std::to_string(count),
                         "number the images from 0");
      if (!seen[static_cast<std::size_t>(i)]) check_landmarks(stills, i);
      seen[static_cast<std::size_t>(i)] = true;
    }
  }
}

}  // namespace

MotionClips generate_face_motion(const std::vector<at::Tensor>& images, const at::Tensor& landmarks,
                                 const std::vector<std::vector<std::int64_t>>& runs,
                                 const MotionOptions& options, const Random& random) {
  check_options(options);
  const auto stills = check_stills(images, landmarks, options.gray);
  check_runs(stills, runs, options.frames);
  const auto n = std::ssize(runs);
  const auto frames = options.frames;
  const auto size = options.size;
  MotionClips clips{.frames = options.gray ? at::empty({n, frames, size, size}, at::kByte)
                                           : at::empty({n, frames, size, size, 3}, at::kByte),
                    .landmarks = at::empty({n, frames, stills.points, 2}, at::kFloat),
                    .damaged = at::empty({n, frames}, at::kBool)};
  const auto clip_bytes = frames * size * size * (options.gray ? 1 : 3);
  const auto clip_floats = frames * stills.points * 2;
  auto* bytes = clips.frames.data_ptr<std::uint8_t>();
  auto* points = clips.landmarks.data_ptr<float>();
  auto* damaged = clips.damaged.data_ptr<bool>();
  // One canvas per worker, reused for all its clips.
  std::vector<Canvas> canvases(static_cast<std::size_t>(count_workers(n, at::get_num_threads())));
  parallel_items(n, at::get_num_threads(), [&](std::int64_t worker, std::int64_t i) {
    make_clip(stills, runs[static_cast<std::size_t>(i)], options,
              random.split("faces in motion", i), canvases[static_cast<std::size_t>(worker)],
              {bytes + i * clip_bytes, points + i * clip_floats, damaged + i * frames});
  });
  return clips;
}

}  // namespace reprise::datasets
