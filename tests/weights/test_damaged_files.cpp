// Every golden file, damaged in 300 ways from a fixed seed: reading it succeeds or throws our
// error, and does nothing else.
#include <algorithm>

#include "tests/damage.h"
#include "tests/support.h"
#include "weights/state_dict.h"

namespace reprise::weights {
namespace {

class DamagedFile : public testing::TestWithParam<const char*> {};

TEST_P(DamagedFile, GivesTensorsOrOurErrorAndNothingElseSlow) {
  const TemporaryFolder folder;
  const auto path = folder.path() / GetParam();
  const std::string whole = read_file(fixture(std::string("weights/") + GetParam()));
  const int refused = read_damaged_copies(path, whole, [](const auto& file) {
    for (const auto& [name, tensor] : read_weights(file))
      EXPECT_EQ(tensor.contiguous().numel(), tensor.numel()) << name;
  });
  EXPECT_GE(refused, 75);  // three in ten are cut short, and none of these can be whole
  EXPECT_FALSE(std::filesystem::exists("hostile_file_was_run"));
}

INSTANTIATE_TEST_SUITE_P(Golden, DamagedFile,
                         testing::Values("plain_zip.pth", "plain_stream.pth", "odd_zip.pth",
                                         "odd_stream.pth", "nested_zip.pth",
                                         "data_parallel_zip.pth", "not_a_dictionary_zip.pth",
                                         "hostile_zip.pth", "hostile_stream.pth",
                                         "all.safetensors"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace reprise::weights
