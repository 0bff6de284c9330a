#include <ATen/ATen.h>

#include <cmath>

#include "datasets/generators/synhead.h"
#include "datasets/scene/synthetic_head.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

PoseTrack track(const std::string& name, std::int64_t frames, double pitch, double yaw,
                double roll) {
  PoseTrack out{.sequence = name};
  for (std::int64_t t = 0; t < frames; ++t) {
    out.frame.push_back(t);
    const auto along = static_cast<double>(t) / static_cast<double>(frames);
    out.angle[0].push_back(pitch * along), out.angle[1].push_back(yaw * along),
        out.angle[2].push_back(roll * along);
  }
  return out;
}

Synhead small(const std::string& kind = "clean", std::uint64_t seed = 1) {
  return {{track("a", 70, 20, -40, 10), track("b", 50, -10, 30, 5)},
          {.size = 32, .heads = {0, 3, 12}, .kind = kind, .seed = seed}};
}

TEST(Synhead, EveryHeadPlaysEveryTrack) {
  const auto set = small();
  EXPECT_EQ(set.sequences(), 6);
  EXPECT_EQ(set.frames(), 3 * (70 + 50));
  EXPECT_EQ(set.head(4), 3);
  EXPECT_EQ(set.track(4).sequence, "b");
  EXPECT_EQ(set.place(0).sequence, 0);
  EXPECT_EQ(set.place(71).sequence, 1);
  EXPECT_EQ(set.place(71).first, 1);
  EXPECT_EQ(set.place(359).first, 49);
  EXPECT_THAT([&] { set.place(360); }, ThrowsUsageError(HasSubstr("no frame 360 among 360")));
}

TEST(Synhead, AFrameDoesNotDependOnWhatItIsReadWithSlow) {
  for (const auto& kind : degradation_kinds()) {
    const auto set = small(kind);
    const auto whole = set.read({{0, 40}, {4, 5}}, 30);
    const auto alone = set.read({{4, 20}}, 3);
    EXPECT_TRUE(whole.images[1].slice(0, 15, 18).equal(alone.images[0])) << kind;
    EXPECT_TRUE(whole.landmarks[1].slice(0, 15, 18).equal(alone.landmarks[0])) << kind;
    EXPECT_TRUE(whole.pose[1].slice(0, 15, 18).equal(alone.pose[0])) << kind;
  }
}

TEST(Synhead, PoseIsThatOfTheTrackAndLandmarksAreTheProjectionOfThePlaces) {
  const auto clips = small("jitter").read({{1, 0}}, 70);
  for (const int t : {0, 35, 69}) {
    EXPECT_NEAR(clips.pose[0][t][0].item<float>(), 20.0 * t / 70, 1e-4);
    EXPECT_NEAR(clips.pose[0][t][1].item<float>(), -40.0 * t / 70, 1e-4);
  }
  // Less the neck's place, which a frame's 68 points share: u - c = f x / z has one solution for
  // it.
  const auto p = clips.landmarks_3d[0][10].to(at::kDouble),
             u = (clips.landmarks[0][10].to(at::kDouble) - 15.5) / 64;
  // x + X = u (z + Z), y + Y = v (z + Z): linear in X, Y, Z.
  auto a = at::zeros({136, 3}, at::kDouble);
  a.slice(0, 0, 68).select(1, 0).fill_(1);
  a.slice(0, 68).select(1, 1).fill_(1);
  a.slice(0, 0, 68).select(1, 2).copy_(-u.select(1, 0));
  a.slice(0, 68).select(1, 2).copy_(-u.select(1, 1));
  const auto b = at::cat({u.select(1, 0) * p.select(1, 2) - p.select(1, 0),
                          u.select(1, 1) * p.select(1, 2) - p.select(1, 1)});
  const auto solution = std::get<0>(at::linalg_lstsq(a, b.unsqueeze(1)));
  EXPECT_LT((a.matmul(solution).squeeze(1) - b).abs().max().item<double>(), 1e-3);
  EXPECT_NEAR(solution[2][0].item<double>(), 7, 1.5);
}

TEST(Synhead, PlacesTurnWithThePoseAlone) {
  // What no expression moves (ears, ridge of the nose) lie at R times where they lie at rest,
  // whatever the window does.
  const auto set = small("jitter");
  const auto clips = set.read({{0, 0}, {0, 69}}, 1);
  HeadPose pose;
  pose.pitch = clips.pose[1][0][0].item<float>(), pose.yaw = clips.pose[1][0][1].item<float>(),
  pose.roll = clips.pose[1][0][2].item<float>();
  const auto r = rotation(pose);
  const auto turn = at::tensor(std::vector<double>(r.begin(), r.end()), at::kDouble).view({3, 3});
  const auto rest = clips.landmarks_3d[0][0].to(at::kDouble),
             turned = clips.landmarks_3d[1][0].to(at::kDouble);
  for (const int k : {0, 16, 28, 30})
    EXPECT_LT((turn.matmul(rest[k]) - turned[k]).abs().max().item<double>(), 1e-3)
        << "landmark " << k;
}

TEST(Synhead, KindsChangeThePicturesAndOnlyJitterMovesThePointsSlow) {
  const auto clean = small().read({{0, 0}}, 60);
  for (const auto& kind : degradation_kinds()) {
    if (kind == "clean") continue;
    const auto clips = small(kind).read({{0, 0}}, 60);
    EXPECT_FALSE(clips.images.equal(clean.images)) << kind;
    const bool moves = kind == "jitter" || kind == "mix" || kind == "jumps" || kind == "gaps";
    EXPECT_EQ(clips.landmarks.equal(clean.landmarks), !moves) << kind;
    EXPECT_TRUE(clips.pose.equal(clean.pose)) << kind;
  }
}

// The camera delivers an old picture; the head has moved on, and the truth with it.
TEST(Synhead, AFrozenPictureIsThatOfAnEarlierFrame) {
  const auto clean = small().read({{0, 0}}, 60), frozen = small("frozen").read({{0, 0}}, 60);
  int old = 0;
  for (int t = 0; t < 60; ++t) {
    if (frozen.images[0][t].equal(clean.images[0][t])) continue;
    int from = t - 1;
    while (from > 0 && !frozen.images[0][t].equal(clean.images[0][from])) --from;
    EXPECT_TRUE(frozen.images[0][t].equal(clean.images[0][from])) << t;
    EXPECT_LE(t - from, 6) << t;
    ++old;
  }
  EXPECT_GT(old, 10);
  EXPECT_TRUE(frozen.landmarks.equal(clean.landmarks) && frozen.pose.equal(clean.pose));
}

TEST(Synhead, MirroringIsTheHeadAtTheMirroredPose) {
  const auto clips = small().read({{3, 30}}, 2);
  const auto m = mirror_clips(clips);
  EXPECT_EQ(m.pose[0][0][0].item<float>(), clips.pose[0][0][0].item<float>());
  EXPECT_EQ(m.pose[0][0][1].item<float>(), -clips.pose[0][0][1].item<float>());
  EXPECT_EQ(m.pose[0][0][2].item<float>(), -clips.pose[0][0][2].item<float>());
  EXPECT_TRUE(m.images[0][0].select(1, 0).equal(clips.images[0][0].select(1, 31)));
  EXPECT_NEAR(m.landmarks[0][0][36][0].item<float>(),
              31 - clips.landmarks[0][0][45][0].item<float>(), 1e-5);
  EXPECT_NEAR(m.landmarks_3d[0][0][36][0].item<float>(),
              -clips.landmarks_3d[0][0][45][0].item<float>(), 1e-5);
  const auto twice = mirror_clips(m);
  EXPECT_TRUE(twice.images.equal(clips.images) && twice.pose.equal(clips.pose) &&
              twice.landmarks_3d.equal(clips.landmarks_3d));
}

TEST(Synhead, MirroringAgreesWithTheGoldenCases) {
  for (const auto& c : fixture_json("dynamic_face.json").at("mirror").at("cases")) {
    const auto tensor = [&](const char* name, at::IntArrayRef shape) {
      std::vector<float> values;
      for (const auto& row : c.at(name))
        if (row.is_array())
          for (const auto& v : row) values.push_back(v.get<float>());
        else
          values.push_back(row.get<float>());
      return at::tensor(values).view(shape);
    };
    const auto width = c.at("width").get<std::int64_t>();
    const SynheadClips clips{at::zeros({1, 1, width, width, 3}, at::kByte),
                             tensor("pose", {1, 1, 3}), tensor("landmarks", {1, 1, 68, 2}),
                             at::zeros({1, 1, 68, 3})};
    const auto m = mirror_clips(clips);
    EXPECT_LT((m.pose - tensor("pose_mirrored", {1, 1, 3})).abs().max().item<float>(), 1e-4);
    EXPECT_LT((m.landmarks - tensor("landmarks_mirrored", {1, 1, 68, 2})).abs().max().item<float>(),
              1e-3);
  }
}

TEST(Synhead, BackwardsTwiceIsForwards) {
  const auto clips = small().read({{0, 10}}, 5);
  const auto back = reverse_clips(clips);
  EXPECT_TRUE(back.images[0][0].equal(clips.images[0][4]));
  EXPECT_TRUE(back.pose[0][1].equal(clips.pose[0][3]));
  EXPECT_TRUE(reverse_clips(back).landmarks.equal(clips.landmarks));
}

TEST(Synhead, SaysWhatCannotBe) {
  EXPECT_THAT([] { Synhead({}, {}); }, ThrowsUsageError(HasSubstr("without tracks")));
  EXPECT_THAT([] { small("fog"); }, ThrowsUsageError(HasSubstr("'fog'"), HasSubstr("occlusion")));
  EXPECT_THAT(
      [] {
        small().read({{0, 60}}, 20);
      },
      ThrowsUsageError(HasSubstr("20 frames from 60"), HasSubstr("track a has 70")));
  auto broken = track("c", 5, 1, 1, 1);
  broken.angle[1][2] = std::nan("");
  EXPECT_THAT([&] { Synhead({broken}, {}); },
              ThrowsUsageError(HasSubstr("track c lacks an angle")));
}

}  // namespace
}  // namespace reprise::datasets
