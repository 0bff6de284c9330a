#include <torch/torch.h>

#include <set>

#include "datasets/generators/gestures.h"
#include "datasets/scene/hand_model.h"
#include "datasets/scene/sensor_noise.h"
#include "datasets/splits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

std::int64_t gesture_label(const std::string& name) {
  const auto& names = gesture_classes();
  return std::ranges::find(names, name) - names.begin();
}

const std::vector<std::pair<std::string, std::string>> pairs{
    {"swipe_left", "swipe_right"},
    {"swipe_up", "swipe_down"},
    {"push", "pull"},
    {"open", "close"},
    {"turn_clockwise", "turn_counterclockwise"}};

/// Pixels that are nearer than 0.8 m: the hand and arm, not the person behind.
at::Tensor hand_of(const at::Tensor& depth) { return depth.squeeze(-1) > 115; }

/// Mean place (x, y) of the hand in each frame, pixels.
at::Tensor middle_of_hand(const at::Tensor& depth) {
  const auto hand = hand_of(depth).to(at::kFloat);
  const auto ramp = at::arange(hand.size(1)).to(at::kFloat);
  const auto count = hand.sum({1, 2}).clamp_min(1);
  return at::stack({(hand * ramp.unsqueeze(0)).sum({1, 2}) / count,
                    (hand * ramp.unsqueeze(1)).sum({1, 2}) / count},
                   1);
}

// A pair differs in the order of its frames and in nothing else, noise included.
TEST(Gestures, APairShowsTheSameFramesInReverseOrder) {
  for (const auto& [one, other] : pairs) {
    const auto forth = render_gesture_clip(gesture_label(one), 3, 7, 48, Random(11)),
               back = render_gesture_clip(gesture_label(other), 3, 7, 48, Random(11));
    EXPECT_TRUE(at::equal(forth.colour, back.colour.flip({0}))) << one;
    EXPECT_TRUE(at::equal(forth.depth, back.depth.flip({0}))) << one;
    EXPECT_FALSE(at::equal(forth.colour, back.colour)) << one;
  }
}

// The label says what is seen: swipes go to their side, push comes nearer, opening covers more
// pixels.
TEST(Gestures, TheHandDoesWhatTheLabelSays) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto depth = [&](const std::string& name) {
      return render_gesture_clip(gesture_label(name), 1, 8, 64, Random(seed)).depth;
    };
    const auto along = [&](const std::string& name, int axis) {
      const auto middle = middle_of_hand(depth(name));
      return (middle[7][axis] - middle[0][axis]).item<double>();
    };
    EXPECT_GT(along("swipe_right", 0), 4) << seed;
    EXPECT_LT(along("swipe_left", 0), -4) << seed;
    EXPECT_LT(along("swipe_up", 1), -1.5) << seed;
    EXPECT_GT(along("swipe_down", 1), 1.5) << seed;
    const auto push = depth("push").to(at::kFloat).amax({1, 2, 3});
    EXPECT_GT((push[7] - push[0]).item<double>(), 30) << seed;
    const auto covered = hand_of(depth("open")).sum({1, 2});
    EXPECT_GT(covered[7].item<int>(), covered[0].item<int>()) << seed;
  }
}

// The tips of an open hand lie away from the wrist, those of a fist near the palm; the rest is the
// camera's frame.
TEST(Gestures, FingersBendTowardsThePalm) {
  HandModel hand(hand_shape(0), 1);
  HandPose pose{.x = 0.1, .y = 0.05, .z = 0.6};
  hand.place(pose);
  const auto open = hand.tips();
  pose.curl = {1, 1, 1, 1, 1};
  hand.place(pose);
  const auto fist = hand.tips();
  for (std::size_t finger = 1; finger < 5; ++finger) {
    EXPECT_LT(open[finger].y, 0.05 - 0.12) << finger;   // far above the wrist
    EXPECT_GT(fist[finger].y, open[finger].y + 0.05);   // bent down
    EXPECT_LT(fist[finger].z, 0.6) << finger;           // before the palm, which faces the camera
    EXPECT_NEAR(open[finger].z, 0.6, 0.005) << finger;  // in its plane
  }
  EXPECT_GT(open[0].x, open[1].x) << "the thumb is on the picture's right";
}

// Turned by half a turn about the upright axis, a hand shows its back: x and z change their signs.
TEST(Gestures, TurningTheHandTurnsItsTips) {
  HandModel hand(hand_shape(4), 1);
  hand.place({.x = 0, .y = 0, .z = 0.5});
  const auto front = hand.tips();
  hand.place({.yaw = 180, .x = 0, .y = 0, .z = 0.5});
  for (std::size_t finger = 0; finger < 5; ++finger) {
    EXPECT_NEAR(hand.tips()[finger].x, -front[finger].x, 1e-5);
    EXPECT_NEAR(hand.tips()[finger].y, front[finger].y, 1e-5);
    EXPECT_NEAR(hand.tips()[finger].z - 0.5, 0.5 - front[finger].z, 1e-5);
  }
}

// Depth is the distance of what the colour image shows: value v stands for z = 1.25 - v / 255
// metres.
TEST(Gestures, DepthIsTheHandsDistance) {
  const auto push = render_gesture_clip(gesture_label("push"), 0, 16, 64, Random(5))
                        .depth.squeeze(-1)
                        .to(at::kFloat);
  const auto z = gesture_far - push[0].max().item<double>() / 255 * (gesture_far - gesture_near);
  EXPECT_GT(z, 0.45);  // the hand starts 0.48 to 0.76 m away, and its arm may be nearer by 0.05 m
  EXPECT_LT(z, 0.8);
  EXPECT_GT((push == 0).to(at::kFloat).mean().item<double>(), 0.2)
      << "the background is beyond the range";
}

// 8-bit nearness: exact values without noise are within one deviation; holes only at edges; the
// grain decides.
TEST(Gestures, ASensorsDepthIsNearnessWithHolesAtEdges) {
  constexpr int size = 32;
  std::vector<float> metres(size * size, 0.5F);
  for (int i = 0; i < size * size; ++i)
    if (i % size >= 16) metres[static_cast<std::size_t>(i)] = i % size < 24 ? 0.75F : 3.0F;
  std::vector<std::uint8_t> one(size * size), same(size * size), other(size * size);
  sense_depth(metres.data(), size, {.near = 0.25F, .far = 1.25F}, 7, one.data());
  sense_depth(metres.data(), size, {.near = 0.25F, .far = 1.25F}, 7, same.data());
  sense_depth(metres.data(), size, {.near = 0.25F, .far = 1.25F}, 8, other.data());
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
  int holes = 0;
  for (int i = 0; i < size * size; ++i) {
    const int x = i % size, value = one[static_cast<std::size_t>(i)];
    if (x >= 24) {
      EXPECT_EQ(value, 0);
      continue;
    }
    const bool edge = x == 15 || x == 16 || x == 23;
    holes += value == 0;
    if (value == 0) {
      EXPECT_TRUE(edge) << x;
      continue;
    }
    EXPECT_NEAR(value, x < 16 ? 191.25 : 127.5, x < 16 ? 2.2 : 4.2)
        << x;  // 2.45 deviations and rounding
  }
  EXPECT_GT(holes, 10);
  EXPECT_LT(holes, 60);
}

// Noise has the mean and deviation that are promised.
TEST(Gestures, GrainHasMeanZeroAndItsDeviation) {
  std::vector<std::uint8_t> values(100001, 128);
  add_grain(values.data(), values.size(), 4, 3);
  double sum = 0, squares = 0;
  for (const auto value : values)
    sum += value - 128.0, squares += (value - 128.0) * (value - 128.0);
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(sum / n, 0, 0.05);
  EXPECT_NEAR(std::sqrt(squares / n), std::sqrt(16 + 1.0 / 12), 0.05);
}

// Classes go round, each person has every class, names say who.
TEST(Gestures, LabelsAndPeopleAreBalancedAndNamed) {
  const auto set = generate_gestures(48, 2, 24, {3, 9}, 1);
  EXPECT_EQ(set.colour.sizes(), at::IntArrayRef({48, 2, 24, 24, 3}));
  EXPECT_EQ(set.depth.sizes(), at::IntArrayRef({48, 2, 24, 24, 1}));
  EXPECT_EQ(set.classes, gesture_classes());
  std::map<std::pair<std::string, std::int64_t>, int> counts;
  for (std::int64_t i = 0; i < 48; ++i)
    ++counts[{set.person[static_cast<std::size_t>(i)], set.labels[i].item<std::int64_t>()}];
  EXPECT_EQ(counts.size(), 24u);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, 2);
  EXPECT_EQ(set.item[12], "person009/000012");
  EXPECT_EQ(std::set<std::string>(set.item.begin(), set.item.end()).size(), 48u);
  // Clip i is the clip that render_gesture_clip draws from the same stream.
  const auto clip = render_gesture_clip(set.labels[13].item<std::int64_t>(), 9, 2, 24,
                                        Random(1).split("gesture", 13));
  EXPECT_TRUE(at::equal(set.colour[13], clip.colour));
  EXPECT_TRUE(at::equal(set.depth[13], clip.depth));
}

// Whoever is handed a set without its labels cannot read them off the numbers.
TEST(Gestures, ANumberDoesNotTellTheClass) {
  const auto labels = generate_gestures(48, 1, 16, {0}, 3).labels.view({4, 12});
  for (std::int64_t round = 1; round < 4; ++round)
    EXPECT_FALSE(at::equal(labels[0], labels[round])) << round;
  EXPECT_TRUE(at::equal(std::get<0>(labels.sort(1))[0], at::arange(12)));
}

// A split by person shares none.
TEST(Gestures, SplitsAreDisjointByPerson) {
  const auto set = generate_gestures(120, 1, 16, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2);
  const auto split = split_by(set.person, {}, 4);
  std::set<std::string> train, validation, test;
  for (const auto i : split.train) train.insert(set.person[static_cast<std::size_t>(i)]);
  for (const auto i : split.validation) validation.insert(set.person[static_cast<std::size_t>(i)]);
  for (const auto i : split.test) test.insert(set.person[static_cast<std::size_t>(i)]);
  EXPECT_EQ(train.size() + validation.size() + test.size(), 10u);
  EXPECT_GE(validation.size(), 1u);
  EXPECT_GE(test.size(), 1u);
}

// People differ in the form of their hands and in their skin.
TEST(Gestures, PeopleHaveHandsOfTheirOwn) {
  std::set<float> sizes;
  for (std::int64_t person = 0; person < 12; ++person) {
    const auto shape = hand_shape(person);
    sizes.insert(shape.size);
    EXPECT_GT(shape.size, 0.87F);
    EXPECT_LT(shape.size, 1.13F);
    EXPECT_EQ(shape.size, hand_shape(person).size);
  }
  EXPECT_EQ(sizes.size(), 12u);
  EXPECT_NE(hand_shape(0).skin, hand_shape(2).skin);
}

// Wrong use is named before anything is drawn.
TEST(Gestures, WrongUseIsNamed) {
  EXPECT_THAT([] { render_gesture_clip(12, 0, 4, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("no gesture 12"), HasSubstr("0 to 11")));
  EXPECT_THAT([] { render_gesture_clip(0, -1, 4, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("person -1")));
  EXPECT_THAT([] { render_gesture_clip(0, 0, 0, 32, Random(1)); },
              ThrowsUsageError(HasSubstr("0 frames")));
  EXPECT_THAT([] { render_gesture_clip(0, 0, 1, 4, Random(1)); },
              ThrowsUsageError(HasSubstr("8 to 2048")));
  EXPECT_THAT([] { generate_gestures(-1, 1, 32, {0}, 1); },
              ThrowsUsageError(HasSubstr("-1 clips")));
  EXPECT_THAT([] { generate_gestures(1, 1, 32, {}, 1); }, ThrowsUsageError(HasSubstr("no person")));
  EXPECT_THAT([] { generate_gestures(1, 0, 32, {0}, 1); }, ThrowsUsageError(HasSubstr("0 frames")));
}

}  // namespace
}  // namespace reprise::datasets
