#include <ATen/ATen.h>

#include "datasets/formats/images.h"
#include "datasets/videos.h"
#include "tests/datasets/small_videos.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_videos::gray_of;
using testing_videos::write_video;

VideoSet set_of(const std::vector<FrameRange>& ranges) {
  VideoSet set;
  set.classes = {"a", "b"};
  for (std::size_t i = 0; i < ranges.size(); ++i)
    set.videos.push_back({.item = "v" + std::to_string(i),
                          .person = "p",
                          .label = static_cast<std::int64_t>(i % 2),
                          .colour = ranges[i],
                          .depth = {}});
  return set;
}

/// Grays of the frames of clip `i`.
std::vector<int> grays(const LabelledClips& clips, std::int64_t i) {
  std::vector<int> list;
  for (std::int64_t t = 0; t < clips.colour.size(1); ++t)
    list.push_back(static_cast<int>(std::lround(gray_of(clips.colour[i][t]))));
  return list;
}

// The frames of a clip are those that the rule names, of a whole video and of a range of one.
TEST(Videos, AClipHasTheFramesThatTheRuleNames) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.avi";
  write_video(file, 20);  // frame n is gray 4 n
  const auto set = set_of({{.file = file, .end = {}},
                           {.file = file, .first = 4, .end = 8},
                           {.file = file, .first = 18, .end = {}}});
  const auto clips = read_clips(set, {0, 1, 2}, {.frames = 4, .size = 16, .flow = {}});
  EXPECT_EQ(clips.colour.sizes(), at::IntArrayRef({3, 4, 16, 16, 3}));
  EXPECT_THAT(grays(clips, 0), ElementsAre(testing::AllOf(testing::Ge(7), testing::Le(9)),
                                           testing::AllOf(testing::Ge(27), testing::Le(29)),
                                           testing::AllOf(testing::Ge(47), testing::Le(49)),
                                           testing::AllOf(testing::Ge(67), testing::Le(69))));
  for (int t = 0; t < 4; ++t)
    EXPECT_NEAR(grays(clips, 1)[static_cast<std::size_t>(t)], 4 * (4 + t), 1);
  for (int t = 0; t < 4; ++t)
    EXPECT_NEAR(grays(clips, 2)[static_cast<std::size_t>(t)], 4 * (18 + t / 2), 1);
  EXPECT_THAT(clips.item, ElementsAre("v0", "v1", "v2"));
  EXPECT_EQ(clips.labels[1].item<int>(), 1);
  EXPECT_FALSE(clips.depth.defined());
  EXPECT_TRUE(check_videos(set).empty());
}

// Strips side by side and below one another give the same frames, exactly where no size changes.
TEST(Videos, StripsOfBothDirectionsGiveTheirFrames) {
  const TemporaryFolder folder;
  const auto frames =
      at::randint(0, 256, {3, 16, 16, 3}, at::make_generator<at::CPUGeneratorImpl>(1), at::kByte);
  write_png(folder.path() / "across.png", frames.permute({1, 0, 2, 3}).flatten(1, 2).contiguous());
  write_png(folder.path() / "down.png", frames.flatten(0, 1).contiguous());
  const auto set = set_of({{.file = folder.path() / "across.png", .end = {}},
                           {.file = folder.path() / "down.png", .end = {}}});
  const auto clips = read_clips(set, {0, 1}, {.frames = 3, .size = 16, .flow = {}});
  EXPECT_TRUE(at::equal(clips.colour[0], frames));
  EXPECT_TRUE(at::equal(clips.colour[1], frames));
  EXPECT_EQ(read_clips(set, {1}, {.frames = 3, .size = 8, .flow = {}}).colour.size(2), 8);
  write_png(folder.path() / "odd.png", at::zeros({16, 40, 3}, at::kByte));
  const auto odd = set_of({{.file = folder.path() / "odd.png", .end = {}}});
  EXPECT_THAT([&] { read_clips(odd, {0}, {.frames = 1, .flow = {}}); },
              ThrowsUsageError(HasSubstr("odd.png"), HasSubstr("40 x 16")));
}

// Flow is between neighbouring frames of the video, however far apart the clip's frames lie.
TEST(Videos, FlowIsBetweenNeighboursOfTheVideo) {
  const TemporaryFolder folder;
  // A bright square that moves 1 pixel a frame to the right.
  auto strip = at::full({12, 64, 64, 3}, 60, at::kByte);
  for (int t = 0; t < 12; ++t) strip[t].slice(0, 24, 40).slice(1, 10 + t, 26 + t) = 200;
  write_png(folder.path() / "a.png", strip.flatten(0, 1).contiguous());
  const auto set = set_of({{.file = folder.path() / "a.png", .end = {}}});
  const FlowOptions flow{.method = FlowMethod::Dis, .range = 4, .cache = folder.path() / "cache"};
  const auto clips = read_clips(set, {0}, {.frames = 3, .size = 64, .flow = flow});
  ASSERT_EQ(clips.flow.sizes(), clips.colour.sizes());
  for (int t = 0; t < 3; ++t) {
    const int at = 2 + 4 * t;  // floor((t + 0.5) 12 / 3)
    EXPECT_TRUE(at::equal(clips.colour[0][t], strip[at]));
    const auto square = clips.flow[0][t].slice(0, 28, 36).slice(1, 10 + at, 26 + at).to(at::kFloat);
    EXPECT_NEAR(square.select(2, 0).mean().item<double>(), 128 + 127.0 / 4, 8) << t;
    EXPECT_NEAR(square.select(2, 1).mean().item<double>(), 128, 4) << t;
  }
  // Read again: from the cache, the same.
  EXPECT_TRUE(
      at::equal(clips.flow, read_clips(set, {0}, {.frames = 3, .size = 64, .flow = flow}).flow));
  // One frame alone does not move.
  const auto still = set_of({{.file = folder.path() / "a.png", .first = 3, .end = 4}});
  EXPECT_EQ(read_clips(still, {0}, {.frames = 2, .size = 64, .flow = flow})
                .flow.select(4, 2)
                .max()
                .item<int>(),
            0);
}

// Depth comes from its own file and range, one channel, drawn at the same share of it.
TEST(Videos, DepthIsDrawnFromItsOwnRange) {
  const TemporaryFolder folder;
  write_video(folder.path() / "colour.avi", 8);
  write_video(folder.path() / "depth.avi", 12, 100, 5);
  auto set = set_of({{.file = folder.path() / "colour.avi", .first = 0, .end = 8}});
  set.videos[0].depth = FrameRange{.file = folder.path() / "depth.avi", .first = 2, .end = 10};
  const auto clips = read_clips(set, {0}, {.frames = 4, .size = 16, .flow = {}});
  ASSERT_EQ(clips.depth.sizes(), at::IntArrayRef({1, 4, 16, 16, 1}));
  for (int t = 0; t < 4; ++t) {
    EXPECT_NEAR(gray_of(clips.colour[0][t]), 4 * (2 * t + 1), 1.5) << t;
    EXPECT_NEAR(gray_of(clips.depth[0][t]), 100 + 5 * (2 + 2 * t + 1), 1.5) << t;
  }
}

// Many clips on several threads: each its own, in order.
TEST(Videos, TheNumberOfThreadsChangesNothing) {
  const TemporaryFolder folder;
  std::vector<FrameRange> ranges;
  for (int i = 0; i < 6; ++i) {
    write_video(folder.path() / (std::to_string(i) + ".avi"), 5, 20 * i, 3);
    ranges.push_back({.file = folder.path() / (std::to_string(i) + ".avi"), .end = {}});
  }
  const auto set = set_of(ranges);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const auto one =
      read_clips(set, {5, 0, 3, 1, 2, 4},
                 {.frames = 5, .size = 16, .flow = FlowOptions{.method = FlowMethod::Dis}});
  at::set_num_threads(3);
  const auto three =
      read_clips(set, {5, 0, 3, 1, 2, 4},
                 {.frames = 5, .size = 16, .flow = FlowOptions{.method = FlowMethod::Dis}});
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(one.colour, three.colour));
  EXPECT_TRUE(at::equal(one.flow, three.flow));
  EXPECT_NEAR(gray_of(one.colour[0][0]), 100, 2);
  EXPECT_NEAR(gray_of(one.colour[1][0]), 0, 2);
}

// Each broken video is named, all at once, with what to do.
TEST(Videos, BrokenVideosAreNamed) {
  const TemporaryFolder folder;
  write_video(folder.path() / "good.avi", 5);
  write_file(folder.path() / "text.avi", "this is not a video");
  write_file(folder.path() / "text.png", "this is not a picture");
  const auto at = [&](const char* name) { return folder.path() / name; };
  const auto set = set_of({{.file = at("good.avi"), .end = {}},
                           {.file = at("none.avi"), .end = {}},
                           {.file = at("text.avi"), .end = {}},
                           {.file = at("good.avi"), .first = 2, .end = 9},
                           {.file = at("good.avi"), .first = 5, .end = {}},
                           {.file = at("text.png"), .end = {}}});
  EXPECT_THAT(
      [&] {
        read_clips(set, {0, 1, 2, 3, 4, 5}, {.frames = 4, .size = 16, .flow = {}});
      },
      ThrowsUsageError(HasSubstr("5 things are wrong"), HasSubstr("none.avi: the file is missing"),
                       HasSubstr("text.avi"), HasSubstr("ends after 5 frames, 9 are wanted"),
                       HasSubstr("has 5 frames"), HasSubstr("text.png")));
  const auto issues = check_videos(set);
  ASSERT_EQ(issues.size(), 5u);
  EXPECT_EQ(issues[0].where, "v1");
  EXPECT_THAT(issues[2].what, HasSubstr("ends after 5 frames"));
  for (const auto& problem : issues) EXPECT_FALSE(problem.fix.empty());
}

// A file cut anywhere gives frames or a message, never a crash.
TEST(Videos, CutFilesGiveFramesOrAMessage) {
  const TemporaryFolder folder;
  write_video(folder.path() / "a.avi", 10);
  const auto whole = read_file(folder.path() / "a.avi");
  int told = 0;
  for (int part = 1; part < 12; ++part) {
    const auto file = folder.path() / ("cut" + std::to_string(part) + ".avi");
    write_file(file, whole.substr(0, whole.size() * static_cast<std::size_t>(part) / 12));
    const auto set = set_of({{.file = file, .end = 10}});
    try {
      EXPECT_EQ(read_clips(set, {0}, {.frames = 10, .size = 16, .flow = {}}).size(), 1);
    } catch (const Error& error) {
      ++told;
      EXPECT_THAT(error.what(), HasSubstr(file.filename().string()));
    }
  }
  EXPECT_GE(told, 8);
}

// Wrong use is named.
TEST(Videos, WrongUseIsNamed) {
  const auto set = set_of({});
  EXPECT_THAT([&] { read_clips(set, {0}, {.flow = {}}); },
              ThrowsUsageError(HasSubstr("video 0"), HasSubstr("set of 0")));
  EXPECT_THAT([&] { read_clips(set, {}, {.frames = 0, .flow = {}}); },
              ThrowsUsageError(HasSubstr("a clip of 0 frames")));
  EXPECT_THAT([&] { read_clips(set, {}, {.size = 0, .flow = {}}); },
              ThrowsUsageError(HasSubstr("0 pixels")));
  EXPECT_EQ(read_clips(set, {}, {.flow = {}}).size(), 0);
}

}  // namespace
}  // namespace reprise::datasets
