#include "datasets/formats/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>

#include "core/error.h"
#include "datasets/formats/decoder_log.h"

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
}

namespace reprise::datasets {
namespace {

namespace fs = std::filesystem;

struct CloseContainer {
  void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
using OpenContainer = std::unique_ptr<AVFormatContext, CloseContainer>;

/// Opens a file and reads its header. Empty: it is missing, no regular file, or of no known kind.
OpenContainer open_container(const fs::path& file) {
  listen_to_decoder();  // or errors would go to standard error
  if (!fs::is_regular_file(file)) return nullptr;
  auto* context = avformat_alloc_context();
  // Packets are wanted as they lie in the file. A parser would cut and join them, and guess times.
  context->flags |= AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN;
  AVDictionary* options = nullptr;
  // An edit list leaves out frames that the header counts. Other demuxers than that of .mp4 and
  // .mov ignore the option.
  av_dict_set(&options, "ignore_editlist", "1", 0);
  // On failure it frees the context.
  const int status =
      avformat_open_input(&context, name_for_ffmpeg(file).c_str(), nullptr, &options);
  av_dict_free(&options);
  return OpenContainer(status < 0 ? nullptr : context);
}

/// The first video stream, which is the one that OpenCV decodes; null where there is none.
AVStream* find_video(const OpenContainer& container) {
  if (!container) return nullptr;
  const std::span streams(container->streams, container->nb_streams);
  const auto found = std::ranges::find_if(streams, [](const AVStream* stream) {
    return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
  });
  return found == streams.end() ? nullptr : *found;
}

/// Explains what is wrong with a container, after its last packet. `cut`: packets that the file
/// ends in, or that are marked as damaged.
std::string describe_damage(const ContainerReport& state, std::int64_t empty, std::int64_t cut,
                            int status, const DecoderErrors& errors) {
  const auto there = state.frames + empty;
  if (there < state.claimed)
    return fmt::format("its header counts {} frames, and {} are there", state.claimed, there);
  if (cut > 0) return fmt::format("{} of its frames are cut short", cut);
  if (errors.count > 0)
    return fmt::format("the container has {} errors, the last: {}", errors.count, errors.last);
  if (status == AVERROR_EOF) return "";
  std::array<char, AV_ERROR_MAX_STRING_SIZE> reason{};
  av_strerror(status, reason.data(), reason.size());
  return fmt::format("it cannot be read to its end: {}", reason.data());
}

/// Converts the upper left 2 x 2 part of a matrix: stored (x, y) is shown at (a x + c y, b x + d
/// y).
int orientation_of_turn(double a, double b, double c, double d) {
  if (std::abs(b) + std::abs(c) <= std::abs(a) + std::abs(d)) {
    // The signs tell whether each axis is flipped; numbers are those of orientation.h.
    if (a >= 0) return d >= 0 ? 1 : 4;
    return d >= 0 ? 2 : 3;
  }
  if (b >= 0) return c >= 0 ? 5 : 6;
  return c >= 0 ? 8 : 7;
}

}  // namespace

std::string name_for_ffmpeg(const fs::path& file) { return fs::absolute(file).string(); }

ContainerReport inspect_container(const fs::path& file) {
  const auto before = demuxer_errors().count;
  const auto container = open_container(file);
  auto* video = find_video(container);
  ContainerReport state;
  if (video == nullptr) return state;
  state.avi = std::string_view(container->iformat->name) == "avi";
  state.claimed = video->nb_frames;
  for (auto* stream : std::span(container->streams, container->nb_streams))
    // Sound and subtitles are not read.
    stream->discard = AVDISCARD_ALL;
  // Frames of 0 bytes, by which an AVI repeats the frame before, are counted too: the header counts
  // them.
  video->discard = AVDISCARD_NONE;
  const std::unique_ptr<AVPacket, FreePacket> packet(av_packet_alloc());
  std::int64_t empty = 0;
  std::int64_t cut = 0;
  int status = 0;
  for (; (status = av_read_frame(container.get(), packet.get())) >= 0;
       av_packet_unref(packet.get())) {
    if (packet->stream_index != video->index) continue;
    if ((packet->flags & AV_PKT_FLAG_CORRUPT) != 0)
      ++cut;
    else
      ++(packet->size > 0 ? state.frames : empty);
  }
  auto errors = demuxer_errors();
  errors.count -= before;
  state.problem = describe_damage(state, empty, cut, status, errors);
  return state;
}

void check_container(const fs::path& file) {
  const auto problem = inspect_container(file).problem;
  if (!problem.empty())
    throw UsageError(fmt::format("{}: {}", file.string(), problem),
                     "fetch the video again: it is cut short or damaged");
}

int video_orientation(const fs::path& file) {
  const auto container = open_container(file);
  const auto* video = find_video(container);
  if (video == nullptr) return 1;
  const auto* bytes = av_stream_get_side_data(video, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
  if (bytes == nullptr) return 1;
  // Three rows of three numbers: 2 of 16.16 bits, then one of 2.30.
  const auto* matrix = reinterpret_cast<const std::int32_t*>(bytes);
  return orientation_of_turn(matrix[0], matrix[1], matrix[3], matrix[4]);
}

bool has_sound(const fs::path& file) {
  const auto container = open_container(file);
  if (!container) return false;
  // Some kinds have their streams behind the header.
  avformat_find_stream_info(container.get(), nullptr);
  return av_find_best_stream(container.get(), AVMEDIA_TYPE_AUDIO, -1, -1, nullptr, 0) >= 0;
}

}  // namespace reprise::datasets
