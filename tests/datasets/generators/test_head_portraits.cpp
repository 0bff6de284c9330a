// Generated heads stand in the frame that photographs of faces are cut to.
#include <ATen/ATen.h>

#include "datasets/generators/head_portraits.h"
#include "tests/support.h"

namespace reprise::datasets {
namespace {

using testing::HasSubstr;

TEST(HeadPortraits, AFaceFillsTheSamePartOfThePictureAsInACutPhotograph) {
  const auto heads = render_head_portraits(6, {.size = 32, .scale = 1.5}, {0, 1, 2}, 3);
  EXPECT_EQ(heads.images.sizes(), at::IntArrayRef({6, 32, 32, 3}));
  const auto low = heads.landmarks.amin(1), high = heads.landmarks.amax(1);
  EXPECT_LT(((high - low).amax(1) - 32 / 1.5).abs().max().item<double>(), 1e-3);
  EXPECT_LT(((high + low) / 2 - 15.5).abs().max().item<double>(), 1e-3);
  EXPECT_TRUE(at::equal(heads.images,
                        render_head_portraits(6, {.size = 32, .scale = 1.5}, {0, 1, 2}, 3).images));
  EXPECT_THAT([] { render_head_portraits(1, {.size = 32, .scale = 0}, {0}, 1); },
              ThrowsUsageError(HasSubstr("scale")));
}

}  // namespace
}  // namespace reprise::datasets
