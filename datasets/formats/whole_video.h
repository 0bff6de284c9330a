// Whether a video file is all there. A decoder hides damage as well as it can: where a file is cut
// it ends early, and where bytes are overwritten it shows what came before. So more than its
// pictures is looked at:
//
//     container   as many whole frames are in the file as its header counts (container.h)
//     frames      as many are decoded
//     decoder     FFmpeg's own errors, of which OpenCV reports nothing
//
// Up to one frame in fifty, and always two, may fail to come out: edit lists and packed frames of
// whole files hide a few.
#pragma once
#include <cstdint>
#include <filesystem>

namespace reprise::datasets {

/// Decodes every frame without keeping it. Returns how many. Any thread. UsageError: as
/// VideoReader; anything of the above.
std::int64_t check_whole_video(const std::filesystem::path& file);

}  // namespace reprise::datasets
