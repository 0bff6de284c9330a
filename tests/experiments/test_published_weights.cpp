// VGG16's weights in a network of ours.
#include "experiments/published_weights.h"
#include "models/backbones/known_backbones.h"
#include "tests/reproduce/small_vgg16.h"
#include "tests/support.h"
#include "weights/safetensors.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

TEST(LoadVgg16, AGrayNetworkSeesTheSumOfTheColours) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "vgg16.safetensors";
  const auto state = small_vgg16();
  weights::write_safetensors(file, state);
  Random random(1);
  const auto network = [&](std::int64_t channels, std::int64_t width) {
    return models::make_small_network(
        {.channels = channels, .size = 16, .trunk = "4 p 8 p", .batch_norm = false, .width = width},
        random);
  };
  auto gray = network(1, 6), colour = network(3, 6);
  load_vgg16(gray, file);
  load_vgg16(colour, file);
  EXPECT_TRUE(at::equal(colour->named_parameters()["fc7.weight"], state[6].second));
  const auto image = (at::arange(256, at::kFloat) * 0.11).cos().view({1, 1, 16, 16});
  EXPECT_TRUE(at::allclose(gray->features(image, "pool2"),
                           colour->features(image.expand({1, 3, 16, 16}), "pool2"), 1e-4, 1e-5));
}

TEST(LoadVgg16, NamesAMissingLayerAndBothShapes) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "vgg16.safetensors";
  auto state = small_vgg16();
  weights::write_safetensors(file, state);
  Random random(1);
  auto other = models::make_small_network(
      {.size = 16, .trunk = "4 p 8 p", .batch_norm = false, .width = 7}, random);
  EXPECT_THAT([&] { load_vgg16(other, file); },
              ThrowsUsageError(HasSubstr("classifier.0.weight"), HasSubstr("[6, 128]"),
                               HasSubstr("[7, 128]")));
  state.erase(state.begin() + 2);
  weights::write_safetensors(file, state);
  EXPECT_THAT([&] { load_vgg16(other, file); },
              ThrowsUsageError(HasSubstr("no features.3.weight"), HasSubstr("torchvision")));
}

}  // namespace
}  // namespace reprise::reproduce
