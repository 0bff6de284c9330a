// Weights on a disk without room: trained ones that are there are never lost to newer ones that do
// not fit.
#include "tests/full_disk.h"
#include "tests/support.h"
#include "weights/pytorch_file.h"
#include "weights/safetensors.h"
#include "weights/state_dict.h"

namespace reprise::weights {
namespace {

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

TEST_P(FullDisk, OldWeightsStayUntilTheNewOnesAreWhole) {
  on_disk([](Disk& disk) {
    const StateDict old{{"w", at::zeros({1000})}}, now{{"w", at::ones({20000})}};
    for (const auto& [name, write] :
         {std::pair{"w.safetensors",
                    +[](const std::filesystem::path&path, const StateDict&state) {
                      write_safetensors(path, state);
                    }},
          {"w.pth", &write_pytorch}}) {
      const auto path = disk.folder() / name;
      write(path, old);
      expect_refused_without_a_trace(disk, [&, write = write] { write(path, now); });
      EXPECT_TRUE(at::equal(read_weights(path).at(0).second, old[0].second)) << name;
      write(path, now);
      EXPECT_TRUE(at::equal(read_weights(path).at(0).second, now[0].second)) << name;
    }
  });
}

}  // namespace
}  // namespace reprise::weights
