// Videos read and written frame by frame, and the metadata of a video file.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "datasets/formats/media_files.h"

namespace reprise::datasets {

struct VideoMetadata {
  double rate = 25;  ///< frames per second; 25 if the file does not say
  /// Frames claimed by the file, 0 if unknown; the true number needs decoding.
  std::int64_t frames = 0;
};
/// Reads the frames of a video file in order, oriented as players show them (orientation.h).
///
/// All code opens videos through this class, because files may be hostile. Only the backends FFmpeg
/// and MJPG are used: others read a name with a number as a series of pictures. Frames larger than
/// 4096 x 4096 pixels are refused: a damaged header can claim any size, and a frame of it is
/// allocated.
class VideoReader {
 public:
  /// UsageError: the file is missing, does not open, or has larger frames.
  explicit VideoReader(const std::filesystem::path& file);
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;
  /// Advances to the next frame with as little decoding as possible. Returns false at the end.
  bool next();
  /// Returns the current frame: uint8 [H, W, 3], RGB. UsageError: it cannot be decoded.
  at::Tensor frame() const;
  VideoMetadata metadata() const;
  /// Describes, at the end, signs that the file is cut or damaged (video_integrity.h): "10 of 20
  /// frames ...". "": no sign.
  std::string damage() const;
  /// Whether the interval between frames has varied so far.
  bool has_uneven_timing() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the metadata of a video file, or the number of pictures in a folder.
VideoMetadata read_video_metadata(const std::filesystem::path& source);

struct FramesRead {
  std::int64_t frames = 0;  ///< frames passed on, including missing ones
  /// Damage: of a video that ended early, or of pictures in the folder.
  std::vector<UsageError> problems;
  bool uneven_timing = false;  ///< intervals between a video's frames vary
};

/// Passes the frames of a video file to `see`, in order. A damaged video yields its readable frames
/// and a problem. UsageError: as VideoReader; the video has no frame.
FramesRead read_video(const std::filesystem::path& file,
                      const std::function<void(const at::Tensor& frame)>& see);

/// Passes the frames of a video file or of a folder's pictures (order of list_media()) to `see`:
/// uint8 [H, W, 3], RGB. An unreadable picture is a missing frame: `miss` is called instead, and a
/// problem is added. Without `miss` it is an error. UsageError: as read_video() and read_image(); a
/// folder has no readable picture.
FramesRead read_frames(const std::filesystem::path& source,
                       const std::function<void(const at::Tensor& frame)>& see,
                       const std::function<void()>& miss = nullptr);

/// Writes a video: MJPG in .avi, supported by every OpenCV, or MPEG-4 in .mp4, which needs FFmpeg.
///
/// Encoding is lossy, without sound, at a constant frame rate. In .avi the rate is rounded to a
/// whole number. In .mp4 sides are even: the last row or column of an odd frame is repeated. The
/// file gets a temporary name until close(); without close() it is removed.
class VideoWriter {
 public:
  /// Prepares a file, which is opened at the first frame. UsageError: another ending.
  VideoWriter(const std::filesystem::path& path, double rate);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;
  /// Appends a frame: uint8 [H, W, 3], RGB. UsageError: its size differs from the first frame's
  /// (both named). Error: the file does not open.
  void write(const at::Tensor& frame);
  /// Finishes the file. Error: no frame was written; a frame is missing in the file (full disk).
  void close();
  /// Describes in one sentence how the file's sides differ from the frames'; "": they agree.
  std::string size_note() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reprise::datasets
