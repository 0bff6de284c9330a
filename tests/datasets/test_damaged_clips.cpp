#include <torch/torch.h>

#include "datasets/damaged_clips.h"
#include "datasets/generators/gestures.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

LabelledClips some_clips() { return generate_gestures(6, 10, 16, {0, 1}, 3); }

TEST(DamagedClips, FramesOfGapsChangeInAllModalitiesAndNoOthersDo) {
  const auto clear = some_clips();
  auto damaged = some_clips();
  damage_clips(damaged, 1, {.kinds = {Damage::Hidden}}, Random(5));
  const auto changed = [](const at::Tensor& a, const at::Tensor& b) {
    return a.ne(b).flatten(2).any(2);
  };
  const auto colour = changed(damaged.colour, clear.colour);
  EXPECT_TRUE(at::equal(colour, changed(damaged.depth, clear.depth)));
  EXPECT_GT(colour.sum().item<int>(), 10);
  EXPECT_LT(colour.sum().item<int>(), 40);
  EXPECT_TRUE(at::equal(damaged.labels, clear.labels));
}

// So that a clip stays what it was when others are added.
TEST(DamagedClips, AClipsGapsAreItsOwn) {
  auto all = some_clips(), few = some_clips().at({0, 1});
  damage_clips(all, 1, {}, Random(5));
  damage_clips(few, 1, {}, Random(5));
  EXPECT_TRUE(at::equal(all.colour.slice(0, 0, 2), few.colour));
  auto none = some_clips();
  damage_clips(none, 0, {}, Random(5));
  EXPECT_TRUE(at::equal(none.colour, some_clips().colour));
}

TEST(DamagedClips, WhatCannotBeIsNamed) {
  auto clips = some_clips();
  EXPECT_THAT([&] { damage_clips(clips, 1.5, {}, Random(1)); },
              ThrowsUsageError(HasSubstr("1.5"), HasSubstr("from 0 to 1")));
  clips.colour = clips.colour.narrow(3, 0, 8);
  EXPECT_THAT([&] { damage_clips(clips, 1, {}, Random(1)); },
              ThrowsUsageError(HasSubstr("16 x 8")));
}

}  // namespace
}  // namespace reprise::datasets
