#include <ATen/ATen.h>

#include <optional>

#include "core/random.h"
#include "datasets/formats/container.h"
#include "datasets/formats/video_files.h"
#include "datasets/formats/video_integrity.h"
#include "datasets/formats/wav.h"
#include "datasets/videos.h"
#include "tests/datasets/tagged_files.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

/// 60 frames of 96 x 64 pixels that a codec cannot make small: coarse blocks of changing colours.
std::string video_bytes(const TemporaryFolder& folder, const std::string& name) {
  VideoWriter writer(folder.path() / name, 25);
  Random random(4);
  for (int t = 0; t < 60; ++t) {
    auto blocks = at::empty({8, 12, 3}, at::kByte);
    for (int i = 0; i < 8 * 12 * 3; ++i)
      blocks.data_ptr<std::uint8_t>()[i] = static_cast<std::uint8_t>(random.below(256));
    writer.write(blocks.repeat_interleave(8, 0).repeat_interleave(8, 1));
  }
  writer.close();
  return read_file(folder.path() / name);
}

struct VideoIntegrity : testing::TestWithParam<std::string> {
  TemporaryFolder folder;
  const std::string name = GetParam(), whole = video_bytes(folder, name);
  const std::filesystem::path file = folder.path() / name;

  bool found(const std::string& bytes) const {
    write_file(file, bytes);
    try {
      check_video_integrity(file);
      return false;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.problem(), HasSubstr(file.string()));
      return true;
    }
  }
  std::string with_zeros(std::size_t at, std::size_t count) const {
    auto bytes = whole;
    return bytes.replace(at, count, count, '\0');
  }
};

TEST_P(VideoIntegrity, PassesWhole) { EXPECT_EQ(check_video_integrity(file), 60); }

// A decoder conceals all of this: it ends early, or repeats what came before.
TEST_P(VideoIntegrity, CutAndOverwrittenFilesAreFound) {
  EXPECT_TRUE(found(whole.substr(0, whole.size() / 2)));
  EXPECT_TRUE(found(whole.substr(0, whole.size() / 10)));
  EXPECT_TRUE(found(whole.substr(0, whole.size() - 1000)));
  ASSERT_GT(whole.size(), 60'000U);
  EXPECT_TRUE(found(with_zeros(whole.size() / 2, 20'000)));
  EXPECT_TRUE(found(with_zeros(whole.size() / 3, 4'000)));
  write_file(file, whole.substr(0, whole.size() / 2));
  VideoSet set{
      .videos = {{.item = "v", .person = "p", .colour = {.file = file, .end = {}}, .depth = {}}},
      .classes = {"a"},
      .train = {},
      .test = {}};
  const auto issues = check_videos(set);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].where, "v");
}

// Nearly every damaged copy is found; in the rest only a few values of a picture, its rate or a
// comment have changed.
TEST_P(VideoIntegrity, SlowOfManyCutCopiesNoneIsCalledWhole) {
  for (int i = 1; i < 20; ++i)
    EXPECT_TRUE(found(whole.substr(0, whole.size() * static_cast<std::size_t>(i) / 20))) << i;
  for (std::size_t i = 2; i < 19; ++i)
    EXPECT_TRUE(found(with_zeros(whole.size() * i / 20, 5'000))) << i;
}

INSTANTIATE_TEST_SUITE_P(Containers, VideoIntegrity, testing::Values("clip.avi", "clip.mp4"),
                         [](const auto& info) { return info.param.substr(5); });

TEST(Container, FilesOfOtherKindsPass) {
  const TemporaryFolder folder;
  write_file(folder.path() / "b.avi", "no video at all");
  EXPECT_NO_THROW(check_container(folder.path() / "b.avi"));
  EXPECT_NO_THROW(check_container(folder.path() / "missing.avi"));
}

TEST(Container, FewerFramesThanTheHeadCountsAreNamed) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.avi";
  auto bytes = video_bytes(folder, "a.avi");
  bytes[bytes.find("strh") + 8 + 32] = 70;  // dwLength of the stream
  write_file(file, bytes);
  EXPECT_THAT([&] { check_container(file); },
              ThrowsUsageError(HasSubstr("a.avi"), HasSubstr("counts 70 frames, and 60")));
}

TEST(Container, SoundIsFoundByItsStream) {
  const TemporaryFolder folder;
  video_bytes(folder, "silent.mp4");
  write_wav(folder.path() / "sound.wav", {.samples = at::zeros({800}), .rate = 8000});
  EXPECT_FALSE(has_sound(folder.path() / "silent.mp4"));
  EXPECT_TRUE(has_sound(folder.path() / "sound.wav"));
  EXPECT_FALSE(has_sound(folder.path() / "missing.mp4"));
}

/// A chunk of an AVI; `size` in place of the content's, as a writer that never comes to fill it in
/// leaves it.
std::string avi_chunk(const std::string& name, const std::string& content,
                      std::optional<std::size_t> size = {}) {
  const auto bytes = testing_tags::number_bytes(
      static_cast<std::uint32_t>(size.value_or(content.size())), 4, /*little=*/true);
  return name + bytes + content + std::string(content.size() % 2, '\0');
}

// What other programs write: streams without sizes and index, more than 1 GiB in several parts,
// repeated frames, sound, padding.
TEST(Container, WholeAvisOfOtherWritersPass) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.avi";
  const auto bytes = video_bytes(folder, "a.avi");
  const auto movie = bytes.find("LIST", bytes.find("movi") - 8);
  const auto head = bytes.substr(8, movie - 8);
  std::vector<std::string> frames;
  for (auto at = movie + 12; frames.size() < 60;
       at += frames.back().size() + frames.back().size() % 2 + 8) {
    ASSERT_EQ(bytes.substr(at, 4), "00dc");
    std::size_t size = 0;
    for (std::size_t k = 4; k-- > 0;)
      size = size << 8 | static_cast<unsigned char>(bytes[at + 4 + k]);
    frames.push_back(bytes.substr(at + 8, size));
  }
  const auto chunks = [&](std::size_t first, std::size_t end, const std::string& between) {
    std::string all = "movi";
    for (auto k = first; k < end; ++k) all += avi_chunk("00dc", frames[k]) + between;
    return all;
  };
  const auto whole = [&](const std::string& content) {
    return avi_chunk("RIFF", head + avi_chunk("LIST", content));
  };
  const auto second = avi_chunk("RIFF", "AVIX" + avi_chunk("LIST", chunks(30, 60, "")));
  for (const auto& [kind, avi] : std::vector<std::pair<std::string, std::string>>{
           {"no index", whole(chunks(0, 60, ""))},
           {"a stream", avi_chunk("RIFF", head + avi_chunk("LIST", chunks(0, 60, ""), 0), 0)},
           {"two parts", whole(chunks(0, 30, "")) + second},
           {"padding", whole(chunks(0, 60, avi_chunk("JUNK", std::string(37, '\0')))) +
                           std::string(3000, '\0')},
           {"sound", whole(chunks(0, 60, avi_chunk("01wb", std::string(400, '\1'))))}}) {
    write_file(file, avi);
    EXPECT_EQ(inspect_container(file).frames, 60) << kind;
    EXPECT_EQ(check_video_integrity(file), 60) << kind;
  }
  write_file(file, whole(chunks(0, 30, "")) + second.substr(0, second.size() / 2));
  EXPECT_THROW(check_container(file), UsageError);
  for (const std::size_t repeated : {5, 6, 20, 40, 41}) frames[repeated].clear();
  write_file(file, whole(chunks(0, 60, "")));
  EXPECT_EQ(check_video_integrity(file), 55);
}

}  // namespace
}  // namespace reprise::datasets
