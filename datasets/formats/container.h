// Properties of a video file that need no decoding: orientation, sound, completeness. libavformat
// reads them, the library by which OpenCV decodes videos.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise::datasets {

struct ContainerReport {
  std::int64_t claimed = 0;  ///< frames counted by the header (AVI, MP4 and MOV); 0: unknown
  /// Complete frames in the file, without empty ones, which repeat the frame before.
  std::int64_t frames = 0;
  bool avi = false;
  std::string problem;  ///< where the file is cut or overwritten; "": nowhere
};

/// Returns the name under which FFmpeg opens a file. FFmpeg takes text before a colon for a
/// protocol, unless the name begins with a slash.
std::string name_for_ffmpeg(const std::filesystem::path& file);

/// Reads every frame without decoding it. A file that does not open has no problem here, because
/// its reader reports that.
ContainerReport inspect_container(const std::filesystem::path& file);

/// Throws if inspect_container() finds a problem. UsageError: that problem.
void check_container(const std::filesystem::path& file);

/// Returns the orientation (orientation.h) of the first video stream, from its display matrix. In
/// .mp4 and .mov this is the product of the track's and the movie's matrix (ISO/IEC 14496-12, 8.2.2
/// and 8.3.2). Turns are rounded to multiples of 90 degrees. 1: no matrix, or the file does not
/// open.
int video_orientation(const std::filesystem::path& file);

/// Whether the file has an audio stream.
bool has_sound(const std::filesystem::path& file);

}  // namespace reprise::datasets
