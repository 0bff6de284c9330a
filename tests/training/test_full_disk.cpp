// A training run on a disk without room: the last checkpoint stays, and the run goes on from it
// when there is room again.
#include "tests/full_disk.h"
#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/checkpoint.h"
#include "training/module_state.h"

namespace reprise::training {
namespace {

INSTANTIATE_TEST_SUITE_P(Kind, FullDisk, every_disk, name_of_disk);

TEST_P(FullDisk, TheLastCheckpointAndTheWeightsStay) {
  on_disk([](Disk& disk) {
    const auto path = disk.folder() / "checkpoint.safetensors",
               weights = disk.folder() / "weights.safetensors";
    Toy toy;
    const nlohmann::json report{{"steps", 10}};
    const Checkpoint first{"run", {{"network.w", at::zeros({10})}}, report},
        second{"run", {{"network.w", at::ones({20000})}}, report};
    write_checkpoint(path, first);
    expect_refused_without_a_trace(disk, [&] { write_checkpoint(path, second); });
    EXPECT_TRUE(at::equal(read_checkpoint(path, "run")->tensors[0].second, at::zeros({10})));
    expect_refused_without_a_trace(disk, [&] { save_weights(*toy.network, weights); });
    write_checkpoint(path, second);
    EXPECT_TRUE(at::equal(read_checkpoint(path, "run")->tensors[0].second, at::ones({20000})));
  });
}

// No child process: one that is forked from a process which has trained cannot train.
TEST(TrainingWithoutRoom, ARunThatCouldNotKeepItsCheckpointEndsWithTheSameBitsLater) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  Disk disk(Disk::Kind::FileLimit, folder.path());
  const auto train = [&](const std::filesystem::path& checkpoint, int full_at_batch) {
    Toy toy(0.3);
    auto task = toy.task();
    const auto batch = task.batch;
    int batches = 0;
    task.batch = [&](std::int64_t epoch, std::int64_t index, Random& random) {
      if (batches++ == full_at_batch) disk.fill(2048);
      return batch(epoch, index, random);
    };
    fit(*toy.network, toy.all(), task,
        {.epochs = 4, .ema_decay = 0.9, .seed = 5, .checkpoint = checkpoint}, toy.silent);
    return module_state(*toy.network);
  };
  const auto whole = train("", -1);
  EXPECT_THAT([&] { train(path, 15); },
              ThrowsError(testing::HasSubstr(path.string()), testing::HasSubstr("File too large"),
                          testing::HasSubstr("free some space")));
  disk.make_room();
  EXPECT_EQ(files_below(folder.path()).size(), 1U);
  const auto later = train(path, -1);
  ASSERT_EQ(later.size(), whole.size());
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(at::equal(later[i].second, whole[i].second)) << whole[i].first;
}

}  // namespace
}  // namespace reprise::training
