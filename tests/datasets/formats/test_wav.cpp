#include <ATen/ATen.h>

#include <cstring>
#include <limits>

#include "datasets/formats/wav.h"
#include "tests/damage.h"
#include "tests/full_disk.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

std::string number(std::uint32_t value, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  return bytes;
}

std::string chunk(const std::string& kind, const std::string& bytes) {
  return kind + number(static_cast<std::uint32_t>(bytes.size()), 4) + bytes +
         std::string(bytes.size() % 2, '\0');
}

std::string format(std::uint32_t kind, std::uint32_t channels, std::uint32_t bits,
                   std::uint32_t rate = 8000) {
  return chunk("fmt ", number(kind, 2) + number(channels, 2) + number(rate, 4) +
                           number(rate * channels * bits / 8, 4) + number(channels * bits / 8, 2) +
                           number(bits, 2));
}

/// The RIFF size is 0, as from a pipe.
std::string wav(const std::string& chunks) { return "RIFF" + number(0, 4) + "WAVE" + chunks; }

std::string words(const std::vector<int>& values) {
  std::string bytes;
  for (const int value : values) bytes += number(static_cast<std::uint32_t>(value), 2);
  return bytes;
}

std::string floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

void expect_samples(const std::string& bytes, const std::vector<float>& expected) {
  const auto sound = parse_wav(bytes, "sound.wav");
  EXPECT_EQ(sound.rate, 8000);
  EXPECT_EQ(sound.samples.scalar_type(), at::kFloat);
  EXPECT_TRUE(at::equal(sound.samples, at::tensor(expected))) << sound.samples;
}

TEST(Wav, EveryKindOfSampleBecomesTheSameNumbers) {
  expect_samples(wav(format(1, 1, 16) + chunk("data", words({0, 16384, -32768, 32767}))),
                 {0, 0.5F, -1, 32767.0F / 32768});
  expect_samples(wav(format(1, 1, 8) + chunk("data", std::string("\x80\xC0\x00\xFF", 4))),
                 {0, 0.5F, -1, 127.0F / 128});
  expect_samples(wav(format(3, 1, 32) + chunk("data", floats({0, 0.5F, -1, 1}))), {0, 0.5F, -1, 1});
}

TEST(Wav, OfTwoChannelsTheMeanIsTaken) {
  expect_samples(wav(format(1, 2, 16) + chunk("data", words({16384, 0, -16384, -16384}))),
                 {0.25F, -0.5F});
}

TEST(Wav, OtherChunksAreSkippedWhateverTheirLength) {
  const auto data = chunk("data", words({16384}));
  expect_samples(wav(chunk("JUNK", "odd") + format(1, 1, 16) + chunk("LIST", "INFO") + data +
                     chunk("id3 ", "tail")),
                 {0.5F});
}

// ffmpeg, sox and arecord write so to a pipe: they cannot go back to fill in the size.
TEST(Wav, OfUnknownLengthAllUpToTheEndIsTaken) {
  const auto samples = words({0, 16384, -32768, 8192});
  for (const std::uint32_t size :
       {0U, 0xFFFFFFFFU, 0xFFFFFFFFU - 44, 0x7FFFF000U, 0x7FFFFFFFU - 36, 0x80000000U}) {
    SCOPED_TRACE(size);
    expect_samples(wav(format(1, 1, 16) + "data" + number(size, 4) + samples),
                   {0, 0.5F, -1, 0.25F});
  }
  expect_samples(wav(format(1, 1, 16) + "data" + number(0xFFFFFFFF, 4) + words({16384}) + "x"),
                 {0.5F});
}

// The fix must not lead to the next refusal: one channel and 16 bits, whatever is wrong.
TEST(Wav, TheFixOfAnyOtherKindAsksForOneChannelOf16Bits) {
  const auto data = chunk("data", words({1, 2}));
  for (const auto& bytes : {wav(format(1, 6, 16) + data), wav(format(1, 6, 24) + data),
                            wav(format(7, 1, 8) + data), std::string("OggS")})
    EXPECT_THAT([&] { parse_wav(bytes, "a.wav"); },
                ThrowsUsageError(HasSubstr("-b 16 -e signed-integer -c 1")));
}

TEST(Wav, TheExtensibleHeaderNamesItsFormatInItsGuid) {
  const auto plain = format(1, 1, 16).substr(8);
  const auto extended = number(0xFFFE, 2) + plain.substr(2) + number(22, 2) + number(16, 2) +
                        number(4, 4) + number(1, 2) + std::string(14, 'g');
  expect_samples(wav(chunk("fmt ", extended) + chunk("data", words({-8192}))), {-0.25F});
}

TEST(Wav, WhatIsWrittenIsReadBackToHalfAStepAndThenBitByBit) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "new" / "sound.wav";
  const Sound sound{.samples = at::sin(at::arange(1001).to(at::kFloat)), .rate = 44100};
  write_wav(path, sound);
  const auto read = read_wav(path);
  EXPECT_EQ(read.rate, 44100);
  EXPECT_LE((read.samples - sound.samples).abs().max().item<double>(), 1.0 / 32768);
  EXPECT_LE((read.samples - sound.samples).abs().mean().item<double>(), 0.5 / 32768);
  EXPECT_EQ(encode_wav(read), read_file(path));
  EXPECT_EQ(read_file(path).size(), 44U + 2002);
  EXPECT_EQ(parse_wav(encode_wav({at::tensor({1.0F, -1.0F}), 1}), "ends").samples[1].item<float>(),
            -1);
}

TEST(Wav, WhatCannotBeReadIsNamedWithWhatWasFound) {
  const auto data = chunk("data", words({1, 2}));
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"", "not a RIFF WAVE"},
      {"RIFX" + std::string(20, ' '), "not a RIFF WAVE"},
      {wav(""), "has no format"},
      {wav(format(1, 1, 16)), "has no samples"},
      {wav(data + format(1, 1, 16)), "before their format"},
      {wav(format(1, 1, 24) + data), "format 1 with 24 bits"},
      {wav(format(85, 1, 16) + data), "format 85"},
      {wav(format(1, 6, 16) + data), "6 channels"},
      {wav(format(1, 1, 16, 0) + data), "0 samples per second"},
      {wav(chunk("fmt ", "short") + data), "takes 5 bytes"},
      {wav(format(1, 1, 16) + chunk("data", "")), "0 bytes of samples"},
      {wav(format(1, 1, 16) + chunk("data", "odd")), "3 bytes of samples of 2 each"},
      {wav(format(1, 1, 16) + data.substr(0, 11)), "11 bytes into a chunk of 12"},
      {wav(format(1, 1, 16) + "data" + number(0xFFFFFFFF, 4) + "x"), "0 bytes of samples"},
      {wav(format(1, 1, 16) + "data" + number(0x10000000, 4) + "x"), "into a chunk of 268435464"},
      {wav(format(1, 1, 16) + "data" + number(0, 4) + chunk("LIST", "INFO")), "0 bytes of samples"},
      {wav(format(3, 1, 32) + chunk("data", floats({0, 1.5F}))), "sample 1 of channel 0 is 1.5"},
      {wav(format(3, 2, 32) + chunk("data", floats({0, std::numeric_limits<float>::quiet_NaN()}))),
       "sample 0 of channel 1 is nan"}};
  for (const auto& [bytes, said] : wrong) {
    const auto read = [&, &bytes = bytes] { parse_wav(bytes, "sound.wav"); };
    EXPECT_THAT(read, ThrowsUsageError(HasSubstr("sound.wav"), HasSubstr(said)));
  }
}

TEST(Wav, WhatCannotBeWrittenIsRefused) {
  EXPECT_THAT([] { encode_wav({at::zeros({2, 3}), 8000}); }, ThrowsUsageError(HasSubstr("[2, 3]")));
  EXPECT_THAT([] { encode_wav({at::zeros({0}), 8000}); }, ThrowsUsageError(HasSubstr("[0]")));
  EXPECT_THAT(
      [] {
        encode_wav({at::zeros({3}), 0});
      },
      ThrowsUsageError(HasSubstr("0 samples per second")));
  EXPECT_THAT(
      [] {
        encode_wav({at::full({3}, 1.01), 8000});
      },
      ThrowsUsageError(HasSubstr("outside -1 to 1")));
  EXPECT_THAT(
      [] {
        encode_wav({at::zeros({3}) / 0, 8000});
      },
      ThrowsUsageError(HasSubstr("outside -1 to 1")));
}

TEST(Wav, ADamagedOneGivesSamplesOrOurErrorSlow) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"words.wav", encode_wav({at::sin(at::arange(40).to(at::kFloat)), 8000})},
      {"bytes.wav",
       wav(chunk("LIST", "INFO") + format(1, 2, 8) + chunk("data", std::string(40, '\x70')))},
      {"floats.wav", wav(format(3, 1, 32) + chunk("data", floats(std::vector<float>(20, 0.3F))))}};
  for (const auto& [name, bytes] : kinds) {
    const int refused = read_damaged_copies(folder.path() / name, bytes, [](const auto& path) {
      const auto sound = read_wav(path);
      EXPECT_GT(sound.rate, 0);
      EXPECT_LE(sound.samples.abs().max().template item<float>(), 1);
    });
    EXPECT_GE(refused, 75) << name;  // of about 90 that are cut short
  }
}

TEST_P(FullDisk, AWavIsRefused) {
  on_disk([](Disk& disk) {
    expect_refused_without_a_trace(disk, [&] {
      write_wav(disk.folder() / "a.wav", {at::zeros({100}), 8000});
    });
  });
}

}  // namespace
}  // namespace reprise::datasets
