#include "datasets/formats/whole_video.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "core/error.h"
#include "core/regular_file.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* fetch_whole_video = "fetch the video again: it is cut short or damaged";

/// What ends the walk through an AVI.
[[noreturn]] void not_whole(const std::string& problem) { throw UsageError(problem, fetch_whole_video); }

/// Walks the chunks of an AVI: 4 letters, 4 bytes of size, the content, padded to an even size. RIFF and LIST hold 4 letters and chunks.
class AviWalk {
 public:
  explicit AviWalk(const fs::path& file) : bytes_(file), size_(bytes_.size()) {}

  void check() {
    if (head(0).id != "RIFF" || letters(8) != "AVI ") return;
    std::uint64_t at = 0;
    // Beyond 1 GiB more RIFF chunks follow; what is none is left to whoever wrote it there.
    while (at + 12 <= size_ && head(at).id == "RIFF") at = list(at, size_, 0);
    if (claimed_ > 0 && frames_ < claimed_) not_whole(fmt::format("its head counts {} frames, and {} are there", claimed_, frames_));
  }
  std::int64_t claimed() const { return static_cast<std::int64_t>(claimed_); }

 private:
  struct Head {
    std::string id;
    std::uint64_t size = 0;
  };

  std::string letters(std::uint64_t at) {
    std::string text(4, '\0');
    bytes_.seek(at);
    if (bytes_.read(text.data(), 4) < 4) not_whole(fmt::format("ends inside the chunk at byte {}", at));
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
    if (size != 0 && after > end) not_whole(fmt::format("the {} at byte {} has {} bytes, and {} are left", id, at, size, end - at - 8));
    const auto last = size == 0 ? end : after;
    for (auto child = at + 12; child + 8 <= last;) child = chunk(child, last, depth);
    return last + last % 2;
  }

  std::uint64_t chunk(std::uint64_t at, std::uint64_t end, int depth) {
    const auto [id, size] = head(at);
    if (!std::ranges::all_of(id, [](char c) { return c >= ' ' && c <= '~'; }))
      not_whole(fmt::format("at byte {}, where a chunk begins, are other bytes", at));
    if (id == "LIST" && depth < 4) return list(at, end, depth + 1);
    if (at + 8 + size > end) not_whole(fmt::format("the chunk {} at byte {} has {} bytes, and {} are left", id, at, size, end - at - 8));
    if (id == "avih" && size >= 20) claimed_ = number(at + 8 + 16);
    // "00dc": stream 0, compressed; "00db": as it is. The first stream of pictures is the one that is decoded.
    if (id.ends_with("dc") || id.ends_with("db")) {
      if (stream_.empty()) stream_ = id.substr(0, 2);
      if (id.starts_with(stream_)) ++frames_;
    }
    return at + 8 + size + size % 2;
  }

  RegularFile bytes_;
  std::uint64_t size_, claimed_ = 0, frames_ = 0;
  std::string stream_;
};

struct Decoded {
  std::int64_t frames = 0;
  std::string damage;
};

Decoded decode_whole(const fs::path& file) {
  VideoReader reader(file);
  Decoded decoded;
  for (; reader.next(); ++decoded.frames) reader.frame();
  decoded.damage = reader.damage();
  return decoded;
}

}  // namespace

bool counts_frames(const fs::path& file) {
  auto ending = file.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".avi" || ending == ".mp4" || ending == ".m4v" || ending == ".mov";
}

AviState inspect_avi(const fs::path& file) {
  AviWalk walk(file);
  AviState state;
  try {
    walk.check();
  } catch (const UsageError& error) {
    state.problem = error.problem();
  }
  state.claimed = walk.claimed();
  return state;
}

void check_avi(const fs::path& file) {
  const auto problem = inspect_avi(file).problem;
  if (!problem.empty()) throw UsageError(fmt::format("{}: {}", file.string(), problem), fetch_whole_video);
}

std::int64_t check_whole_video(const fs::path& file) {
  static std::shared_mutex decoding;
  Decoded decoded;
  {
    const std::shared_lock lock(decoding);
    decoded = decode_whole(file);
  }
  // The decoder's errors may be of a file that was decoded beside this one: once more, alone.
  if (!decoded.damage.empty()) {
    const std::unique_lock lock(decoding);
    decoded = decode_whole(file);
  }
  if (!decoded.damage.empty()) throw UsageError(fmt::format("{}: {}", file.string(), decoded.damage), fetch_whole_video);
  return decoded.frames;
}

}  // namespace reprise::datasets
