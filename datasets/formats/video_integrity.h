// Completeness of a video file. A decoder hides damage: it ends early where a file is cut, and
// repeats earlier content where bytes are overwritten. Three checks reveal it:
//
// - container: the file contains as many complete frames as its header counts (container.h)
// - frames: as many frames are decoded
// - decoder: FFmpeg logs no error (OpenCV does not report these)
//
// Up to one frame in fifty, and always two, may be missing: edit lists and packed frames of intact
// files hide a few.
#pragma once
#include <cstdint>
#include <filesystem>

namespace reprise::datasets {

/// Decodes every frame without keeping it. Returns the number of frames. Safe in any thread.
/// UsageError: as VideoReader; a check fails.
std::int64_t check_video_integrity(const std::filesystem::path& file);

}  // namespace reprise::datasets
