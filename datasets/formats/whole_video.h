// Whether a video file is all there. A decoder hides damage as well as it can: where a file is cut it ends early, and where bytes are
// overwritten it shows what came before. So more than its pictures is looked at:
//
//     container   AVI: every chunk lies inside the one around it, and as many frames are there as the head counts
//     frames      as many are decoded as the container claims (AVI, MP4, MOV: these count; others estimate)
//     decoder     FFmpeg's own errors, of which OpenCV says nothing
//
// Up to one frame in fifty, and always two, may fail to come out: edit lists and packed frames of whole files hide a few.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise::datasets {

/// Decodes every frame without keeping it. Returns how many. Any thread. UsageError: as VideoReader; anything of the above.
std::int64_t check_whole_video(const std::filesystem::path& file);

struct AviState {
  std::int64_t claimed = 0;  ///< frames that the head counts; 0: it does not, or the file is of another kind
  std::string problem;       ///< where the container is cut or overwritten, as far as it shows without decoding; "": nowhere
};
AviState inspect_avi(const std::filesystem::path& file);

/// The container alone. UsageError: an AVI with a problem. Other files pass.
void check_avi(const std::filesystem::path& file);

/// Whether files of this kind count their frames, by the ending: AVI, MP4 and MOV do, others estimate.
bool counts_frames(const std::filesystem::path& file);

}  // namespace reprise::datasets
