// Parts of heads and tracks, test sequences, and encoding of targets.
#include <torch/torch.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "reproduce/dynamic_face/cells.h"
#include "tests/reproduce/dynamic_face_settings.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

TEST(DynamicFaceStudy, PartsShareNeitherTracksNorHeads) {
  const auto parts = dynamic_face_study::load_scenes(faces_profile("smoke"), "", 3);
  std::set<std::string> tracks;
  std::set<std::int64_t> heads;
  std::size_t all_tracks = 0, all_heads = 0;
  for (const auto* part : {&parts.train, &parts.validation, &parts.test}) {
    for (const auto& track : part->tracks) tracks.insert(track.sequence), ++all_tracks;
    for (const auto head : part->heads) heads.insert(head), ++all_heads;
  }
  EXPECT_EQ(tracks.size(), all_tracks);
  EXPECT_EQ(heads.size(), all_heads);
  EXPECT_EQ(all_heads, 20U);
  // Heads of another seed are other people.
  for (const auto head : dynamic_face_study::load_scenes(faces_profile("smoke"), "", 4).train.heads)
    EXPECT_FALSE(heads.contains(head));
}

TEST(DynamicFaceStudy, AFoldSharesNothingWithTheOthers) {
  const auto scenes = dynamic_face_study::load_scenes(faces_profile("smoke"), "", 3).train;
  std::size_t tracks = 0, heads = 0;
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto in = select_fold(scenes, {.of = 5, .index = k}),
               out = select_fold(scenes, {.of = 5, .index = k, .others = true});
    tracks += in.tracks.size(), heads += in.heads.size();
    EXPECT_EQ(in.tracks.size() + out.tracks.size(), scenes.tracks.size());
    EXPECT_EQ(in.heads.size() + out.heads.size(), scenes.heads.size());
    for (const auto head : in.heads)
      EXPECT_EQ(std::count(out.heads.begin(), out.heads.end(), head), 0);
    for (const auto& track : in.tracks)
      for (const auto& other : out.tracks) EXPECT_NE(track.sequence, other.sequence);
  }
  EXPECT_EQ(tracks, scenes.tracks.size());
  EXPECT_EQ(heads, scenes.heads.size());
  EXPECT_EQ(select_fold(scenes, {}).heads, scenes.heads);
  EXPECT_THAT([&] { select_fold(scenes, {.of = 100}); }, ThrowsUsageError(HasSubstr("100 folds")));
}

// A stride that is a multiple of the number of heads once tested two heads of ten.
TEST(DynamicFaceStudy, TheTestShowsEveryHeadAndEveryTrackAsOftenAsTheOthersSlow) {
  const auto settings = faces_profile("small", {"test.kinds=[\"gaps\"]", "strength.kinds=[]"});
  for (std::int64_t seed = 0; seed < 3; ++seed) {
    const auto scenes = dynamic_face_study::load_scenes(settings, "", seed).test;
    const auto set = dynamic_face_study::make_synhead(scenes, {"gaps"}, settings, 1);
    Random random(static_cast<std::uint64_t>(seed));
    const auto positions = dynamic_face_study::choose_test_sequences(set, 40, 120, random);
    std::map<std::int64_t, int> of_head;
    std::map<std::string, int> of_track;
    std::set<std::pair<std::int64_t, std::int64_t>> pairs;
    std::set<std::int64_t> starts;
    for (const auto& position : positions) {
      ++of_head[set.head(position.sequence)], ++of_track[set.track(position.sequence).sequence];
      starts.insert(position.first);
      EXPECT_TRUE(pairs.insert({position.sequence, position.take}).second);
      EXPECT_LE(position.first + 120, 400);
    }
    EXPECT_EQ(of_head.size(), scenes.heads.size());
    EXPECT_EQ(of_track.size(), scenes.tracks.size());
    const auto even = [](const auto& counts) {
      const auto [least, most] = std::ranges::minmax(counts | std::views::values);
      return most - least <= 1;
    };
    EXPECT_TRUE(even(of_head));
    EXPECT_TRUE(even(of_track));
    EXPECT_GT(starts.size(), 20U);
  }
}

TEST(DynamicFaceStudy, TargetsComeBack) {
  using dynamic_face_study::Output;
  const dynamic_face_study::Truth truth{
      torch::randn({2, 5, 3}) * 30, torch::rand({2, 5, 68, 2}) * 48, torch::randn({2, 5, 68, 3})};
  const auto off = [](const torch::Tensor& a, const torch::Tensor& b) {
    return (a - b).abs().max().item<float>();
  };
  for (const auto output : {Output::Pose, Output::Landmarks, Output::Joint, Output::Landmarks3d}) {
    const auto target = dynamic_face_study::encode_target(output, truth, 48);
    EXPECT_EQ(target.size(-1), dynamic_face_study::output_size(output));
    if (gives_pose(output))
      EXPECT_LT(off(dynamic_face_study::extract_pose(target), truth.pose), 1e-4);
    if (gives_landmarks(output))
      EXPECT_LT(off(dynamic_face_study::extract_landmarks(target, 48), truth.landmarks), 1e-4);
    if (output == Output::Landmarks3d)
      EXPECT_LT(off(dynamic_face_study::extract_landmarks_3d(target), truth.landmarks_3d), 1e-6);
    EXPECT_EQ(dynamic_face_study::squared_error(target, target).item<float>(), 0);
    EXPECT_LT(mean_error(output, target, truth, 48), 1e-4);
    EXPECT_GT(mean_error(output, target + 0.1, truth, 48), 1e-3);
  }
}

}  // namespace
}  // namespace reprise::reproduce
