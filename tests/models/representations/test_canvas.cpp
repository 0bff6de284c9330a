#include <set>

#include "models/representations/canvas.h"
#include "tests/models/exact.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;
using torch::Tensor;

Tensor view(std::int64_t object, std::int64_t offset) {
  return torch::tensor({{static_cast<double>(object), static_cast<double>(offset)}}, f64);
}

Tensor counting(at::IntArrayRef shape) {
  return torch::arange(c10::multiply_integers(shape), f64).view(shape);
}

TEST(Canvas, AnImageIsSeenWholeAndReplaced) {
  Canvas phi(counting({3, 1, 4, 5}));
  Random random(1);
  const auto psi = phi.views(random);
  EXPECT_TRUE(torch::equal(psi, torch::tensor({{0., 0.}, {1., 0.}, {2., 0.}}, f64)));
  EXPECT_TRUE(torch::equal(phi.render(psi), counting({3, 1, 4, 5})));
  phi.fit(psi, -counting({3, 1, 4, 5}));
  EXPECT_TRUE(torch::equal(phi.content(), -counting({3, 1, 4, 5})));
}

TEST(Canvas, WindowsCoverEveryPositionFromEveryPhase) {
  for (const auto& [length, window] : {std::pair{10, 4}, {12, 4}, {5, 5}, {7, 3}, {8, 1}})
    for (const bool wrap : {false, true}) {
      Canvas phi(torch::zeros({2, length}, f64), {.window = window, .wrap = wrap});
      for (std::int64_t phase = 0; phase < (wrap ? length : window); ++phase) {
        const auto psi = phi.windows(phase);
        phi.content().detach().zero_();
        phi.fit(psi, torch::ones({psi.size(0), window}, f64));
        EXPECT_TRUE(phi.content().eq(1).all().item<bool>())
            << length << " by " << window << " from " << phase;
        if (wrap) {
          EXPECT_EQ(psi.size(0), 2 * ((length + window - 1) / window));
        }
      }
    }
}

TEST(Canvas, WindowsEveryStrideReachTheEndAndLeaveNoGap) {
  const auto offsets = [](const Tensor& psi) {
    const auto column = psi.select(1, 1).contiguous();
    return std::vector<double>(column.data_ptr<double>(),
                               column.data_ptr<double>() + column.numel());
  };
  const Canvas strip(torch::zeros({1, 10}, f64), {.window = 4}),
      ring(torch::zeros({1, 10}, f64), {.window = 4, .wrap = true});
  EXPECT_EQ(offsets(strip.windows_every(4)), (std::vector<double>{0, 4, 6}));
  EXPECT_EQ(offsets(strip.windows_every(2)), (std::vector<double>{0, 2, 4, 6}));
  EXPECT_EQ(offsets(ring.windows_every(4)), (std::vector<double>{0, 4, 8}));
  EXPECT_EQ(offsets(Canvas(torch::zeros({2, 4}, f64)).windows_every(1)),
            (std::vector<double>{0, 0}));
  for (const std::int64_t stride : {0, 5})
    EXPECT_THAT([&] { strip.windows_every(stride); }, ThrowsUsageError(HasSubstr("windows of 4")));
}

TEST(Canvas, OverTheRoundsWindowsStartEverywhere) {
  for (const bool wrap : {false, true}) {
    Canvas phi(torch::zeros({1, 12}, f64), {.window = 4, .wrap = wrap});
    Random random(2);
    std::set<double> offsets;
    for (int round = 0; round < 200; ++round) {
      const auto psi = phi.views(random);
      for (std::int64_t i = 0; i < psi.size(0); ++i) offsets.insert(psi[i][1].item<double>());
    }
    EXPECT_EQ(offsets.size(), wrap ? 12U : 9U);
  }
}

TEST(Canvas, FittedToItsOwnRenderingStaysAsItIs) {
  at::Generator generator = training::torch_generator(3);
  for (const bool wrap : {false, true})
    for (const std::int64_t axis : {1, -2}) {
      const auto content = normal({2, 3, 10, 4}, generator);
      Canvas phi(content, {.axis = axis, .window = 6, .wrap = wrap});
      for (std::int64_t phase = 0; phase < 6; ++phase) {
        const auto psi = phi.windows(phase);
        phi.fit(psi, phi.render(psi).detach());
        EXPECT_TRUE(torch::allclose(phi.content(), content, 1e-15, 1e-15));
      }
    }
}

TEST(Canvas, AroundTheEndTheFirstValuesFollowTheLast) {
  Canvas phi(counting({1, 6}), {.window = 4, .wrap = true});
  EXPECT_TRUE(torch::equal(phi.render(view(0, 4)), torch::tensor({{4., 5., 0., 1.}}, f64)));
  phi.fit(view(0, 4), torch::tensor({{40., 50., 60., 70.}}, f64));
  EXPECT_TRUE(torch::equal(phi.content(), torch::tensor({{60., 70., 2., 3., 40., 50.}}, f64)));
}

TEST(Canvas, FollowsTheMeanWhereWindowsOverlapAndKeepsWhatNoneSees) {
  Canvas phi(torch::full({2, 7}, 9.0, f64), {.window = 4});
  phi.fit(torch::cat({view(1, 0), view(1, 2)}),
          torch::tensor({{1., 1., 1., 1.}, {3., 3., 3., 3.}}, f64));
  EXPECT_TRUE(torch::equal(
      phi.content(),
      torch::tensor({{9., 9., 9., 9., 9., 9., 9.}, {1., 1., 2., 2., 3., 3., 9.}}, f64)));
}

TEST(Canvas, AVideoIsShownToThePriorAsFramesInChannels) {
  const auto video = counting({2, 5, 2, 3, 4});
  Canvas phi(video, {.axis = 0, .window = 3, .item = {6, 3, 4}});
  const auto seen = phi.render(view(1, 1));
  EXPECT_TRUE(torch::equal(seen, video[1].slice(0, 1, 4).reshape({1, 6, 3, 4})));
  phi.fit(view(1, 1), -seen.detach());
  EXPECT_TRUE(torch::equal(phi.content()[1].slice(0, 1, 4), -video[1].slice(0, 1, 4)));
  EXPECT_TRUE(torch::equal(phi.content()[1][0], video[1][0]));
  EXPECT_TRUE(torch::equal(phi.content()[0], video[0]));
}

TEST(Canvas, ItsRenderingHasAGradientOneATimeThatAValueIsSeen) {
  Canvas phi(counting({1, 6}), {.window = 4});
  phi.render(torch::cat({view(0, 0), view(0, 2)})).sum().backward();
  EXPECT_TRUE(torch::equal(phi.content().grad(), torch::tensor({{1., 1., 2., 2., 1., 1.}}, f64)));
}

TEST(Canvas, StoresACopyOfTheContentAsItsState) {
  const auto content = counting({1, 6});
  Canvas phi(content);
  content.zero_();
  ASSERT_EQ(phi.state().size(), 1U);
  EXPECT_EQ(phi.state()[0].first, "content");
  EXPECT_TRUE(torch::equal(phi.state()[0].second, counting({1, 6})));
}

TEST(Canvas, RefusesWindowsItemsAndTargetsThatDoNotFit) {
  const auto content = torch::zeros({2, 3, 8}, f64);
  EXPECT_THAT([&] { Canvas(content, {.window = 9}); },
              ThrowsUsageError(HasSubstr("a window of 9"), HasSubstr("a canvas of 8")));
  EXPECT_THAT([&] { Canvas(content, {.window = -1}); }, ThrowsUsageError(HasSubstr("-1")));
  for (const std::int64_t axis : {2, -3})
    EXPECT_THAT([&] { Canvas(content, {.axis = axis}); }, ThrowsUsageError(HasSubstr("no axis")));
  EXPECT_THAT(
      [&] {
        Canvas(content, {.window = 4, .item = {3, 5}});
      },
      ThrowsUsageError(HasSubstr("12 values"), HasSubstr("15")));
  Canvas phi(content);
  auto target = torch::zeros({2, 3, 8}, f64);
  target[1][0][0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT([&] { phi.fit(phi.windows(0), target); },
              ThrowsError(HasSubstr("the target of view 1 is not finite")));
  EXPECT_TRUE(torch::equal(phi.content(), content));
}

}  // namespace
}  // namespace reprise::models
