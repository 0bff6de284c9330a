// Videos read and written frame by frame, and what a video file says of itself.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace reprise::datasets {

/// By the ending of its name: avi, mp4, m4v, mpg, mpeg, mov, mkv, webm, wmv, in any case.
bool is_video(const std::filesystem::path& path);

struct VideoFacts {
  double rate = 25;         ///< frames a second; 25 where the file does not say
  std::int64_t frames = 0;  ///< as the file claims; 0 where it does not say. Only decoding tells how many there are
};
/// The frames of a video file, in order. Every path that opens a video goes through this class, since a file may come from a stranger: only
/// the backends FFmpeg and MJPG are asked, because others take a name with a number for a series of pictures, and frames larger than
/// 4096 x 4096 pixels are refused, because a damaged header can claim any size and a frame is allocated by it.
class VideoReader {
 public:
  /// UsageError: the file is missing, does not open, or has larger frames.
  explicit VideoReader(const std::filesystem::path& file);
  ~VideoReader();
  VideoReader(VideoReader&&) noexcept;
  VideoReader& operator=(VideoReader&&) noexcept;
  /// Goes to the next frame, without decoding more of it than is needed for that; false at the end.
  bool next();
  /// The frame that next() went to: uint8 [H, W, 3], RGB. UsageError: it cannot be decoded.
  at::Tensor frame() const;
  VideoFacts facts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The pictures of a folder (.png, .jpg, .jpeg, .bmp), in the order of their names, numbers in them by value. UsageError: the folder cannot
/// be read.
std::vector<std::filesystem::path> pictures_in(const std::filesystem::path& folder);

/// Of a file that opens, or of a folder: how many pictures are in it.
VideoFacts video_facts(const std::filesystem::path& source);

/// Shows the frames of a video file one after another. Returns how many. UsageError: as VideoReader, or it has no frame.
std::int64_t read_video(const std::filesystem::path& file, const std::function<void(const at::Tensor& frame)>& see);

/// Shows the frames of a video file, or the pictures of a folder (.png, .jpg, .jpeg, .bmp; in the order of their names, numbers in them by
/// value), one after another: uint8 [H, W, 3], RGB. Returns how many. UsageError: as read_video() and read_image(); a folder without
/// pictures.
std::int64_t read_frames(const std::filesystem::path& source, const std::function<void(const at::Tensor& frame)>& see);

/// MJPG in .avi, which every OpenCV has, or MPEG-4 in .mp4, for which it needs FFmpeg. Lossy; .avi has a whole number of frames a
/// second, the nearest. Written under a temporary name beside its own
/// and put in its place by close(); without close() nothing stays.
class VideoWriter {
 public:
  /// UsageError: another ending. The file is opened with the first frame.
  VideoWriter(const std::filesystem::path& path, double rate);
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;
  /// frame: uint8 [H, W, 3], RGB. UsageError: a frame of another size than the first (both named). Error: the file does not open.
  void write(const at::Tensor& frame);
  /// Error: no frame was written; the file does not hold every frame, which is what a full disk leaves.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reprise::datasets
