#include "datasets/formats/webp.h"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/error.h"
#include "core/files.h"

namespace reprise::datasets {
namespace {

/// Effort of lossless coding, of 100: libwebp's default; 100 takes 50 times as long and saves 2 %.
constexpr float lossless_effort = 75;
/// Quality of lossy coding, of 100.
constexpr float lossy_quality = 90;
constexpr const char* webp_fix =
    "give frames of fewer pixels, or check the installation of libwebp";

using WebpEncoder = std::unique_ptr<WebPAnimEncoder, decltype(&WebPAnimEncoderDelete)>;

[[noreturn]] void refuse_webp(WebPAnimEncoder* encoder) {
  const char* reason = encoder ? WebPAnimEncoderGetError(encoder) : "no memory";
  throw Error(fmt::format("an animation cannot be encoded as WebP: {}", reason), webp_fix);
}

/// Appends one RGB frame that appears `milliseconds` after the first.
void add_frame(WebPAnimEncoder* encoder, const at::Tensor& frame, int milliseconds,
               const WebPConfig& config) {
  WebPPicture picture;
  if (!WebPPictureInit(&picture)) refuse_webp(nullptr);
  // Frees the pixels also when refuse_webp() throws.
  const std::unique_ptr<WebPPicture, decltype(&WebPPictureFree)> owner(&picture, WebPPictureFree);
  picture.use_argb = 1;  // the encoder compares frames by their colours
  picture.height = static_cast<int>(frame.size(0));
  picture.width = static_cast<int>(frame.size(1));
  if (!WebPPictureImportRGB(&picture, frame.const_data_ptr<std::uint8_t>(), 3 * picture.width))
    refuse_webp(nullptr);
  if (!WebPAnimEncoderAdd(encoder, &picture, milliseconds, &config)) refuse_webp(encoder);
}

std::string encode_frames(const at::Tensor& frames, double rate, bool lossless) {
  WebPConfig config;
  WebPAnimEncoderOptions options;
  if (!WebPConfigInit(&config) || !WebPAnimEncoderOptionsInit(&options)) refuse_webp(nullptr);
  config.lossless = lossless;
  config.quality = lossless ? lossless_effort : lossy_quality;
  options.anim_params.loop_count = 0;  // for ever
  options.minimize_size = 1;           // 1 to 8 % smaller, in less than twice the time
  const WebpEncoder encoder(WebPAnimEncoderNew(static_cast<int>(frames.size(2)),
                                               static_cast<int>(frames.size(1)), &options),
                            WebPAnimEncoderDelete);
  if (!encoder) refuse_webp(nullptr);
  // Times are rounded, not durations: the errors of durations would add up.
  const auto time_of = [rate](std::int64_t t) {
    return static_cast<int>(std::llround(1000 * static_cast<double>(t) / rate));
  };
  for (std::int64_t t = 0; t < frames.size(0); ++t)
    add_frame(encoder.get(), frames[t], time_of(t), config);
  // No picture: the end of the last one.
  if (!WebPAnimEncoderAdd(encoder.get(), nullptr, time_of(frames.size(0)), nullptr))
    refuse_webp(encoder.get());
  WebPData data;
  WebPDataInit(&data);
  const std::unique_ptr<WebPData, decltype(&WebPDataClear)> owner(&data, WebPDataClear);
  if (!WebPAnimEncoderAssemble(encoder.get(), &data)) refuse_webp(encoder.get());
  return {reinterpret_cast<const char*>(data.bytes), data.size};
}

}  // namespace

void check_animation(const at::Tensor& frames, double frames_per_second,
                     std::int64_t longest_side) {
  const bool shaped = frames.defined() && frames.scalar_type() == at::kByte && frames.dim() == 4 &&
                      frames.size(3) == 3 && frames.numel() > 0;
  if (!shaped || frames.size(1) > longest_side || frames.size(2) > longest_side)
    throw UsageError(
        fmt::format("an animation of shape {}",
                    frames.defined() ? c10::str(frames.sizes()) : "none"),
        fmt::format("give uint8 frames [T, H, W, 3], one at least, with sides of at most {}",
                    longest_side));
  // Above 50 frames a second browsers no longer keep the timing of GIFs.
  if (!(frames_per_second >= 0.01 && frames_per_second <= 50))
    throw UsageError(fmt::format("an animation of {} frames per second", frames_per_second),
                     "give a rate from 0.01 to 50");
}

std::string encode_webp(const at::Tensor& frames, double frames_per_second) {
  check_animation(frames, frames_per_second, WEBP_MAX_DIMENSION);
  // libwebp counts milliseconds in an int.
  if (1000 * static_cast<double>(frames.size(0)) / frames_per_second >
      std::numeric_limits<int>::max())
    throw UsageError(
        fmt::format("an animation of {} frames, {} per second, takes more than 24 days",
                    frames.size(0), frames_per_second),
        "give fewer frames or a higher rate");
  const auto whole = frames.contiguous().cpu();
  // Lossy coding is worth its errors only if it halves the file.
  auto lossless = encode_frames(whole, frames_per_second, true);
  auto lossy = encode_frames(whole, frames_per_second, false);
  return 2 * lossy.size() < lossless.size() ? lossy : lossless;
}

void write_webp(const std::filesystem::path& path, const at::Tensor& frames,
                double frames_per_second) {
  write_file(path, encode_webp(frames, frames_per_second));
}

}  // namespace reprise::datasets
