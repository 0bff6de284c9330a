#include <torch/torch.h>

#include <cmath>
#include <set>

#include "datasets/generators/walkers.h"
#include "datasets/scene/body_model.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

std::int64_t label_of(const std::string& name) {
  const auto& names = walker_classes();
  return std::ranges::find(names, name) - names.begin();
}

at::Tensor clip_of(const std::string& name, std::uint64_t seed, std::int64_t frames = 8) {
  return render_walker_clip(label_of(name), 2, frames, 64, Random(seed));
}

/// Where a clip differs from its own median frame, the still background: mean place (x, y) in each
/// frame, pixels.
at::Tensor middle_of(const at::Tensor& clip) {
  const auto still = std::get<0>(clip.median(0));
  const auto off = ((clip.to(at::kFloat) - still.to(at::kFloat)).abs().amax(3) > 20).to(at::kFloat);
  const auto ramp = at::arange(64).to(at::kFloat);
  const auto count = off.sum({1, 2}).clamp_min(1);
  return at::stack({(off * ramp.unsqueeze(0)).sum({1, 2}) / count,
                    (off * ramp.unsqueeze(1)).sum({1, 2}) / count},
                   1);
}

// A pair differs in the order of its frames and in nothing else, noise included.
TEST(Walkers, APairShowsTheSameFramesInReverseOrder) {
  for (const auto& [one, other] : {std::pair{"walk_forward", "walk_backward"},
                                   {"hurry_forward", "hurry_backward"},
                                   {"crouch", "rise"}}) {
    const auto forth = clip_of(one, 5), back = clip_of(other, 5);
    EXPECT_TRUE(at::equal(forth, back.flip({0}))) << one;
    EXPECT_FALSE(at::equal(forth, back)) << one;
  }
}

// Hurrying covers twice the way of walking, walking in place none.
TEST(Walkers, TheWayCoveredIsWhatTheLabelSays) {
  for (const std::uint64_t seed : {1, 2, 3, 6}) {
    const auto way = [&](const std::string& name) {
      const auto x = middle_of(clip_of(name, seed, 16)).select(1, 0);
      return (x[14] - x[1]).item<double>();
    };
    const double walk = way("walk_forward"), hurry = way("hurry_forward");
    EXPECT_GT(std::abs(walk), 9) << seed;
    EXPECT_NEAR(hurry / walk, 2, 0.35) << seed;
    EXPECT_NEAR(way("walk_backward"), -walk, 3) << seed;
    EXPECT_LT(std::abs(way("walk_in_place")), 4) << seed;
  }
}

// Single frames of a held arm are frames that a waving arm could show, and they do not move but for
// noise.
TEST(Walkers, AHeldArmStandsStillAndAWavingOneDoesNot) {
  const auto moved = [](const at::Tensor& clip) {
    const auto pixels = clip.to(at::kFloat);
    return ((pixels.narrow(0, 1, 7) - pixels.narrow(0, 0, 7)).abs().amax({1, 2, 3}))
        .min()
        .item<double>();
  };
  EXPECT_LT(moved(clip_of("hold_up", 3)), 9);  // twice 2.45 deviations of 1.5, and rounding
  EXPECT_GT(moved(clip_of("wave", 3)), 30);
}

// The lower foot stands on the ground whatever the legs do; a leap lifts it by its height.
TEST(Walkers, TheLowerFootStandsOnTheGround) {
  BodyModel body(body_shape(1), 2);
  const auto lowest = [&](const BodyPose& pose) { return std::ranges::max(body.place(pose).y); };
  const auto sole = [](const BodyPose& pose) { return static_cast<float>(pose.ground); };
  const BodyPose standing{}, stepping{.thigh = {28, -24}, .knee = {6, 14}}, leaping{.height = 0.2};
  EXPECT_NEAR(lowest(standing), sole(standing), 0.03);
  EXPECT_NEAR(lowest(stepping), sole(stepping), 0.08);  // the toes of the leg behind point down
  EXPECT_NEAR(lowest(leaping), lowest(standing) - 0.2, 1e-5);
}

// Looking left is looking right, turned about the upright axis.
TEST(Walkers, TurningRoundMirrorsPlaces) {
  BodyModel body(body_shape(3), 1);
  BodyPose pose{.x = 0.4, .lean = 10, .thigh = {30, 0}};
  const auto right = body.place(pose);
  pose.turn = 180;
  const auto& left = body.place(pose);
  for (std::size_t i = 0; i < left.vertices(); i += 17) {
    EXPECT_NEAR(left.x[i] - 0.4, 0.4 - right.x[i], 1e-5);
    EXPECT_NEAR(left.y[i], right.y[i], 1e-5);
    EXPECT_NEAR(left.z[i] - 5, 5 - right.z[i], 1e-5);
  }
}

// Flow of a walker: near its body along the way it goes, none on the background.
TEST(Walkers, FlowGoesWhereThePersonGoesSlow) {
  const auto set = generate_walkers(10, 12, 64, {2}, 4, FlowOptions{.method = FlowMethod::Dis});
  ASSERT_EQ(set.flow.sizes(), set.colour.sizes());
  EXPECT_EQ(set.colour.sizes(), at::IntArrayRef({10, 12, 64, 64, 3}));
  const auto clip_of = [&](const std::string& name) {
    return set.labels.argsort()[label_of(name)].item<std::int64_t>();
  };
  const auto way = [&](const std::string& name) {
    const auto flow = set.flow[clip_of(name)].to(at::kFloat);
    const auto moving = flow.select(3, 2) > 40;
    EXPECT_GT(moving.sum().item<int>(), 300) << name;
    return (flow.select(3, 0).masked_select(moving).mean() - 128).item<double>();
  };
  const auto middle = [&](const std::string& name) {
    const auto x = middle_of(set.colour[clip_of(name)]).select(1, 0);
    return (x[11] - x[0]).item<double>();
  };
  for (const char* name : {"walk_forward", "walk_backward", "hurry_forward", "hurry_backward"})
    EXPECT_GT(way(name) * middle(name), 0) << name;
  EXPECT_LT(set.flow[clip_of("hold_up")].select(3, 2).to(at::kFloat).mean().item<double>(), 8);
}

TEST(Walkers, FlowIsThereWhereItIsAskedForAndChangesNoPicture) {
  const auto with_flow =
                 generate_walkers(3, 3, 32, {0, 5}, 7, FlowOptions{.method = FlowMethod::Dis}),
             plain = generate_walkers(3, 3, 32, {0, 5}, 7);
  EXPECT_TRUE(at::equal(with_flow.colour, plain.colour));
  EXPECT_FALSE(plain.flow.defined());
}

// Classes go round, each person has every class.
TEST(Walkers, LabelsAndPeopleAreBalanced) {
  const auto set = generate_walkers(40, 1, 16, {3, 9}, 1);
  std::map<std::pair<std::string, std::int64_t>, int> counts;
  for (std::int64_t i = 0; i < 40; ++i)
    ++counts[{set.person[static_cast<std::size_t>(i)], set.labels[i].item<std::int64_t>()}];
  EXPECT_EQ(counts.size(), 20u);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, 2);
  EXPECT_EQ(set.classes, walker_classes());
  EXPECT_TRUE(at::equal(set.colour[11], render_walker_clip(set.labels[11].item<std::int64_t>(), 9,
                                                           1, 16, Random(1).split("action", 11))));
}

// Wrong use is named.
TEST(Walkers, WrongUseIsNamed) {
  EXPECT_THAT([] { render_walker_clip(10, 0, 4, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("no action 10"), HasSubstr("0 to 9")));
  EXPECT_THAT([] { render_walker_clip(0, -1, 4, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("person -1")));
  EXPECT_THAT([] { render_walker_clip(0, 0, 0, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { render_walker_clip(0, 0, 1, 4, Random(1)); },
              ThrowsUsageError(HasSubstr("8 to 2048")));
  EXPECT_THAT([] { generate_walkers(-1, 1, 32, {0}, 1); }, ThrowsUsageError(HasSubstr("-1 clips")));
  EXPECT_THAT([] { generate_walkers(1, 1, 32, {}, 1); }, ThrowsUsageError(HasSubstr("no person")));
}

}  // namespace
}  // namespace reprise::datasets
