// Every golden file, damaged in 200 ways from a fixed seed: reading it succeeds or throws our error, and does nothing else.
#include <algorithm>
#include <fstream>

#include "core/random.h"
#include "tests/support.h"
#include "weights/state_dict.h"

namespace reprise::weights {
namespace {

std::string damaged(std::string bytes, Random random) {
  if (random.chance(0.3)) {
    bytes.resize(static_cast<std::size_t>(random.below(static_cast<std::int64_t>(bytes.size()))));
    return bytes;
  }
  for (auto flips = 1 + random.below(8); flips > 0; --flips)
    bytes[random.below(static_cast<std::int64_t>(bytes.size()))] ^= static_cast<char>(1 << random.below(8));
  return bytes;
}

class DamagedFile : public testing::TestWithParam<const char*> {};

TEST_P(DamagedFile, GivesTensorsOrOurErrorAndNothingElse) {
  const TemporaryFolder folder;
  const auto path = folder.path() / GetParam();
  const std::string whole = read_file(fixture(std::string("weights/") + GetParam()));
  const Random random(seed_of({"damaged", GetParam()}));
  int refused = 0;
  for (int copy = 0; copy < 200; ++copy) {
    std::ofstream(path, std::ios::binary) << damaged(whole, random.split("copy", copy));
    try {
      for (const auto& [name, tensor] : read_weights(path)) EXPECT_EQ(tensor.contiguous().numel(), tensor.numel()) << name;
    } catch (const Error& error) {
      EXPECT_THAT(error.problem(), testing::HasSubstr(path.string()));
      ++refused;
    }
  }
  EXPECT_GE(refused, 50);  // three in ten are cut short, and none of these can be whole
  EXPECT_FALSE(std::filesystem::exists("hostile_file_was_run"));
}

INSTANTIATE_TEST_SUITE_P(Golden, DamagedFile,
                         testing::Values("plain_zip.pth", "plain_stream.pth", "odd_zip.pth", "odd_stream.pth", "nested_zip.pth",
                                         "data_parallel_zip.pth", "not_a_dictionary_zip.pth", "hostile_zip.pth", "hostile_stream.pth",
                                         "all.safetensors"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace reprise::weights
