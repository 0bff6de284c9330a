// A run that is killed and started again must end as if nothing had happened, to the last bit.
#include <fstream>

#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/module_state.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;

struct Killed : std::exception {};

struct Outcome {
  weights::StateDict weights;
  FitReport report;
};

/// Everything a run has: dropout (torch's generator), batch statistics (buffers), EMA, two groups,
/// decay.
FitOptions options(const std::filesystem::path& checkpoint) {
  return {.epochs = 5,
          .warmup_steps = 7,
          .clip_norm = 0.5,
          .ema_decay = 0.9,
          .weight_decay = 0.01,
          .seed = 11,
          .checkpoint = checkpoint};
}

Outcome train(const FitOptions& options, int killed_at_batch = -1) {
  Toy toy(0.3);
  auto task = toy.task();
  const auto batch = task.batch;
  int batches = 0;
  task.batch = [&](std::int64_t epoch, std::int64_t index, Random& random) {
    if (batches++ == killed_at_batch) throw Killed();
    return batch(epoch, index, random);
  };
  const std::vector<ParameterGroup> groups{{toy.network->hidden->parameters(), 3e-3},
                                           {toy.network->out->parameters(), 1e-2}};
  const auto report = fit(*toy.network, groups, task, options, toy.silent);
  return {module_state(*toy.network), report};
}

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.report.train_loss, b.report.train_loss);
  EXPECT_EQ(a.report.validation_error, b.report.validation_error);
  EXPECT_EQ(a.report.best_epoch, b.report.best_epoch);
  EXPECT_EQ(a.report.steps, b.report.steps);
  ASSERT_EQ(a.weights.size(), b.weights.size());
  for (std::size_t i = 0; i < a.weights.size(); ++i)
    EXPECT_TRUE(at::equal(a.weights[i].second, b.weights[i].second)) << a.weights[i].first;
}

TEST(Checkpoint, ARunKilledAtAnyEpochEndOrWithinAnEpochEndsWithTheSameBitsSlow) {
  const auto whole = train(options(""));
  for (const int batch : {0, 5, 10, 20, 23, 30, 40, 49}) {
    SCOPED_TRACE("killed at batch " + std::to_string(batch));
    const TemporaryFolder folder;
    const auto path = folder.path() / "cell" / "checkpoint.safetensors";
    EXPECT_THROW(train(options(path), batch), Killed);
    EXPECT_EQ(std::filesystem::exists(path), batch >= 10);
    expect_same(train(options(path)), whole);
  }
}

TEST(Checkpoint, ARunKilledTwiceEndsWithTheSameBits) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  EXPECT_THROW(train(options(path), 15), Killed);
  EXPECT_THROW(train(options(path), 25), Killed);
  expect_same(train(options(path)), train(options("")));
}

TEST(Checkpoint, AFinishedRunIsNotTrainedAgain) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  const auto first = train(options(path));
  expect_same(train(options(path), /*killed_at_batch=*/0), first);  // asks for no batch
}

TEST(Checkpoint, AnEarlyStopIsRemembered) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  const auto run = [&](int most_calls) {
    Toy toy;
    auto task = toy.task();
    int calls = 0;
    task.validate = [&] { return ++calls > most_calls ? throw Killed() : 1.0; };
    return fit(*toy.network, toy.all(), task, {.epochs = 9, .patience = 2, .checkpoint = path},
               toy.silent)
        .validation_error.size();
  };
  EXPECT_EQ(run(3), 3U);
  EXPECT_EQ(run(0), 3U);
}

TEST(Checkpoint, OneOfOtherOptionsIsNotUsedAndIsReplaced) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  train(options(path));
  auto other = options(path);
  other.weight_decay = 0.2;
  auto unstored = other;
  unstored.checkpoint = "";
  const auto expected = train(unstored);
  expect_same(train(other), expected);
  expect_same(train(other, /*killed_at_batch=*/0), expected);
}

TEST(Checkpoint, ADamagedOneIsNamedWithWhatToDo) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "checkpoint.safetensors";
  train(options(path));
  const auto bytes = read_file(path);
  for (const auto& damaged :
       {std::string("no checkpoint"), bytes.substr(0, bytes.size() - 9), std::string()}) {
    std::ofstream(path, std::ios::binary) << damaged;
    EXPECT_THAT([&] { train(options(path)); },
                ThrowsError(HasSubstr(path.string()), HasSubstr("not a complete checkpoint"),
                            HasSubstr("remove the file")));
  }
  Toy toy;
  save_weights(*toy.network, path);
  EXPECT_THAT([&] { train(options(path)); }, ThrowsError(HasSubstr("lacks the identity")));
}

}  // namespace
}  // namespace reprise::training
