#include <ATen/ATen.h>
#include <webp/demux.h>

#include <cmath>
#include <memory>
#include <vector>

#include "datasets/formats/webp.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

struct DecodedWebp {
  std::vector<at::Tensor> frames;  ///< [H, W, 3] each
  std::vector<int> ends;           ///< milliseconds from the start
  std::uint32_t loops = 1;         ///< 0: for ever
};

/// By libwebp's decoder, which composes whole frames as a browser does.
DecodedWebp decode_webp(const std::string& bytes) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  const std::unique_ptr<WebPAnimDecoder, decltype(&WebPAnimDecoderDelete)> decoder(
      WebPAnimDecoderNew(&data, nullptr), WebPAnimDecoderDelete);
  if (!decoder) throw Error("not a WebP file", "");
  WebPAnimInfo info;
  EXPECT_TRUE(WebPAnimDecoderGetInfo(decoder.get(), &info));
  DecodedWebp decoded{.frames = {}, .ends = {}, .loops = info.loop_count};
  std::uint8_t* pixels = nullptr;
  for (int end = 0; WebPAnimDecoderGetNext(decoder.get(), &pixels, &end);) {
    const auto rgba = at::from_blob(pixels, {info.canvas_height, info.canvas_width, 4}, at::kByte);
    EXPECT_TRUE((rgba.select(2, 3) == 255).all().item<bool>()) << "a pixel is transparent";
    decoded.frames.push_back(rgba.slice(2, 0, 3).clone());
    decoded.ends.push_back(end);
  }
  EXPECT_EQ(decoded.frames.size(), info.frame_count);
  return decoded;
}

/// Frames [T, H, W, 3] of random pixels, each enlarged `times` times.
at::Tensor random_pixel_art(std::int64_t frames, std::int64_t height, std::int64_t width,
                            std::int64_t times = 4) {
  const auto small = at::randint(256, {frames, height, width, 3},
                                 at::make_generator<at::CPUGeneratorImpl>(7), at::kByte);
  return small.repeat_interleave(times, 1).repeat_interleave(times, 2);
}

TEST(Webp, EnlargedPixelsComeBackBitForBit) {
  for (const auto& [height, width, times] :
       std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {1, 7, 3}, {16, 16, 4}, {33, 5, 2}}) {
    const auto frames = random_pixel_art(5, height, width, times);
    const auto decoded = decode_webp(encode_webp(frames, 8));
    ASSERT_EQ(decoded.frames.size(), 5U) << height;
    for (std::int64_t t = 0; t < 5; ++t)
      EXPECT_TRUE(at::equal(decoded.frames[static_cast<std::size_t>(t)], frames[t]))
          << height << " x " << width << ", frame " << t;
  }
}

TEST(Webp, PartsThatChangeBetweenFramesComeBackBitForBit) {
  auto frames = random_pixel_art(1, 16, 24).expand({4, 64, 96, 3}).clone();
  frames[1].slice(0, 4, 6).slice(1, 7, 12) = 3;  // odd places, and gone in the next frame
  frames[3].slice(0, 63).slice(1, 95) = 200;     // the last pixel alone
  const auto decoded = decode_webp(encode_webp(frames, 8));
  ASSERT_EQ(decoded.frames.size(), 4U);
  for (std::int64_t t = 0; t < 4; ++t)
    EXPECT_TRUE(at::equal(decoded.frames[static_cast<std::size_t>(t)], frames[t])) << t;
}

TEST(Webp, ItRepeatsForEverAndRoundedTimesDoNotAddUp) {
  const auto frames = random_pixel_art(4, 4, 4);
  for (const auto& [rate, ends] :
       std::vector<std::pair<double, std::vector<int>>>{{8, {125, 250, 375, 500}},
                                                        {3, {333, 667, 1000, 1333}},
                                                        {50, {20, 40, 60, 80}},
                                                        {0.5, {2000, 4000, 6000, 8000}}}) {
    const auto decoded = decode_webp(encode_webp(frames, rate));
    EXPECT_EQ(decoded.loops, 0U);
    EXPECT_EQ(decoded.ends, ends) << rate;
  }
}

TEST(Webp, EqualNeighboursAreOneFrameThatIsShownLonger) {
  const auto two = random_pixel_art(2, 4, 4);
  const auto decoded = decode_webp(encode_webp(at::stack({two[0], two[0], two[0], two[1]}), 10));
  ASSERT_EQ(decoded.frames.size(), 2U);
  EXPECT_TRUE(at::equal(decoded.frames[0], two[0]));
  EXPECT_TRUE(at::equal(decoded.frames[1], two[1]));
  EXPECT_EQ(decoded.ends, (std::vector<int>{300, 400}));
}

TEST(Webp, SmoothPicturesWithNoiseAreStoredNearlyAndSmall) {
  const auto x = at::arange(128), y = at::arange(96).unsqueeze(1);
  const auto smooth = at::stack({(x * 2).expand({96, 128}), (y * 2).expand({96, 128}), (x + y)}, 2);
  const auto noise =
      at::randint(-6, 7, {3, 96, 128, 3}, at::make_generator<at::CPUGeneratorImpl>(7), at::kLong);
  const auto frames = (smooth.unsqueeze(0) + noise).clamp(0, 255).to(at::kByte);
  const auto bytes = encode_webp(frames, 10);
  const auto decoded = decode_webp(bytes);
  ASSERT_EQ(decoded.frames.size(), 3U);
  EXPECT_LT((at::stack(decoded.frames).to(at::kFloat) - frames.to(at::kFloat))
                .abs()
                .mean()
                .item<double>(),
            6);
  EXPECT_LT(bytes.size(), static_cast<std::size_t>(frames.numel()) /
                              4);  // lossless would keep 3.7 bits of noise of 8
}

TEST(Webp, TheSameFramesGiveTheSameBytes) {
  const auto frames = random_pixel_art(2, 30, 30, 1);
  EXPECT_EQ(encode_webp(frames, 10), encode_webp(frames.clone(), 10));
}

TEST(Webp, FramesThatAreNoAnimationAreRefused) {
  const auto frames = at::zeros({2, 4, 4, 3}, at::kByte);
  EXPECT_THAT([&] { encode_webp(at::Tensor(), 10); }, ThrowsUsageError(HasSubstr("shape none")));
  EXPECT_THAT([&] { encode_webp(frames.to(at::kFloat), 10); },
              ThrowsUsageError(HasSubstr("[2, 4, 4, 3]"), HasSubstr("uint8")));
  EXPECT_THAT([&] { encode_webp(frames[0], 10); }, ThrowsUsageError(HasSubstr("[4, 4, 3]")));
  EXPECT_THAT([&] { encode_webp(frames.slice(0, 0, 0), 10); },
              ThrowsUsageError(HasSubstr("[0, 4, 4, 3]")));
  EXPECT_THAT(
      [&] {
        encode_webp(at::zeros({1, 1, 16384, 3}, at::kByte), 10);
      },
      ThrowsUsageError(HasSubstr("16383")));
  for (const double rate : {0.0, -1.0, 51.0, std::nan("")})
    EXPECT_THAT([&] { encode_webp(frames, rate); }, ThrowsUsageError(HasSubstr("per second")))
        << rate;
}

TEST(Webp, TimesBeyondTheFormatAreAnErrorNotAWrongFile) {
  // 32 days: milliseconds beyond 31 bits.
  const auto frames = random_pixel_art(1, 1, 1, 1).expand({28'000, 1, 1, 3});
  EXPECT_THAT([&] { encode_webp(frames, 0.01); },
              ThrowsUsageError(HasSubstr("28000"), HasSubstr("24 days")));
}

TEST_P(FullDisk, AWebpAnimationIsRefused) {
  on_disk([](Disk& disk) {
    expect_refused_without_a_trace(
        disk, [&] { write_webp(disk.folder() / "a.webp", random_pixel_art(1, 20, 20), 10); });
  });
}

}  // namespace
}  // namespace reprise::datasets
