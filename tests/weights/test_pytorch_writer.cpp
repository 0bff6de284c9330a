#include <ATen/ATen.h>

#include "tests/support.h"
#include "tests/weights/states.h"
#include "weights/pytorch_file.h"
#include "weights/safetensors.h"

namespace reprise::weights {
namespace {

using testing::HasSubstr;

void expect_same(const StateDict& got, const StateDict& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].first, expected[i].first);
    EXPECT_EQ(got[i].second.scalar_type(), expected[i].second.scalar_type()) << got[i].first;
    if (!got[i].first.starts_with("rare."))
      EXPECT_TRUE(at::equal(got[i].second, expected[i].second)) << got[i].first;
    else
      EXPECT_TRUE(at::equal(raw_bytes(got[i].second), raw_bytes(expected[i].second)))
          << got[i].first;
  }
}

TEST(PyTorchWriter, EveryTypeShapeAndNameComesBackInOrder) {
  const auto state = one_of_each_type();
  expect_same(parse_zip(pytorch_bytes(state), "some.pth"), state);
}

TEST(PyTorchWriter, RareTypesComeBackFromBothFormats) {
  auto state = rare_types();
  expect_same(parse_safetensors(safetensors_bytes(state), "some.safetensors").tensors, state);
  state.emplace_back("rare.C128", at::ones({3}, at::kComplexDouble));
  expect_same(parse_zip(pytorch_bytes(state), "some.pth"), state);
  EXPECT_THAT([&] { safetensors_bytes(state); },
              ThrowsUsageError(HasSubstr("rare.C128"), HasSubstr("write a .pth")));
}

TEST(PyTorchWriter, ThroughSafetensorsAndBackNothingChanges) {
  const TemporaryFolder folder;
  const auto golden = read_weights(fixture("weights/odd_zip.pth"));
  write_pytorch(folder.path() / "a.pth", golden);
  write_safetensors(folder.path() / "b.safetensors", read_weights(folder.path() / "a.pth"));
  write_pytorch(folder.path() / "c.pth", read_weights(folder.path() / "b.safetensors"));
  expect_same(read_weights(folder.path() / "c.pth"), golden);
  EXPECT_EQ(read_file(folder.path() / "a.pth"), read_file(folder.path() / "c.pth"));
}

// Longer than the pieces in which a file is copied, and let go behind what was copied.
TEST(PyTorchWriter, ALongTensorIsWhole) {
  const TemporaryFolder folder;
  const StateDict state{{"short", at::arange(3).to(at::kFloat)},
                        {"long", at::arange(3'000'001).to(at::kFloat)},
                        {"last", at::ones({5})}};
  write_pytorch(folder.path() / "long.pth", state);
  expect_same(read_weights(folder.path() / "long.pth"), state);
}

// Read by torch.load(weights_only=True) of PyTorch 2.11 when it was made; a change of one byte asks
// for that check again.
TEST(PyTorchWriter, WritesWhatPythonWasSeenToRead) {
  const StateDict state{{"features.0.weight", at::arange(6).to(at::kFloat).reshape({2, 3})},
                        {"steps", at::scalar_tensor(7, at::kLong)}};
  EXPECT_EQ(pytorch_bytes(state), read_file(fixture("weights/written.pth")));
}

TEST(PyTorchWriter, RefusesANameTwiceAnUndefinedTensorAndATypeThatWeightsDoNotHave) {
  EXPECT_THAT(
      [] {
        pytorch_bytes({{"a", at::ones({1})}, {"a", at::ones({1})}});
      },
      ThrowsError(HasSubstr("\"a\" is given twice")));
  EXPECT_THAT(
      [] {
        pytorch_bytes({{"a", at::Tensor()}});
      },
      ThrowsError(HasSubstr("\"a\" is undefined")));
  EXPECT_THAT(
      [] {
        pytorch_bytes({{"a", at::ones({1}, at::kComplexHalf)}});
      },
      ThrowsError(HasSubstr("F64 F32 F16")));
}

}  // namespace
}  // namespace reprise::weights
