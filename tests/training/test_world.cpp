// Processes that train together, each this program again with one test of its own.
#include <signal.h>
#include <sys/wait.h>
#include <torch/torch.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"
#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/world.h"

namespace reprise::training {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

struct PlainNetImpl : torch::nn::Module {
  PlainNetImpl() {
    register_module("hidden", hidden);
    register_module("out", out);
    register_module("unused", unused);
    const torch::NoGradGuard no_grad;
    at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(3);
    for (auto& parameter : parameters()) parameter.uniform_(-0.5, 0.5, generator);
  }
  torch::Tensor forward(const torch::Tensor& x) { return out(torch::tanh(hidden(x))); }
  torch::nn::Linear hidden{3, 16}, out{16, 2}, unused{4, 4};
};
TORCH_MODULE(PlainNet);

/// The toy's task with a network whose rows know nothing of each other, and losses of every epoch into `file`. `cut`: killed when it validates for
/// the third time.
void train(const fs::path& file, std::int64_t epochs, const fs::path& checkpoint, bool cut = false) {
  Toy toy;
  PlainNet network;
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
  std::vector<double> weights;
  for (const auto& parameter : network->parameters())
    weights.insert(weights.end(), parameter.const_data_ptr<float>(), parameter.const_data_ptr<float>() + parameter.numel());
  write_file(file, nlohmann::json{{"loss", report.train_loss}, {"error", report.validation_error}, {"weights", weights}}.dump());
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
    train(folder / ("rank" + rank), std::atoi(std::getenv("EPOCHS")), folder / "checkpoint.safetensors", task == "cut");
  } catch (const Error& error) {
    write_file(folder / ("error" + rank), error.what());
  }
}

struct Worlds : testing::Test {
  TemporaryFolder folder;

  /// Starts the ranks, and waits for them. Their exit statuses.
  std::vector<int> start(int size, const std::string& task, int epochs = 3) const {
    static int port = 20000 + ::getpid() % 20000;
    ++port;
    std::vector<pid_t> children;
    for (int rank = 0; rank < size; ++rank) {
      const std::map<std::string, std::string> variables{{"RANK", std::to_string(rank)},     {"WORLD_SIZE", std::to_string(size)},
                                                         {"MASTER_ADDR", "127.0.0.1"},       {"MASTER_PORT", std::to_string(port)},
                                                         {"FOLDER", folder.path().string()}, {"TASK", task},
                                                         {"EPOCHS", std::to_string(epochs)}};
      const pid_t child = ::fork();
      if (child == 0) {
        for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
        ::execl("/proc/self/exe", "test_training", "--gtest_also_run_disabled_tests", "--gtest_filter=World.DISABLED_Rank",
                "--gtest_brief=1", nullptr);
        ::_exit(127);
      }
      children.push_back(child);
    }
    std::vector<int> statuses;
    for (const auto child : children) {
      int status = 0;
      EXPECT_EQ(::waitpid(child, &status, 0), child);
      statuses.push_back(status);
    }
    return statuses;
  }
  nlohmann::json result(int rank) const {
    const auto file = folder.path() / ("rank" + std::to_string(rank));
    return fs::exists(file) ? nlohmann::json::parse(read_file(file)) : nlohmann::json();
  }
  void expect_alike(const nlohmann::json& a, const nlohmann::json& b) const {
    for (const auto* what : {"loss", "error", "weights"}) {
      ASSERT_TRUE(a.contains(what) && b.contains(what));
      const auto x = a[what].get<std::vector<double>>(), y = b[what].get<std::vector<double>>();
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5) << what << " " << i;
    }
  }
};

TEST_F(Worlds, SpeakWithEachOther) {
  for (const int status : start(3, "speaks")) EXPECT_EQ(status, 0);
  for (const std::string rank : {"0", "1", "2"})
    EXPECT_EQ(read_file(folder.path() / ("said" + rank)), "of rank 0|again 0|6.000000|7.000000");
}

TEST_F(Worlds, OfTwoAndFourTrainAsOneDoes) {
  train(folder.path() / "one", 3, "");
  const auto one = nlohmann::json::parse(read_file(folder.path() / "one"));
  for (const int size : {2, 4}) {
    fs::remove(folder.path() / "checkpoint.safetensors");
    for (const int status : start(size, "trains")) EXPECT_EQ(status, 0);
    for (int rank = 0; rank < size; ++rank) expect_alike(result(rank), one);
  }
}

TEST_F(Worlds, GoOnFromACheckpointOfAnotherSize) {
  train(folder.path() / "one", 4, "");
  EXPECT_TRUE(WIFSIGNALED(start(2, "cut", 4)[0])) << "in its third epoch";
  ASSERT_TRUE(fs::exists(folder.path() / "checkpoint.safetensors"));
  EXPECT_TRUE(result(0).is_null());
  for (const int status : start(3, "trains", 4)) EXPECT_EQ(status, 0);
  expect_alike(result(2), nlohmann::json::parse(read_file(folder.path() / "one")));
}

TEST_F(Worlds, ARankThatDiesEndsTheOthersByName) {
  const auto statuses = start(3, "dies");
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
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
