#include "datasets/formats/video_integrity.h"

#include <ATen/core/Tensor.h>
#include <fmt/format.h>

#include <mutex>
#include <shared_mutex>
#include <string>

#include "core/error.h"
#include "datasets/formats/video_files.h"

namespace reprise::datasets {
namespace {

struct Decoded {
  std::int64_t frames = 0;
  std::string damage;
};

Decoded decode_all_frames(const std::filesystem::path& file) {
  VideoReader reader(file);
  Decoded decoded;
  for (; reader.next(); ++decoded.frames) reader.frame();
  decoded.damage = reader.damage();
  return decoded;
}

}  // namespace

std::int64_t check_video_integrity(const std::filesystem::path& file) {
  static std::shared_mutex decoding;
  Decoded decoded;
  {
    const std::shared_lock lock(decoding);
    decoded = decode_all_frames(file);
  }
  // The decoder's errors may be of a file that was decoded at the same time: once more, alone.
  if (!decoded.damage.empty()) {
    const std::unique_lock lock(decoding);
    decoded = decode_all_frames(file);
  }
  if (!decoded.damage.empty())
    throw UsageError(fmt::format("{}: {}", file.string(), decoded.damage),
                     "fetch the video again: it is cut short or damaged");
  return decoded.frames;
}

}  // namespace reprise::datasets
