#include "datasets/formats/whole_video.h"

#include <ATen/core/Tensor.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "core/error.h"
#include "core/regular_file.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* fetch_video = "fetch the video again: it is cut short or damaged";

[[noreturn]] void not_whole(const fs::path& file, const std::string& problem) {
  throw UsageError(fmt::format("{}: {}", file.string(), problem), fetch_video);
}

/// Walks the chunks of an AVI: 4 letters, 4 bytes of size, the content, padded to an even size. RIFF and LIST hold 4 letters and chunks.
class AviWalk {
 public:
  explicit AviWalk(const fs::path& file) : file_(file), bytes_(file), size_(bytes_.size()) {}

  void check() {
    if (head(0).id != "RIFF" || letters(8) != "AVI ") return;
    std::uint64_t at = 0;
    // Beyond 1 GiB more RIFF chunks follow; what is none is left to whoever wrote it there.
    while (at + 12 <= size_ && head(at).id == "RIFF") at = list(at, size_, 0);
    if (claimed_ > 0 && frames_ < claimed_) not_whole(file_, fmt::format("its head counts {} frames, and {} are there", claimed_, frames_));
  }

 private:
  struct Head {
    std::string id;
    std::uint64_t size = 0;
  };

  std::string letters(std::uint64_t at) {
    std::string text(4, '\0');
    bytes_.seek(at);
    if (bytes_.read(text.data(), 4) < 4) not_whole(file_, fmt::format("ends inside the chunk at byte {}", at));
    return text;
  }
  std::uint64_t number(std::uint64_t at) {
    const auto text = letters(at);
    std::uint64_t value = 0;
    for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(text[i]);
    return value;
  }
  Head head(std::uint64_t at) {
    if (at + 8 > size_) return {};
    return {letters(at), number(at + 4)};
  }

  /// A RIFF or LIST at `at`, which ends by `end`: the byte after it.
  std::uint64_t list(std::uint64_t at, std::uint64_t end, int depth) {
    const auto [id, size] = head(at);
    const auto after = at + 8 + size;
    // 0: a writer that never came to fill it in, as in a stream.
    if (size != 0 && after > end)
      not_whole(file_, fmt::format("the {} at byte {} has {} bytes, and {} are left", id, at, size, end - at - 8));
    const auto last = size == 0 ? end : after;
    for (auto child = at + 12; child + 8 <= last;) child = chunk(child, last, depth);
    return last + last % 2;
  }

  std::uint64_t chunk(std::uint64_t at, std::uint64_t end, int depth) {
    const auto [id, size] = head(at);
    if (!std::ranges::all_of(id, [](char c) { return c >= ' ' && c <= '~'; }))
      not_whole(file_, fmt::format("at byte {}, where a chunk begins, are other bytes", at));
    if (id == "LIST" && depth < 4) return list(at, end, depth + 1);
    if (at + 8 + size > end)
      not_whole(file_, fmt::format("the chunk {} at byte {} has {} bytes, and {} are left", id, at, size, end - at - 8));
    if (id == "avih" && size >= 20) claimed_ = number(at + 8 + 16);
    // "00dc": stream 0, compressed; "00db": as it is. The first stream of pictures is the one that is decoded.
    if (id.ends_with("dc") || id.ends_with("db")) {
      if (stream_.empty()) stream_ = id.substr(0, 2);
      if (id.starts_with(stream_)) ++frames_;
    }
    return at + 8 + size + size % 2;
  }

  const fs::path& file_;
  RegularFile bytes_;
  std::uint64_t size_, claimed_ = 0, frames_ = 0;
  std::string stream_;
};

/// What FFmpeg's log says at the level of errors, from any of its threads; a line names no file.
struct DecoderLog {
  std::atomic<std::int64_t> errors = 0;
  std::mutex mutex;
  std::string last;
};
DecoderLog& decoder_log() {
  static DecoderLog log;
  return log;
}

void hear(void*, int level, const char* format, va_list arguments) {
  constexpr int error_level = 16;  // AV_LOG_ERROR
  if (level > error_level) return;
  std::array<char, 200> text{};
  std::vsnprintf(text.data(), text.size(), format, arguments);
  auto& log = decoder_log();
  const std::lock_guard lock(log.mutex);
  log.last = text.data();
  while (!log.last.empty() && log.last.back() == '\n') log.last.pop_back();
  ++log.errors;
}

/// From now on FFmpeg's log goes to hear() and not to standard error. OpenCV brings FFmpeg or does not; nothing is linked for it.
void listen_to_decoder() {
  static const bool once = [] {
    using Callback = void (*)(void*, int, const char*, va_list);
    const auto set = reinterpret_cast<void (*)(Callback)>(::dlsym(RTLD_DEFAULT, "av_log_set_callback"));
    if (set) set(&hear);
    return set != nullptr;
  }();
  (void)once;
}

struct Decoded {
  std::int64_t frames = 0, claimed = 0, errors = 0;
};

Decoded decode_whole(const fs::path& file) {
  const auto before = decoder_log().errors.load();
  Decoded decoded;
  {
    VideoReader reader(file);
    decoded.claimed = reader.facts().frames;
    for (; reader.next(); ++decoded.frames) reader.frame();
  }
  decoded.errors = decoder_log().errors - before;
  return decoded;
}

bool counts_frames(const fs::path& file) {
  auto ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".avi" || ending == ".mp4" || ending == ".m4v" || ending == ".mov";
}

}  // namespace

void check_avi(const fs::path& file) { AviWalk(file).check(); }

std::int64_t check_whole_video(const fs::path& file) {
  listen_to_decoder();
  if (fs::is_regular_file(file)) check_avi(file);
  static std::shared_mutex decoding;
  Decoded decoded;
  {
    const std::shared_lock lock(decoding);
    decoded = decode_whole(file);
  }
  if (decoded.errors > 0) {  // this file's or one's that was decoded beside it: once more, alone
    const std::unique_lock lock(decoding);
    decoded = decode_whole(file);
    const std::lock_guard text(decoder_log().mutex);
    if (decoded.errors > 0) not_whole(file, fmt::format("the decoder reports {} errors, the last: {}", decoded.errors, decoder_log().last));
  }
  const auto allowed = std::max<std::int64_t>(2, decoded.claimed / 50);
  if (counts_frames(file) && decoded.frames < decoded.claimed - allowed)
    not_whole(file, fmt::format("{} of {} frames can be decoded", decoded.frames, decoded.claimed));
  return decoded.frames;
}

}  // namespace reprise::datasets
