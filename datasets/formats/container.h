// What a video file states without being decoded: its turn, its sound, and whether it is all there.
// Read by libavformat, which OpenCV decodes videos with.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace reprise::datasets {

struct ContainerState {
  std::int64_t claimed =
      0;  ///< frames that the header counts; 0: it does not (AVI, MP4 and MOV do)
  std::int64_t frames =
      0;  ///< whole frames in the file; without those that hold nothing, which repeat the one before
  bool avi = false;
  std::string problem;  ///< where the file is cut or overwritten; "": nowhere
};

/// Name under which FFmpeg opens a file: it takes what stands before a colon for a protocol, unless
/// the name begins with a slash.
std::string name_for_ffmpeg(const std::filesystem::path& file);

/// Reads every frame without decoding it. A file that does not open has no problem here: its reader
/// names it.
ContainerState inspect_container(const std::filesystem::path& file);

/// UsageError: the file has a problem by inspect_container().
void check_container(const std::filesystem::path& file);

/// Orientation (orientation.h) of the first video stream, by its display matrix: in .mp4 and .mov
/// the track's times the movie's, ISO/IEC 14496-12, 8.2.2 and 8.3.2. A turn that is no multiple of
/// 90 degrees is rounded to one. 1: no matrix, or the file does not open.
int video_orientation(const std::filesystem::path& file);

/// Whether the file has a stream of sound.
bool has_sound(const std::filesystem::path& file);

}  // namespace reprise::datasets
