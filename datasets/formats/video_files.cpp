#include "datasets/formats/video_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/outputs.h"
#include "datasets/formats/container.h"
#include "datasets/formats/decoder_log.h"
#include "datasets/formats/images.h"
#include "datasets/formats/orientation.h"

namespace reprise::datasets {

namespace fs = std::filesystem;

namespace {

constexpr const char* fetch_video = "fetch the video again: it is cut short or damaged";
constexpr double most_frame_pixels = 4096.0 * 4096.0;

}  // namespace

struct VideoReader::State {
  fs::path file;
  cv::VideoCapture capture;
  int orientation = 1;
  std::int64_t frames = 0;           ///< that next() went to
  std::int64_t errors = 0;           ///< that the decoder reported of this file
  double time = 0;                   ///< of the frame, ms
  double shortest = 0, longest = 0;  ///< time from one frame to the next, ms

  /// Calls use() and counts the decoder's errors on the way.
  template <typename Use>
  auto watch(const Use& use) {
    const auto before = decoder_errors().count;
    // The log of the decoder is global, so errors of this file are those that arrive during the
    // call.
    auto result = use();
    errors += decoder_errors().count - before;
    return result;
  }
};

VideoReader::VideoReader(const fs::path& file) : state_(std::make_unique<State>()) {
  state_->file = file;
  auto& capture = state_->capture;
  listen_to_decoder();
  if (!fs::is_regular_file(file))
    throw UsageError(file.string() + ": no such file", "fetch it, or name a video that exists");
  note_input(file);
  const auto name = name_for_ffmpeg(file);
  // FFmpeg reads most formats; OpenCV's own reader of MJPEG in .avi is there in every build.
  if (!state_->watch([&] {
        return capture.open(name, cv::CAP_FFMPEG) || capture.open(name, cv::CAP_OPENCV_MJPEG);
      }))
    throw UsageError(file.string() + ": the video does not open",
                     "fetch it again; OpenCV needs FFmpeg for all but MJPG in .avi");
  const double width = capture.get(cv::CAP_PROP_FRAME_WIDTH);
  const double height = capture.get(cv::CAP_PROP_FRAME_HEIGHT);
  // The condition also refuses NaN, which a damaged head may claim.
  if (!(width * height <= most_frame_pixels))
    throw UsageError(fmt::format("{}: frames of {} x {} pixels are larger than what is read",
                                 file.string(), width, height),
                     "fetch the video again, or make it smaller");
  // Automatic rotation stays off: OpenCV up to 4.6 confuses 90 and 270 degrees, and no version
  // mirrors.
  capture.set(cv::CAP_PROP_ORIENTATION_AUTO, 0);
  state_->orientation = video_orientation(file);
}

VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

bool VideoReader::next() {
  auto& state = *state_;
  if (!state.watch([&] { return state.capture.grab(); })) return false;
  // grab() reads and decodes without converting to a picture, so frames that nobody looks at stay
  // cheap.
  const double before = std::exchange(state.time, state.capture.get(cv::CAP_PROP_POS_MSEC));
  ++state.frames;
  // 0: unknown, as of the last frames that a decoder holds back.
  if (before > 0 && state.time > before) {
    const double step = state.time - before;
    state.shortest = state.longest > 0 ? std::min(state.shortest, step) : step;
    state.longest = std::max(state.longest, step);
  }
  return true;
}

at::Tensor VideoReader::frame() const {
  cv::Mat bgr;
  auto& state = *state_;
  if (!state.watch([&] { return state.capture.retrieve(bgr); }) || bgr.empty() ||
      bgr.channels() != 3)
    throw UsageError(state.file.string() + ": a frame cannot be decoded", fetch_video);
  auto frame = at::empty({bgr.rows, bgr.cols, 3}, at::kByte);
  cv::Mat rgb(bgr.rows, bgr.cols, CV_8UC3, frame.data_ptr());
  // OpenCV decodes to blue, green, red.
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return orient(frame, state.orientation);
}

std::string VideoReader::damage() const {
  const auto container = inspect_container(state_->file);
  // Edit lists and packed frames of intact files hide a few frames.
  const auto hidden = std::max<std::int64_t>(2, container.claimed / 50);
  const bool fewer = container.claimed > 0 && state_->frames < container.frames - hidden;
  std::string reason = container.problem;
  // For an AVI, only the container decides: FFmpeg reports errors in intact frames of OpenCV's own
  // writer.
  if (reason.empty() && !container.avi && state_->errors > 0)
    reason = fmt::format("the decoder reports {} errors, the last: {}", state_->errors,
                         decoder_errors().last);
  if (!fewer && reason.empty()) return "";
  const auto claimed = container.claimed > 0 ? container.claimed : metadata().frames;
  const auto count = claimed > 0 ? fmt::format("{} of {} frames", state_->frames, claimed)
                                 : fmt::format("{} frames", state_->frames);
  return count + " can be decoded" + (reason.empty() ? "" : ": " + reason);
}

bool VideoReader::has_uneven_timing() const {
  // Containers round times to a millisecond, and rates such as 23.976 are spread over whole ticks.
  constexpr double tick = 2;
  return state_->longest > 1.4 * state_->shortest + tick;
}

VideoMetadata VideoReader::metadata() const {
  VideoMetadata metadata;
  const double rate = state_->capture.get(cv::CAP_PROP_FPS);
  const double frames = state_->capture.get(cv::CAP_PROP_FRAME_COUNT);
  // Damaged or unusual containers claim impossible values; those count as unknown.
  if (rate > 0.1 && rate < 1000) metadata.rate = rate;
  if (frames > 0 && frames < 1e12) metadata.frames = static_cast<std::int64_t>(frames);
  return metadata;
}

FramesRead read_video(const fs::path& file,
                      const std::function<void(const at::Tensor& frame)>& see) {
  VideoReader reader(file);
  FramesRead read;
  std::string broken;
  while (broken.empty() && reader.next()) {
    at::Tensor frame;
    try {
      frame = reader.frame();
    } catch (const UsageError& error) {
      broken = error.problem();
      break;
    }
    see(frame);
    ++read.frames;
  }
  if (read.frames == 0)
    throw UsageError(file.string() + ": the video has no frame that can be decoded", fetch_video);
  // The container's report is preferred: it counts the frames that are missing.
  const auto damage = reader.damage();
  if (!damage.empty())
    read.problems.emplace_back(fmt::format("{}: {}", file.string(), damage), fetch_video);
  else if (!broken.empty())
    read.problems.emplace_back(broken, fetch_video);
  read.uneven_timing = reader.has_uneven_timing();
  return read;
}

FramesRead read_frames(const fs::path& source,
                       const std::function<void(const at::Tensor& frame)>& see,
                       const std::function<void()>& miss) {
  if (!fs::is_directory(source)) return read_video(source, see);
  const auto pictures = list_media(source, Media::Pictures, Depth::OneFolder).files;
  if (pictures.empty())
    throw UsageError(
        source.string() + ": no picture is in this folder",
        fmt::format("give a video, or a folder with pictures ({})", list_endings(Media::Pictures)));
  FramesRead read;
  for (const auto& picture : pictures) {
    std::optional<at::Tensor> frame;
    try {
      frame = read_image(picture);
    } catch (const Error& error) {
      if (!miss) throw;
      read.problems.emplace_back(error.problem(), error.fix());
    }
    // A damaged picture keeps its place in the sequence, so that frame numbers stay right.
    frame ? see(*frame) : miss();
    ++read.frames;
  }
  if (read.problems.size() == pictures.size()) throw UsageError(read.problems.front());
  return read;
}

VideoMetadata read_video_metadata(const fs::path& source) {
  VideoMetadata metadata;
  if (fs::is_directory(source)) {
    metadata.frames = static_cast<std::int64_t>(
        list_media(source, Media::Pictures, Depth::OneFolder).files.size());
    return metadata;
  }
  try {
    // A video that does not open has unknown metadata; reading it reports the error.
    return VideoReader(source).metadata();
  } catch (const UsageError&) {
    return metadata;
  }
}

struct VideoWriter::State {
  fs::path path;
  fs::path temporary;
  double rate = 25;
  cv::VideoWriter writer;
  cv::Size size, written;  ///< of the frames, and of the file's
  std::int64_t frames = 0;
};

VideoWriter::VideoWriter(const fs::path& path, double rate) : state_(std::make_unique<State>()) {
  const auto ending = path.extension();
  if (ending != ".avi" && ending != ".mp4")
    throw UsageError(path.string() + ": a video of an unknown kind",
                     "end its name in .avi or .mp4");
  state_->path = path;
  // OpenCV's own MJPEG writer stores whole rates only.
  state_->rate = ending == ".avi" ? std::max(1.0, std::round(rate)) : rate;
  expect_output(path);  // before the first frame, which may come hours before the last
  // The ending must stay: the container is chosen by it.
  state_->temporary =
      find_target(path).parent_path() /
      fmt::format(".{}.{}.tmp{}", path.stem().string(), ::getpid(), ending.string());
}

VideoWriter::~VideoWriter() {
  // Reached without close() after an error: the incomplete file is removed.
  if (!state_->writer.isOpened() && state_->frames == 0) return;
  state_->writer.release();
  std::error_code ignored;
  fs::remove(state_->temporary, ignored);
}

void VideoWriter::write(const at::Tensor& frame) {
  const auto pixels = frame.contiguous();
  const cv::Mat rgb(static_cast<int>(pixels.size(0)), static_cast<int>(pixels.size(1)), CV_8UC3,
                    pixels.data_ptr());
  auto& state = *state_;
  if (state.frames == 0) {
    std::error_code ignored;
    if (state.path.has_parent_path()) fs::create_directories(state.path.parent_path(), ignored);
    // MJPEG in .avi needs no FFmpeg. MPEG-4 Part 2 is the encoder of .mp4 that every FFmpeg has.
    const bool avi = state.path.extension() == ".avi";
    const int codec = avi ? cv::VideoWriter::fourcc('M', 'J', 'P', 'G')
                          : cv::VideoWriter::fourcc('m', 'p', '4', 'v');
    state.size = state.written = rgb.size();
    // OpenCV leaves out the last row and column of an odd size.
    if (!avi)
      state.written = {state.size.width + state.size.width % 2,
                       state.size.height + state.size.height % 2};
    if (!state.writer.open(name_for_ffmpeg(state.temporary),
                           avi ? cv::CAP_OPENCV_MJPEG : cv::CAP_FFMPEG, codec, state.rate,
                           state.written))
      throw Error(fmt::format("{}: a video of {} x {} pixels cannot be opened for writing",
                              state.path.string(), rgb.cols, rgb.rows),
                  avi ? "check the folder, your rights to it, and the free space on its disk"
                      : "check the folder, or write .avi: .mp4 needs an OpenCV with FFmpeg");
  }
  if (rgb.size() != state.size)
    throw UsageError(
        fmt::format("{}: frame {} has {} x {} pixels, the first {} x {}", state.path.string(),
                    state.frames, rgb.cols, rgb.rows, state.size.width, state.size.height),
        "give frames of one size");
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  if (state.written != state.size)
    // Repeating the last row and column is less visible than a black line.
    cv::copyMakeBorder(bgr, bgr, 0, state.written.height - state.size.height, 0,
                       state.written.width - state.size.width, cv::BORDER_REPLICATE);
  state.writer.write(bgr);
  ++state.frames;
}

std::string VideoWriter::size_note() const {
  const auto& state = *state_;
  if (state.written == state.size) return "";
  return fmt::format(
      "{}: frames of {} x {} pixels are written as {} x {}, the last row or column repeated: .mp4 "
      "has even sides\n",
      state.path.string(), state.size.width, state.size.height, state.written.width,
      state.written.height);
}

void VideoWriter::close() {
  auto& state = *state_;
  if (state.frames == 0)
    throw Error(state.path.string() + ": no frame was written", "give a video with frames");
  state.writer.release();
  // OpenCV tells nothing of what could not be written; the closed file does.
  const auto held = read_video_metadata(state.temporary).frames;
  if (held != state.frames)
    throw Error(
        fmt::format("{}: the file holds {} of {} frames", state.path.string(), held, state.frames),
        "free some space or choose another folder");
  put_in_place(state.temporary, state.path);
  state.frames = 0;
}

}  // namespace reprise::datasets
