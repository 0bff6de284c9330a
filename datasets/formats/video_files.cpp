#include "datasets/formats/video_files.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "datasets/formats/images.h"

namespace reprise::datasets {

namespace fs = std::filesystem;

namespace {

constexpr double most_frame_pixels = 4096.0 * 4096.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// frame2 before frame10: digits by the number that they make, all else by its characters.
bool in_order(const std::string& a, const std::string& b) {
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    if (!is_digit(a[i]) || !is_digit(b[k])) {
      if (a[i] != b[k]) return a[i] < b[k];
      ++i, ++k;
      continue;
    }
    const auto digits = [](const std::string& text, std::size_t& at) {
      while (at < text.size() && text[at] == '0') ++at;
      const auto first = at;
      while (at < text.size() && is_digit(text[at])) ++at;
      return text.substr(first, at - first);
    };
    const auto from_a = digits(a, i), from_b = digits(b, k);
    if (from_a != from_b) return from_a.size() != from_b.size() ? from_a.size() < from_b.size() : from_a < from_b;
  }
  if ((i < a.size()) != (k < b.size())) return k < b.size();
  return a < b;
}

}  // namespace

std::vector<fs::path> pictures_in(const fs::path& folder) {
  std::vector<fs::path> pictures;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    auto ending = entry->path().extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".png" || ending == ".jpg" || ending == ".jpeg" || ending == ".bmp") pictures.push_back(entry->path());
  }
  if (error) throw UsageError(fmt::format("{}: the folder cannot be read: {}", folder.string(), error.message()), "check the path");
  std::ranges::sort(pictures, [](const fs::path& a, const fs::path& b) { return in_order(a.filename().string(), b.filename().string()); });
  return pictures;
}

bool is_video(const std::filesystem::path& path) {
  auto ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto known = {".avi", ".mp4", ".m4v", ".mpg", ".mpeg", ".mov", ".mkv", ".webm", ".wmv"};
  return std::ranges::find(known, ending) != known.end();
}

struct VideoReader::State {
  fs::path file;
  cv::VideoCapture capture;
};

VideoReader::VideoReader(const fs::path& file) : state_(std::make_unique<State>(State{.file = file, .capture = {}})) {
  auto& capture = state_->capture;
  if (!fs::is_regular_file(file)) throw UsageError(file.string() + ": no such file", "fetch it, or name a video that exists");
  if (!capture.open(file.string(), cv::CAP_FFMPEG) && !capture.open(file.string(), cv::CAP_OPENCV_MJPEG))
    throw UsageError(file.string() + ": the video does not open", "fetch it again; OpenCV needs FFmpeg for all but MJPG in .avi");
  const double width = capture.get(cv::CAP_PROP_FRAME_WIDTH), height = capture.get(cv::CAP_PROP_FRAME_HEIGHT);
  if (!(width * height <= most_frame_pixels))
    throw UsageError(fmt::format("{}: frames of {} x {} pixels are larger than what is read", file.string(), width, height),
                     "fetch the video again, or make it smaller");
}

VideoReader::~VideoReader() = default;
VideoReader::VideoReader(VideoReader&&) noexcept = default;
VideoReader& VideoReader::operator=(VideoReader&&) noexcept = default;

bool VideoReader::next() { return state_->capture.grab(); }

at::Tensor VideoReader::frame() const {
  cv::Mat bgr;
  if (!state_->capture.retrieve(bgr) || bgr.empty() || bgr.channels() != 3)
    throw UsageError(state_->file.string() + ": a frame cannot be decoded", "fetch the video again: it is damaged");
  auto frame = at::empty({bgr.rows, bgr.cols, 3}, at::kByte);
  cv::Mat rgb(bgr.rows, bgr.cols, CV_8UC3, frame.data_ptr());
  cv::cvtColor(bgr, rgb, cv::COLOR_BGR2RGB);
  return frame;
}

VideoFacts VideoReader::facts() const {
  VideoFacts facts;
  const double rate = state_->capture.get(cv::CAP_PROP_FPS), frames = state_->capture.get(cv::CAP_PROP_FRAME_COUNT);
  if (rate > 0.1 && rate < 1000) facts.rate = rate;
  if (frames > 0 && frames < 1e12) facts.frames = static_cast<std::int64_t>(frames);
  return facts;
}

std::int64_t read_video(const fs::path& file, const std::function<void(const at::Tensor& frame)>& see) {
  VideoReader reader(file);
  std::int64_t count = 0;
  for (; reader.next(); ++count) see(reader.frame());
  if (count == 0) throw UsageError(file.string() + ": the video has no frame", "fetch it again: it is cut short or damaged");
  return count;
}

std::int64_t read_frames(const fs::path& source, const std::function<void(const at::Tensor& frame)>& see) {
  if (!fs::is_directory(source)) return read_video(source, see);
  const auto pictures = pictures_in(source);
  if (pictures.empty())
    throw UsageError(source.string() + ": no picture is in this folder", "give a folder with .png, .jpg, .jpeg or .bmp files, or a video");
  for (const auto& picture : pictures) see(read_image(picture));
  return static_cast<std::int64_t>(pictures.size());
}

VideoFacts video_facts(const fs::path& source) {
  VideoFacts facts;
  if (fs::is_directory(source)) {
    facts.frames = static_cast<std::int64_t>(pictures_in(source).size());
    return facts;
  }
  try {
    return VideoReader(source).facts();
  } catch (const UsageError&) {
    return facts;
  }
}

struct VideoWriter::State {
  fs::path path, temporary;
  double rate = 25;
  cv::VideoWriter writer;
  cv::Size size;
  std::int64_t frames = 0;
};

VideoWriter::VideoWriter(const fs::path& path, double rate) : state_(std::make_unique<State>()) {
  const auto ending = path.extension();
  if (ending != ".avi" && ending != ".mp4")
    throw UsageError(path.string() + ": a video of an unknown kind", "end its name in .avi or .mp4");
  state_->path = path, state_->rate = ending == ".avi" ? std::max(1.0, std::round(rate)) : rate;
  // The ending must stay: the container is chosen by it.
  state_->temporary = path.parent_path() / fmt::format(".{}.{}.tmp{}", path.stem().string(), ::getpid(), ending.string());
}

VideoWriter::~VideoWriter() {
  if (!state_->writer.isOpened() && state_->frames == 0) return;
  state_->writer.release();
  std::error_code ignored;
  fs::remove(state_->temporary, ignored);
}

void VideoWriter::write(const at::Tensor& frame) {
  const auto pixels = frame.contiguous();
  const cv::Mat rgb(static_cast<int>(pixels.size(0)), static_cast<int>(pixels.size(1)), CV_8UC3, pixels.data_ptr());
  auto& state = *state_;
  if (state.frames == 0) {
    std::error_code ignored;
    if (state.path.has_parent_path()) fs::create_directories(state.path.parent_path(), ignored);
    const bool avi = state.path.extension() == ".avi";
    const int codec = avi ? cv::VideoWriter::fourcc('M', 'J', 'P', 'G') : cv::VideoWriter::fourcc('m', 'p', '4', 'v');
    state.size = rgb.size();
    if (!state.writer.open(state.temporary.string(), avi ? cv::CAP_OPENCV_MJPEG : cv::CAP_FFMPEG, codec, state.rate, state.size))
      throw Error(fmt::format("{}: a video of {} x {} pixels cannot be opened for writing", state.path.string(), rgb.cols, rgb.rows),
                  avi ? "check the folder, your rights to it, and the room on its disk"
                      : "check the folder, or write .avi: .mp4 needs an OpenCV with FFmpeg");
  }
  if (rgb.size() != state.size)
    throw UsageError(fmt::format("{}: frame {} has {} x {} pixels, the first {} x {}", state.path.string(), state.frames, rgb.cols,
                                 rgb.rows, state.size.width, state.size.height),
                     "give frames of one size");
  cv::Mat bgr;
  cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
  state.writer.write(bgr);
  ++state.frames;
}

void VideoWriter::close() {
  auto& state = *state_;
  if (state.frames == 0) throw Error(state.path.string() + ": no frame was written", "give a video with frames");
  state.writer.release();
  // OpenCV tells nothing of what could not be written; the closed file does.
  const auto held = video_facts(state.temporary).frames;
  std::error_code reason;
  if (held != state.frames)
    throw Error(fmt::format("{}: the file holds {} of {} frames", state.path.string(), held, state.frames),
                "free some space or choose another folder");
  fs::rename(state.temporary, state.path, reason);
  if (reason)
    throw Error(fmt::format("cannot put {} in place: {}", state.path.string(), reason.message()), "check the path and your rights to it");
  state.frames = 0;
}

}  // namespace reprise::datasets
