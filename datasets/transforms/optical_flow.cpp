#include "datasets/transforms/optical_flow.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <opencv2/core.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <optional>
#include <string_view>
#ifdef REPRISE_TVL1
#include <opencv2/optflow.hpp>
#endif

#include "core/error.h"
#include "core/files.h"
#include "core/outputs.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/text.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

/// Restricts OpenCV's own loops to one thread during its lifetime.
class OneThread {
 public:
  OneThread() : before_(cv::getNumThreads()) { cv::setNumThreads(1); }
  ~OneThread() { cv::setNumThreads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

/// Parameters of the methods as part of the cache's key. They change together with those below, so
/// that old caches are not used for new parameters.
constexpr const char* tvl1_parameters =
    "tau 0.25, lambda 0.15, theta 0.3, scales 5, step 0.8, warps 3, epsilon 0.05, iterations 15 x "
    "2, median 5";
constexpr const char* dis_parameters = "preset medium, finest scale 0";

constexpr bool has_tvl1 =
#ifdef REPRISE_TVL1
    true;
#else
    false;
#endif

void require_built(FlowMethod method) {
  if (!has_flow_method(method))
    throw UsageError(
        "this build has no TV-L1 flow",
        "use dis; or install libopencv-contrib-dev, remove build/ and run ./reprise again, which "
        "then finds it");
}

cv::Ptr<cv::DenseOpticalFlow> create_flow(FlowMethod method) {
  require_built(method);
#ifdef REPRISE_TVL1
  if (method == FlowMethod::TvL1) {
    // OpenCV's default is 5 warps of up to 30 x 10 iterations. It takes nine times as long and
    // changes the flow by a hundredth of a pixel.
    return cv::optflow::DualTVL1OpticalFlow::create(0.25, 0.15, 0.3, 5, 3, 0.05, 15, 2, 0.8, 0, 5);
  }
#endif
  auto flow = cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM);
  flow->setFinestScale(0);  // small pictures: no pixel to lose
  return flow;
}

void require_frames(const at::Tensor& first, const at::Tensor& second) {
  const bool shaped = first.dim() == 3 || (first.dim() == 4 && first.size(3) == 3);
  if (first.sizes() != second.sizes() || !shaped || first.scalar_type() != at::kByte ||
      second.scalar_type() != at::kByte)
    throw UsageError("no flow between frames of shapes " + shape_text(first.sizes()) + " and " +
                         shape_text(second.sizes()),
                     "give two uint8 tensors of one shape, [T, H, W, 3] or [T, H, W]");
  if (first.size(1) < 16 || first.size(2) < 16)
    throw UsageError(fmt::format("frames of {} x {} pixels are too small for optical flow",
                                 first.size(2), first.size(1)),
                     "use frames of at least 16 x 16 pixels");
}

cv::Mat gray_matrix(const at::Tensor& frames, std::int64_t t) {
  const auto frame = frames[t];
  cv::Mat view(static_cast<int>(frame.size(0)), static_cast<int>(frame.size(1)),
               frame.dim() == 3 ? CV_8UC3 : CV_8UC1, frame.data_ptr());
  if (frame.dim() == 2) return view;
  cv::Mat gray;
  cv::cvtColor(view, gray, cv::COLOR_RGB2GRAY);
  return gray;
}

/// Returns the tensor's memory as text, for hashing.
std::string_view view_bytes(const at::Tensor& tensor) {
  return {static_cast<const char*>(tensor.data_ptr()), static_cast<std::size_t>(tensor.numel())};
}

/// Reads the frames of a cached file. It consists of the SHA-256 of the PNG in hexadecimal, a line
/// end, and the PNG with the frames stacked.
std::optional<at::Tensor> read_cached(const fs::path& file, at::IntArrayRef shape) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return std::nullopt;
  std::string bytes;
  try {
    bytes = read_file(file);
  } catch (const Error&) {
    // An unreadable file counts as damaged: it is computed again, and writing it reports the error.
    return std::nullopt;
  }
  // 64 hexadecimal digits and the line end.
  const auto body = std::string_view(bytes).substr(std::min<std::size_t>(65, bytes.size()));
  if (bytes.size() < 66 || std::string_view(bytes).substr(0, 64) != sha256(body))
    return std::nullopt;
  const cv::Mat bgr = cv::imdecode(
      cv::Mat(1, static_cast<int>(body.size()), CV_8UC1, const_cast<char*>(body.data())),
      cv::IMREAD_COLOR);
  if (bgr.rows != shape[0] * shape[1] || bgr.cols != shape[2]) return std::nullopt;
  auto frames = at::empty({shape[0], shape[1], shape[2], 3}, at::kByte);
  cv::Mat rgb(bgr.rows, bgr.cols, CV_8UC3, frames.data_ptr());
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return frames;
}

void write_cached(const fs::path& file, const at::Tensor& frames) {
  const cv::Mat rgb(static_cast<int>(frames.size(0) * frames.size(1)),
                    static_cast<int>(frames.size(2)), CV_8UC3, frames.data_ptr());
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  std::vector<unsigned char> png;
  if (!cv::imencode(".png", bgr, png))
    throw Error(file.string() + ": the flow could not be encoded as PNG",
                "check the OpenCV installation");
  const std::string_view body(reinterpret_cast<const char*>(png.data()), png.size());
  note_own(file);
  write_file(file, fmt::format("{}\n{}", sha256(body), body));
}

}  // namespace

bool has_flow_method(FlowMethod method) { return method == FlowMethod::Dis || has_tvl1; }

std::string flow_method_name(FlowMethod method) {
  return method == FlowMethod::TvL1 ? "tvl1" : "dis";
}

FlowMethod find_flow_method(const std::string& name) {
  for (const auto method : {FlowMethod::Dis, FlowMethod::TvL1}) {
    if (name != flow_method_name(method)) continue;
    require_built(method);
    return method;
  }
  throw UsageError("there is no optical flow named \"" + name + "\"", "name dis or tvl1");
}

at::Tensor compute_optical_flow(const at::Tensor& first, const at::Tensor& second,
                                FlowMethod method) {
  require_frames(first, second);
  const auto a = first.contiguous();
  const auto b = second.contiguous();
  // DIS gives other vectors with other numbers of threads, so each call uses one.
  const OneThread one;
  auto result = at::zeros({a.size(0), a.size(1), a.size(2), 2}, at::kFloat);
  std::vector<cv::Ptr<cv::DenseOpticalFlow>> flows;
  for (std::int64_t worker = 0; worker < count_workers(a.size(0), at::get_num_threads()); ++worker)
    // One object per worker, because OpenCV's flow objects keep buffers between calls.
    flows.push_back(create_flow(method));
  parallel_items(a.size(0), at::get_num_threads(), [&](std::int64_t worker, std::int64_t t) {
    cv::Mat vectors;
    flows[static_cast<std::size_t>(worker)]->calc(gray_matrix(a, t), gray_matrix(b, t), vectors);
    cv::Mat target(vectors.rows, vectors.cols, CV_32FC2, result[t].data_ptr());
    vectors.copyTo(target);
  });
  return result;
}

at::Tensor flow_image(const at::Tensor& flow, double range) {
  if (!(range > 0))
    throw UsageError(fmt::format("a flow image of range {} shows nothing", range),
                     "use a range above 0, in pixels");
  if (flow.dim() < 1 || flow.size(-1) != 2)
    throw UsageError("no flow has shape " + shape_text(flow.sizes()),
                     "give x and y as the last of its dimensions");
  const auto unit = flow.to(at::kFloat) / range;
  // 128 is no motion, so that a picture at rest is a uniform gray in the first two channels.
  const auto way = (unit.clamp(-1, 1) * 127 + 128).round();
  const auto speed = (unit.square().sum(-1, true).sqrt().clamp_max(1) * 255).round();
  return at::cat({way, speed}, -1).to(at::kByte);
}

fs::path flow_cache_file(const at::Tensor& first, const at::Tensor& second,
                         const FlowOptions& options) {
  const auto a = first.contiguous();
  const auto b = second.contiguous();
  const bool tvl1 = options.method == FlowMethod::TvL1;
  // Everything that changes the numbers is part of the key. "1" is the version of this format.
  const std::string what = fmt::format(
      "flow image 1; {}; {}; OpenCV {}; range {}; {}; {} {}", flow_method_name(options.method),
      tvl1 ? tvl1_parameters : dis_parameters, CV_VERSION, options.range, shape_text(a.sizes()),
      sha256(view_bytes(a)), sha256(view_bytes(b)));
  return options.cache / (sha256(what) + ".flow");
}

at::Tensor compute_flow_images(const at::Tensor& first, const at::Tensor& second,
                               const FlowOptions& options) {
  require_frames(first, second);
  if (options.cache.empty())
    return flow_image(compute_optical_flow(first, second, options.method), options.range);
  const auto file = flow_cache_file(first, second, options);
  if (const auto kept = read_cached(file, first.sizes())) return *kept;
  const auto images =
      flow_image(compute_optical_flow(first, second, options.method), options.range).contiguous();
  write_cached(file, images);
  return images;
}

}  // namespace reprise::datasets
