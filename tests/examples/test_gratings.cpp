#include <ATen/ATen.h>

#include "examples/gratings.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

/// How far the next frame is from this one moved by a pixel, mean over the frames of a clip.
double after_move(const at::Tensor& clip, std::int64_t pixels, std::int64_t axis) {
  const auto frames = clip.to(at::kDouble), last = frames.slice(0, 1),
             moved = at::roll(frames.slice(0, 0, -1), pixels, axis);
  return (last - moved).abs().mean().item<double>();
}

TEST(Gratings, StripesMoveTheWayTheirLabelSays) {
  const auto set = generate_gratings(40, 6, 32, {0, 1, 2}, 5);
  for (std::int64_t i = 0; i < set.size(); ++i) {
    const auto way = set.labels[i].item<std::int64_t>();
    const auto axis = way % 2 == 0 ? 2 : 1;
    const auto forwards = way < 2 ? 1 : -1;
    EXPECT_LT(after_move(set.colour[i], forwards, axis), after_move(set.colour[i], -forwards, axis))
        << i;
    EXPECT_EQ(at::diff(set.colour[i].to(at::kInt), 1, 3 - axis).abs().max().item<int>(), 0)
        << "the other way they are all alike";
  }
}

TEST(Gratings, ClipsDependOnTheSeedAlone) {
  const auto few = generate_gratings(5, 3, 16, {4, 7}, 1),
             many = generate_gratings(9, 3, 16, {4, 7}, 1);
  EXPECT_TRUE(at::equal(few.colour, many.colour.narrow(0, 0, 5)));
  EXPECT_TRUE(at::equal(few.labels, many.labels.narrow(0, 0, 5)));
  EXPECT_FALSE(at::equal(few.colour, generate_gratings(5, 3, 16, {4, 7}, 2).colour));
}

TEST(Gratings, RefusesWhatCannotBeDrawn) {
  EXPECT_THAT([] { generate_gratings(1, 4, 8, {0}, 0); },
              ThrowsUsageError(testing::HasSubstr("16 to 1024")));
}

}  // namespace
}  // namespace reprise::datasets
