#include <ATen/ATen.h>

#include <vector>

#include "datasets/formats/gif.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A reader of what GIF89a is, written without a look at the writer: it keeps whole strings, and
/// counts bits one by one.
class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {
    EXPECT_THAT(bytes, StartsWith("GIF89a"));
    at_ = 6;
    width = pair();
    height = pair();
    const int packed = byte();
    EXPECT_TRUE(packed & 0x80);
    at_ += 2;
    for (int i = 0; i < 2 << (packed & 7); ++i) {
      palette_.push_back({byte(), 0, 0});
      palette_.back()[1] = byte();
      palette_.back()[2] = byte();
    }
    auto canvas = at::zeros({height, width, 3}, at::kByte);
    for (int kind = byte(); kind != ';'; kind = byte())
      if (kind == 0x21) {
        extension();
      } else {
        EXPECT_EQ(kind, 0x2C);
        image(canvas);
        frames.push_back(canvas.clone());
      }
    EXPECT_EQ(at_, bytes.size());
  }

  int width = 0, height = 0;
  std::vector<int> hundredths;
  bool for_ever = false;
  std::vector<at::Tensor> frames;
  std::int64_t pixels_stored = 0;

 private:
  int byte() { return static_cast<unsigned char>(bytes_.at(at_++)); }
  int pair() {
    const int low = byte();
    return low + 256 * byte();
  }
  std::string blocks() {
    std::string all;
    for (int n = byte(); n > 0; n = byte()) {
      all += bytes_.substr(at_, static_cast<std::size_t>(n));
      at_ += static_cast<std::size_t>(n);
    }
    return all;
  }

  void extension() {
    const int label = byte();
    const auto data = blocks();
    if (label == 0xF9)
      hundredths.push_back(static_cast<unsigned char>(data.at(1)) +
                           256 * static_cast<unsigned char>(data.at(2)));
    if (label == 0xFF) for_ever = data == std::string("NETSCAPE2.0\x01\0\0", 14);
  }

  void image(at::Tensor& canvas) {
    const int left = pair(), top = pair(), w = pair(), h = pair();
    EXPECT_EQ(byte(), 0);  // no palette of its own, not interlaced
    const int bits = byte();
    const auto pixels = strings(blocks(), bits);
    ASSERT_EQ(pixels.size(), static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
    ASSERT_TRUE(left + w <= width && top + h <= height);
    pixels_stored += w * h;
    for (int i = 0; i < w * h; ++i)
      for (int c = 0; c < 3; ++c)
        canvas[top + i / w][left + i % w][c] = palette_.at(static_cast<unsigned char>(
            pixels[static_cast<std::size_t>(i)]))[static_cast<std::size_t>(c)];
  }

  static std::string strings(const std::string& data, int bits) {
    const unsigned clear = 1U << bits, end = clear + 1;
    std::vector<std::string> table;
    std::string out, before;
    std::size_t place = 0;
    int width = bits + 1;
    while (true) {
      unsigned code = 0;
      for (int b = 0; b < width; ++b, ++place)
        code |= (static_cast<unsigned char>(data.at(place / 8)) >> place % 8 & 1U) << b;
      if (code == end) break;
      if (code == clear) {
        table.clear();
        for (unsigned i = 0; i < clear + 2; ++i) table.emplace_back(1, static_cast<char>(i));
        width = bits + 1;
        before.clear();
        continue;
      }
      EXPECT_LE(code, table.size());
      const auto now = code < table.size() ? table[code] : before + before[0];
      if (!before.empty() && table.size() < 4096) table.push_back(before + now[0]);
      if (table.size() == std::size_t{1} << width && width < 12) ++width;
      out += now;
      before = now;
    }
    EXPECT_EQ((place + 7) / 8, data.size());
    return out;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
  std::vector<std::array<int, 3>> palette_;
};

at::Tensor noise(std::int64_t frames, std::int64_t height, std::int64_t width, int colours) {
  const auto generator = at::make_generator<at::CPUGeneratorImpl>(7);
  const auto number = at::randint(colours, {frames, height, width}, generator, at::kLong);
  return at::stack({number.remainder(7) * 40, number.div(7, "floor").remainder(6) * 51,
                    number.div(42, "floor") * 40},
                   3)
      .to(at::kByte);
}

TEST(Gif, UpTo256ColoursComeBackAsTheyWere) {
  for (const int colours : {1, 2, 3, 5, 17, 200, 256}) {
    // 40 x 60 of noise fills the table of strings, and makes it start over.
    const auto frames = noise(3, 40, 60, colours);
    const auto bytes = encode_gif(frames, 10);
    const Reader read(bytes);
    ASSERT_EQ(read.frames.size(), 3U) << colours;
    EXPECT_EQ(read.width, 60);
    EXPECT_EQ(read.height, 40);
    for (std::int64_t t = 0; t < 3; ++t)
      EXPECT_TRUE(at::equal(read.frames[static_cast<std::size_t>(t)], frames[t]))
          << colours << ", frame " << t;
  }
}

TEST(Gif, LongRunsAndEveryWidthOfCodesComeBackSlow) {
  for (const std::int64_t width : {1, 2, 3, 7, 100, 1000, 3000}) {
    const auto frames = (at::arange(width * 30).div(11, "floor").remainder(2) * 255)
                            .to(at::kByte)
                            .view({1, 30, width, 1})
                            .expand({1, 30, width, 3});
    const auto bytes = encode_gif(frames, 10);
    EXPECT_TRUE(at::equal(Reader(bytes).frames.at(0), frames[0])) << width;
  }
}

TEST(Gif, ItRepeatsForEverAtTheNearestRateThatBrowsersKeep) {
  const auto frames = noise(2, 4, 4, 9);
  for (const auto& [rate, expected] :
       std::vector<std::pair<double, int>>{{8, 13}, {10, 10}, {50, 2}, {0.5, 200}, {40, 3}}) {
    const auto bytes = encode_gif(frames, rate);
    const Reader read(bytes);
    EXPECT_TRUE(read.for_ever);
    EXPECT_EQ(read.hundredths, (std::vector<int>{expected, expected})) << rate;
  }
}

TEST(Gif, OnlyWhatChangedIsStored) {
  auto frames = noise(1, 20, 30, 50).expand({3, 20, 30, 3}).clone();
  frames[1].slice(0, 4, 6).slice(1, 7, 12) = 3;  // stays in no later frame
  const auto bytes = encode_gif(frames, 10);
  const Reader read(bytes);
  for (std::int64_t t = 0; t < 3; ++t)
    EXPECT_TRUE(at::equal(read.frames.at(static_cast<std::size_t>(t)), frames[t])) << t;
  EXPECT_EQ(read.pixels_stored, 600 + 10 + 10);
  const auto still = encode_gif(frames[0].expand({2, 20, 30, 3}), 10);
  EXPECT_EQ(Reader(still).pixels_stored, 601);
}

TEST(Gif, ManyColoursBecomeNearOnes) {
  const auto x = at::arange(128), y = at::arange(96).unsqueeze(1);
  const auto picture =
      at::stack({(x * 2).expand({96, 128}), (y * 2).expand({96, 128}), (x + y)}, 2).to(at::kByte);
  const auto bytes = encode_gif(picture.unsqueeze(0), 10);
  const auto error = (Reader(bytes).frames.at(0).to(at::kFloat) - picture.to(at::kFloat)).abs();
  EXPECT_LT(error.mean().item<double>(), 5);
  EXPECT_LT(error.max().item<double>(), 40);
  EXPECT_LT(bytes.size(), 3U * 96 * 128 / 2);
}

TEST(Gif, TheSameFramesGiveTheSameBytes) {
  const auto frames =
      at::randint(256, {2, 30, 30, 3}, at::make_generator<at::CPUGeneratorImpl>(1), at::kByte);
  EXPECT_EQ(encode_gif(frames, 10), encode_gif(frames.clone(), 10));
}

TEST(Gif, WhatIsNoAnimationIsRefused) {
  const auto frames = at::zeros({2, 4, 4, 3}, at::kByte);
  EXPECT_THAT([&] { encode_gif(frames.to(at::kFloat), 10); },
              ThrowsUsageError(HasSubstr("[2, 4, 4, 3]")));
  EXPECT_THAT([&] { encode_gif(frames[0], 10); }, ThrowsUsageError(HasSubstr("[4, 4, 3]")));
  EXPECT_THAT([&] { encode_gif(frames.slice(0, 0, 0), 10); },
              ThrowsUsageError(HasSubstr("[0, 4, 4, 3]")));
  EXPECT_THAT(
      [&] {
        encode_gif(at::zeros({1, 1, 65536, 3}, at::kByte), 10);
      },
      ThrowsUsageError(HasSubstr("65535")));
  for (const double rate : {0.0, -1.0, 51.0, std::nan("")})
    EXPECT_THAT([&] { encode_gif(frames, rate); }, ThrowsUsageError(HasSubstr("per second"))) << rate;
}

TEST_P(FullDisk, AnAnimationIsRefused) {
  on_disk([](Disk& disk) {
    expect_refused_without_a_trace(
        disk, [&] { write_gif(disk.folder() / "a.gif", noise(1, 20, 20, 9), 10); });
  });
}

}  // namespace
}  // namespace reprise::datasets
