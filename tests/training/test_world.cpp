// Processes that train together, each this program again with one test of its own.
#include <signal.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support.h"
#include "tests/training/toy.h"
#include "tests/worlds.h"
#include "training/adversarial.h"
#include "training/module_state.h"
#include "training/shared_batch.h"
#include "training/torch_generator.h"
#include "training/world.h"

namespace reprise::training {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t epochs = 4;
using testing::AllOf;
using testing::HasSubstr;

/// Its rows know of each other, and numbers are drawn for them.
struct NetImpl : torch::nn::Module {
  NetImpl() {
    register_module("hidden", hidden);
    register_module("norm", norm);
    register_module("out", out);
    register_module("unused", unused);
    const torch::NoGradGuard no_grad;
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
    for (auto& parameter : parameters()) parameter.uniform_(-0.5, 0.5, generator);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return out(training::dropout(norm->forward(torch::tanh(hidden(x))), 0.2, is_training()));
  }
  torch::nn::Linear hidden{3, 16}, out{16, 2}, unused{4, 4};
  std::shared_ptr<OfWholeBatch<torch::nn::BatchNorm1dImpl>> norm = std::make_shared<OfWholeBatch<torch::nn::BatchNorm1dImpl>>(16);
};
TORCH_MODULE(Net);

std::vector<double> values_of(const weights::StateDict& state) {
  std::vector<double> values;
  for (const auto& [name, tensor] : state) {
    const auto flat = tensor.detach().to(at::kDouble).flatten().contiguous();
    values.insert(values.end(), flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel());
  }
  return values;
}

/// The toy's task; losses of every epoch and weights. `cut`: killed when it validates for the third time.
Numbers train(std::int64_t epochs, const fs::path& checkpoint, bool cut = false) {
  Toy toy;
  Net network;
  auto task = toy.task();
  const auto batch = task.batch;
  task.batch = [batch](std::int64_t epoch, std::int64_t index, Random& random) {
    auto whole = batch(epoch, index, random);
    return Batch{whole.x.slice(0, 0, 31), whole.y.slice(0, 0, 31)};  // not to be shared out evenly
  };
  task.forward = [&](const torch::Tensor& x) { return network->forward(x); };
  int validated = 0;
  task.validate = [&] {
    if (++validated == 3 && cut) ::raise(SIGKILL);
    return torch::mse_loss(network->forward(toy.validation_x), Toy::truth(toy.validation_x)).item<double>();
  };
  const auto report =
      fit(*network, {{network->parameters(), 1e-2}}, task,
          {.epochs = epochs, .clip_norm = 1, .ema_decay = 0.9, .weight_decay = 0.01, .seed = 5, .checkpoint = checkpoint}, toy.silent);
  return {{"loss", report.train_loss}, {"error", report.validation_error}, {"weights", values_of(module_state(*network))}};
}

/// G against a judge with batch norm, whose penalty takes second derivatives through it. `cut`: killed in iteration 17.
Numbers duel(AdversarialLoss loss, const fs::path& checkpoint, bool cut = false) {
  using Norm = OfWholeBatch<torch::nn::BatchNorm1dImpl>;
  torch::nn::Sequential G(torch::nn::Linear(torch::nn::LinearOptions(2, 12).bias(false)), Norm(12), torch::nn::ReLU(),
                          torch::nn::Linear(12, 2));
  torch::nn::Sequential D(torch::nn::Linear(2, 24), torch::nn::Tanh(), torch::nn::Linear(torch::nn::LinearOptions(24, 8).bias(false)),
                          Norm(8), torch::nn::Tanh(), torch::nn::Linear(torch::nn::LinearOptions(8, 1).bias(false)));
  {
    const torch::NoGradGuard no_grad;
    for (auto* network : {&G, &D})
      for (auto& parameter : (*network)->parameters())
        parameter.uniform_(-0.8, 0.8, torch_generator(static_cast<std::uint64_t>(parameter.numel())));
  }
  constexpr std::int64_t rows = 31;
  int iterations = 0;
  const auto points = [](Random& random) {
    return torch::randn({rows, 2}, torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX))));
  };
  Game game{.G = G.ptr(), .D = D.ptr()};
  game.real = [&](Random& random) {
    if (++iterations == 17 && cut) ::raise(SIGKILL);
    return Items{points(random) * torch::tensor({0.5F, 0.2F}) + torch::tensor({2.F, -1.F})};
  };
  game.generated = [&](const Items&, Random& random) { return Items{G->forward(own_rows(points(random)))}; };
  game.judge = [&](const Items& items, const at::Tensor& noise) {
    return Verdict{.logits = {D->forward(items[0] + noise[0] * normals_like(items[0]))}, .more = {}};
  };
  game.look = [&] { return std::map<std::string, double>{{"weight", G->parameters()[0].flatten()[0].item<double>()}}; };
  AdversarialOptions options{.iterations = 23,
                             .loss = loss,
                             .r1 = 0.5,
                             .r1_every = 3,
                             .ema_decay = 0.9,
                             .window = 5,
                             .looks = {10, 18},
                             .seed = 4,
                             .checkpoint = checkpoint};
  options.G.learning_rate = 2e-3;
  options.D = {.kind = OptimizerOptions::Kind::RmsProp, .learning_rate = 1e-3};
  options.noise = {.sigma = 0.1, .target = 0.7, .speed = 0.01};
  options.discriminator_every = 2;
  Progress silent(nullptr);
  auto numbers = fit_adversarial(game, options, silent).curves;
  numbers["G"] = values_of(module_state(*G));
  numbers["D"] = values_of(module_state(*D));
  return numbers;
}

// What a rank does: a test of the processes that the tests below start.
TEST(World, DISABLED_Rank) {
  const fs::path folder = std::getenv("FOLDER");
  const auto rank = std::string(std::getenv("RANK"));
  const std::string task = std::getenv("TASK");
  at::set_num_threads(1);
  try {
    auto& world = World::of_this_process();
    if (task == "dies" && rank == "1") {
      auto values = at::ones({2});
      world.sum(values);
      ::raise(SIGKILL);
    }
    if (task == "dies" && rank == "2") ::raise(SIGPIPE);  // as a write to the dead one's socket, if it comes before its end is read
    if (task == "dies")
      for (;;) {
        auto values = at::ones({2});
        world.sum(values);
      }
    if (task == "speaks") {
      auto values = at::full({3}, static_cast<double>(world.rank() + 1));
      world.sum(values);
      auto first = at::full({2}, static_cast<double>(world.rank() + 7));
      world.copy_from_first({first});
      write_file(folder / ("said" + rank), world.text_from_first("of rank " + rank) + "|" + world.text_from_first("again " + rank) + "|" +
                                               std::to_string(values[2].item<double>()) + "|" + std::to_string(first[0].item<double>()));
      return;
    }
    // as in a temporary folder: no rank sees another's
    const auto checkpoint = folder / ("of_rank_" + rank) / "checkpoint.safetensors";
    fs::create_directories(checkpoint.parent_path());
    const bool cut = task.ends_with("cut");
    nlohmann::json numbers;
    if (task.starts_with("fit")) numbers = train(epochs, checkpoint, cut);
    if (task.starts_with("duel")) numbers = duel(AdversarialLoss::NonSaturating, checkpoint, cut);
    if (task.starts_with("wasserstein")) numbers = duel(AdversarialLoss::Wasserstein, "");
    write_file(folder / ("rank" + rank), numbers.dump());
  } catch (const Error& error) {
    write_file(folder / ("error" + rank), error.what());
  }
}

struct Ranks : Worlds {
  std::vector<int> start(int size, const std::string& task) const { return Worlds::start(size, "World.DISABLED_Rank", {{"TASK", task}}); }
  void expect_as_one(const std::string& task, const std::vector<int>& sizes, const Numbers& one) const {
    for (const int size : sizes) {
      for (int rank = 0; rank < size; ++rank) fs::remove_all(folder.path() / ("of_rank_" + std::to_string(rank)));
      for (const int status : start(size, task)) EXPECT_EQ(status, 0);
      for (int rank = 0; rank < size; ++rank) expect_alike(result(rank), one, task + ", rank " + std::to_string(rank));
    }
  }
  /// Two are killed in the middle, three go on.
  void expect_three_go_on(const std::string& task, const Numbers& one) const {
    EXPECT_TRUE(WIFSIGNALED(start(2, task + "_cut")[0]));
    ASSERT_TRUE(fs::exists(folder.path() / "of_rank_0" / "checkpoint.safetensors"));
    EXPECT_FALSE(fs::exists(folder.path() / "of_rank_1" / "checkpoint.safetensors"));
    EXPECT_TRUE(result(0).is_null());
    for (const int status : start(3, task)) EXPECT_EQ(status, 0);
    for (int rank = 0; rank < 3; ++rank) expect_alike(result(rank), one, task + ", rank " + std::to_string(rank));
  }
};

TEST_F(Ranks, SpeakWithEachOther) {
  for (const int status : start(3, "speaks")) EXPECT_EQ(status, 0);
  for (const std::string rank : {"0", "1", "2"})
    EXPECT_EQ(read_file(folder.path() / ("said" + rank)), "of rank 0|again 0|6.000000|7.000000");
}

TEST_F(Ranks, OfTwoAndFourTrainAsOneDoes) { expect_as_one("fit", {2, 4}, train(epochs, "")); }
TEST_F(Ranks, OfTwoAndFourDuelAsOneDoes) { expect_as_one("duel", {2, 4}, duel(AdversarialLoss::NonSaturating, "")); }
// Its curves: RMSProp steps as far where a slope is rounding alone, as it is for some of these weights.
TEST_F(Ranks, DuelByWassersteinsLossAsOneDoes) {
  auto one = duel(AdversarialLoss::Wasserstein, "");
  one.erase("D");
  expect_as_one("wasserstein", {2}, one);
}

TEST_F(Ranks, GoOnFromRankZerosCheckpointOfAnotherSize) { expect_three_go_on("fit", train(epochs, "")); }
TEST_F(Ranks, GoOnWithADuelFromACheckpointOfAnotherSize) { expect_three_go_on("duel", duel(AdversarialLoss::NonSaturating, "")); }

TEST_F(Ranks, ARankThatDiesEndsTheOthersByName) {
  const auto statuses = start(3, "dies");
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
  EXPECT_EQ(statuses[0], 0);
  EXPECT_EQ(statuses[2], 0);
  for (const std::string rank : {"0", "2"})
    EXPECT_THAT(read_file(folder.path() / ("error" + rank)),
                AllOf(HasSubstr("of the 3 processes"), HasSubstr("rank 1 ("), HasSubstr("process ")));
}

TEST(World, OfOneProcessNeedsNothing) {
  auto& world = World::of_this_process();
  EXPECT_TRUE(world.alone() && world.leads());
  const auto batch = at::arange(6);
  EXPECT_TRUE(world.part(batch).equal(batch));
  EXPECT_EQ(world.text_from_first("text"), "text");
}

}  // namespace
}  // namespace reprise::training
