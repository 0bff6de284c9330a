#include "datasets/formats/frame_reader.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "datasets/formats/images.h"

namespace reprise::datasets {

FrameReader::FrameReader(const std::filesystem::path& source) : source_(source) {
  if (std::filesystem::is_directory(source)) {
    pictures_ = list_media(source, Media::Pictures, Depth::OneFolder).files;
    count_ = static_cast<std::int64_t>(pictures_.size());
    if (pictures_.empty())
      throw UsageError(
          source.string() + ": no picture is in this folder",
          fmt::format("give a folder with pictures ({})", list_endings(Media::Pictures)));
    return;
  }
  if (!std::filesystem::is_regular_file(source))
    throw UsageError(source.string() + ": the file is missing", "fetch it, or remove its item");
  // A .png is a strip of frames; all other files are videos.
  const auto ending = source.extension();
  if (ending == ".png" || ending == ".PNG")
    open_strip();
  else
    video_.emplace(source);
}

bool FrameReader::next() { return video_ ? video_->next() : ++at_ < count_; }

at::Tensor FrameReader::frame() {
  if (video_) return video_->frame();
  if (!strip_.defined()) return picture();
  // Frames are squares along the longer side of the strip.
  const auto side = std::min(strip_.size(0), strip_.size(1));
  return strip_.narrow(strip_.size(1) > strip_.size(0) ? 1 : 0, at_ * side, side).contiguous();
}

at::Tensor FrameReader::picture() {
  const auto& file = pictures_[static_cast<std::size_t>(at_)];
  auto pixels = read_image(file);
  // The first picture sets the size of the clip.
  if (size_.empty()) size_ = pixels.sizes().vec();
  if (pixels.sizes() != size_)
    throw UsageError(
        fmt::format("{}: the picture has {} x {} pixels, and the first of its folder {} x {}",
                    file.string(), pixels.size(1), pixels.size(0), size_[1], size_[0]),
        "give the frames of a clip in one size");
  return pixels;
}

void FrameReader::open_strip() {
  strip_ = read_image(source_);
  const auto side = std::min(strip_.size(0), strip_.size(1));
  const auto longer = std::max(strip_.size(0), strip_.size(1));
  // A strip has no header: only whole squares tell its number of frames.
  if (longer % side != 0)
    throw UsageError(
        fmt::format("{}: {} x {} pixels are not a strip of square frames", source_.string(),
                    strip_.size(1), strip_.size(0)),
        "lay the frames of a video side by side or below one another, without a border");
  count_ = longer / side;
}

}  // namespace reprise::datasets
