// Data parallelism between real processes, each this program again with the test
// DataParallel.DISABLED_Rank.
#include <signal.h>
#include <sys/wait.h>
#include <torch/torch.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/files.h"
#include "tests/ranks.h"
#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/adversarial.h"
#include "training/data_parallel.h"
#include "training/torch_generator.h"

namespace reprise::training {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

std::vector<double> values_of(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> flat;
  for (const auto& tensor : tensors) flat.push_back(tensor.detach().flatten());
  const auto all = at::cat(flat).to(at::kDouble);
  return {all.const_data_ptr<double>(), all.const_data_ptr<double>() + all.numel()};
}

/// The toy's task, with 31 rows in a batch, which two ranks do not divide. `noisy`: by a network
/// with batch norm and dropout. `cut`: killed when it validates for the third time. "in_training":
/// the parameters in the last forward pass, before rank 0's result is broadcast.
json train(bool noisy, const fs::path& checkpoint, bool cut = false) {
  Toy toy(0.2);
  torch::nn::Sequential plain(torch::nn::Linear(3, 16), torch::nn::Tanh(),
                              torch::nn::Linear(16, 2));
  {
    const torch::NoGradGuard no_grad;
    const auto generator = torch_generator(3);
    for (auto& parameter : plain->parameters()) parameter.uniform_(-0.5, 0.5, generator);
  }
  auto& network = noisy ? static_cast<torch::nn::Module&>(*toy.network) : *plain;
  const auto forward = [&](const torch::Tensor& x) {
    return noisy ? toy.network->forward(x) : plain->forward(x);
  };
  std::vector<double> in_training;
  int validated = 0;
  auto task = toy.task();
  task.batch = [whole = task.batch](std::int64_t epoch, std::int64_t index, Random& random) {
    const auto batch = whole(epoch, index, random);
    return Batch{batch.x.slice(0, 1), batch.y.slice(0, 1)};
  };
  task.forward = [&](const torch::Tensor& x) {
    in_training = values_of(network.parameters());
    return forward(x);
  };
  task.validate = [&] {
    if (++validated == 3 && cut) ::raise(SIGKILL);
    return torch::mse_loss(forward(toy.validation_x), Toy::truth(toy.validation_x)).item<double>();
  };
  const auto report = fit(network, {{network.parameters(), 1e-2}}, task,
                          {.epochs = 5,
                           .clip_norm = 1,
                           .ema_decay = 0.9,
                           .weight_decay = 0.01,
                           .seed = 5,
                           .checkpoint = checkpoint},
                          toy.silent);
  auto all = network.parameters();
  for (const auto& buffer : network.buffers()) all.push_back(buffer);
  return {{"loss", report.train_loss},
          {"error", report.validation_error},
          {"weights", values_of(all)},
          {"in_training", in_training}};
}

/// G learns to draw points about (2, -1). `cut`: killed in iteration 60. "in_training": all
/// parameters at the last step's start, "real": the first real value of the last step, "distance":
/// from the mean of what G makes to the real mean.
json train_gan(const fs::path& checkpoint, bool cut = false) {
  at::set_num_threads(1);
  torch::nn::Sequential G(torch::nn::Linear(2, 12), torch::nn::BatchNorm1d(12), torch::nn::ReLU(),
                          torch::nn::Linear(12, 2));
  torch::nn::Sequential D(torch::nn::Linear(2, 24), torch::nn::Tanh(), torch::nn::Linear(24, 1));
  {
    const torch::NoGradGuard no_grad;
    const auto generator = torch_generator(3);
    for (auto* network : {&G, &D})
      for (auto& parameter : (*network)->parameters()) parameter.uniform_(-0.5, 0.5, generator);
  }
  const auto points = [](std::int64_t n, Random& random) {
    return torch::randn({n, 2},
                        torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX))));
  };
  const auto mean = torch::tensor({2.F, -1.F});
  std::vector<double> in_training;
  double first_real = 0;
  int iterations = 0;
  GanTask task{.G = G.ptr(), .D = D.ptr()};
  task.draw_real = [&](Random& random) {
    if (++iterations == 60 && cut) ::raise(SIGKILL);
    in_training = values_of(G->parameters());
    for (const double value : values_of(D->parameters())) in_training.push_back(value);
    return Items{points(31, random) * torch::tensor({0.5F, 0.2F}) + mean};
  };
  task.generate = [&](const Items& real, Random& random) {
    first_real = real[0].flatten()[0].item<double>();
    return Items{G->forward(points(real[0].size(0), random))};
  };
  task.discriminate = [&](const Items& items, const at::Tensor& noise) {
    return DiscriminatorOutput{
        .logits = {D->forward(items[0] + noise[0] * torch::randn_like(items[0]))}, .extra = {}};
  };
  AdversarialOptions options{.iterations = 100,
                             .r1 = 0.2,
                             .r1_every = 3,
                             .window = 25,
                             .seed = 4,
                             .checkpoint = checkpoint};
  options.G.learning_rate = options.D.learning_rate = 3e-2;
  options.noise = {.sigma = 0.1, .target = 0.7, .speed = 0.01};
  Progress silent(nullptr);
  const auto curves = fit_adversarial(task, options, silent).curves;
  Random random(9);
  auto all = G->parameters();
  for (const auto& buffer : G->buffers()) all.push_back(buffer);
  for (const auto& parameter : D->parameters()) all.push_back(parameter);
  return {{"loss", curves.at("loss_D")},
          {"weights", values_of(all)},
          {"in_training", in_training},
          {"real", first_real},
          {"distance", (G->forward(points(1000, random)).mean(0) - mean).norm().item<double>()}};
}

/// Own, averaged and the whole batch's gradient of a loss that is a mean over these rows.
json gradients(std::int64_t count) {
  const auto w = at::arange(3, at::kFloat).requires_grad_(),
             unused = at::ones({2}).requires_grad_();
  const auto x = at::arange(3 * count, at::kFloat).view({count, 3}).sin();
  const auto loss = [&](const at::Tensor& rows) { return rows.matmul(w).square().mean(); };
  const auto gradient_of = [&](const at::Tensor& value) {
    w.mutable_grad() = at::Tensor();
    value.backward();
    return values_of({w.grad()});
  };
  const auto whole = gradient_of(loss(x)),
             own = gradient_of(data_parallel::weight_by_rows(loss(data_parallel::slice(x)), count));
  data_parallel::average_gradients({w, unused});
  EXPECT_FALSE(unused.grad().defined());
  return {{"whole", whole}, {"own", own}, {"averaged", values_of({w.grad()})}};
}

/// The diversity of a batch of five rows, of which rank 0 has three. What is generated is as
/// diverse as what is real, on rank 1 three times so.
json diversity() {
  torch::nn::Linear G(1, 1), D(1, 1);
  const double spread = data_parallel::is_main() ? 1 : 3;
  GanTask task{.G = G.ptr(), .D = D.ptr()};
  task.draw_real = [](Random&) { return Items{at::arange(5, at::kFloat).view({5, 1})}; };
  task.generate = [&](const Items& real, Random&) {
    return Items{spread * real[0] + 0 * G->forward(real[0])};
  };
  task.discriminate = [&](const Items& items, const at::Tensor&) {
    return DiscriminatorOutput{.logits = {D->forward(items[0])}, .extra = {}};
  };
  Progress silent(nullptr);
  return {
      {"diversity", fit_adversarial(task, {.iterations = 1}, silent).curves.at("diversity").at(0)}};
}

json collectives() {
  const auto rank = data_parallel::rank();
  const auto first = at::full({2}, rank + 7);
  data_parallel::broadcast({first});
  EXPECT_THAT(
      [] {
        data_parallel::slice(at::zeros({2, 4}));
      },
      ThrowsUsageError(HasSubstr("2 rows for 3 ranks")));
  EXPECT_FALSE(data_parallel::slice({}).defined());
  return {
      {"text", data_parallel::broadcast("of rank " + std::to_string(rank))},
      {"again", data_parallel::broadcast("again of rank " + std::to_string(rank))},
      {"average", values_of({data_parallel::average(at::full({2}, static_cast<double>(rank)))})},
      {"first", values_of({first})},
      {"slice", values_of({data_parallel::slice(at::arange(8).view({4, 2}))})},
      {"seed", data_parallel::rank_seed(5)}};
}

/// Until another process has written this file, a minute at most.
void wait_for(const fs::path& file) {
  for (int tries = 0; tries < 600 && !fs::exists(file); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

// What a rank does: a test of the processes that the tests below start.
TEST(DataParallel, DISABLED_Rank) {
  const fs::path folder = std::getenv("FOLDER");
  const auto rank = std::string(std::getenv("RANK"));
  const std::string task = std::getenv("TASK");
  at::set_num_threads(1);
  // As in a temporary folder: no rank sees another's.
  const auto checkpoint = folder / ("of_rank_" + rank) / "checkpoint.safetensors";
  fs::create_directories(checkpoint.parent_path());
  const bool cut = task.ends_with("cut");
  json result;
  try {
    if (task == "collectives") result = collectives();
    if (task == "gradients") result = gradients(8);
    if (task == "uneven_gradients") result = gradients(7);
    if (task == "diversity") result = diversity();
    if (task.starts_with("fit")) result = train(/*noisy=*/false, checkpoint, cut);
    if (task == "noisy_fit") result = train(/*noisy=*/true, checkpoint);
    if (task.starts_with("gan")) result = train_gan(checkpoint, cut);
    if (task == "collide") {
      data_parallel::average(at::ones({1}));
      wait_for(
          folder /
          "error1");  // the store, which tells the third process of the collision, ends with rank 0
      result = "met";
    }
    if (task == "dies") {
      data_parallel::average(at::ones({1}));
      if (rank == "1") ::raise(SIGKILL);
      if (rank == "2")
        ::raise(
            SIGPIPE);  // as a write to the dead one's socket, if it comes before its end is read
      for (;;) data_parallel::average(at::ones({1}));
    }
    data_parallel::barrier();
    write_file(folder / ("rank" + rank), result.dump());
  } catch (const Error& error) {
    write_file(folder / ("error" + rank), error.what());
  }
}

struct Ranks : testing::Test {
  TemporaryFolder folder;

  std::vector<int> run(const std::vector<int>& ranks, int size, const std::string& task) const {
    return run_ranks(ranks, size,
                     {"--gtest_also_run_disabled_tests",
                      "--gtest_filter=DataParallel.DISABLED_Rank", "--gtest_brief=1"},
                     {{"TASK", task}, {"FOLDER", folder.path().string()}});
  }
  json result(int rank) const {
    const auto file = folder.path() / ("rank" + std::to_string(rank));
    return fs::exists(file) ? json::parse(read_file(file)) : json();
  }
  bool has_checkpoint(int rank) const {
    return fs::exists(folder.path() / ("of_rank_" + std::to_string(rank)) /
                      "checkpoint.safetensors");
  }
  std::string error(int rank) const {
    return read_file(folder.path() / ("error" + std::to_string(rank)));
  }

  /// Both ranks' results of a task of two, whose weights are equal to the bit, while they learn and
  /// at the end.
  std::vector<json> run_two(const std::string& task) const {
    EXPECT_THAT(run({0, 1}, 2, task), Each(0));
    const std::vector<json> results{result(0), result(1)};
    EXPECT_TRUE(results[0].is_object() && results[1].is_object());
    EXPECT_EQ(results[0]["in_training"], results[1]["in_training"]) << task;
    EXPECT_EQ(results[0]["weights"], results[1]["weights"]) << task;
    EXPECT_EQ(results[0]["loss"], results[1]["loss"]) << task;
    EXPECT_TRUE(has_checkpoint(0) && !has_checkpoint(1)) << "rank 0 alone writes";
    return results;
  }
};

void expect_near(const json& found, const json& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i].get<double>(), expected[i].get<double>(), 1e-5) << i;
}

TEST_F(Ranks, SliceAverageAndBroadcastSlow) {
  EXPECT_THAT(run({0, 1, 2}, 3, "collectives"), Each(0));
  for (int rank = 0; rank < 3; ++rank) {
    const auto found = result(rank);
    EXPECT_EQ(found["text"], "of rank 0");
    EXPECT_EQ(found["again"], "again of rank 0");
    EXPECT_EQ(found["average"], json({1, 1}));
    EXPECT_EQ(found["first"], json({7, 7}));
  }
  EXPECT_EQ(result(0)["slice"], json({0, 1, 2, 3})) << "two of four rows";
  EXPECT_EQ(result(1)["slice"], json({4, 5}));
  EXPECT_EQ(result(2)["slice"], json({6, 7}));
  EXPECT_EQ(result(0)["seed"], 5);
  EXPECT_NE(result(1)["seed"], result(2)["seed"]);
}

TEST_F(Ranks, TheAveragedGradientIsThatOfTheWholeBatchSlow) {
  for (const char* task : {"gradients", "uneven_gradients"}) {
    EXPECT_THAT(run({0, 1}, 2, task), Each(0));
    EXPECT_NE(result(0)["own"], result(1)["own"])
        << "without the average the ranks' weights would part";
    EXPECT_EQ(result(0)["averaged"], result(1)["averaged"]);
    expect_near(result(0)["averaged"], result(0)["whole"]);
  }
}

TEST_F(Ranks, AnUnevenSliceCountsByItsRowsInTheDiversitySlow) {
  EXPECT_THAT(run({0, 1}, 2, "diversity"), Each(0));
  EXPECT_NEAR(result(0)["diversity"].get<double>(), (3 * 1.0 + 2 * 3.0) / 5, 1e-6);
}

// Without batch norm and dropout the losses are those of one process, up to the order of sums.
TEST_F(Ranks, OfTwoFitAsOneProcessDoesSlow) {
  const auto two = run_two("fit"), one = std::vector{train(/*noisy=*/false, "")};
  expect_near(two[0]["loss"], one[0]["loss"]);
  expect_near(two[0]["error"], one[0]["error"]);
}

TEST_F(Ranks, WithBatchNormAndDropoutFitEqualWeightsSlow) {
  const auto loss = run_two("noisy_fit")[0]["loss"];
  EXPECT_LT(loss.back().get<double>(), 0.5 * loss.front().get<double>());
}

TEST_F(Ranks, GoOnFromRankZerosCheckpointSlow) {
  EXPECT_TRUE(WIFSIGNALED(run({0, 1}, 2, "fit_cut")[0]));
  ASSERT_TRUE(has_checkpoint(0) && result(0).is_null());
  expect_near(run_two("fit")[0]["loss"], train(/*noisy=*/false, "")["loss"]);
}

TEST_F(Ranks, OfTwoTrainAGanAsWellAsOneProcessDoesSlow) {
  const auto two = run_two("gan");
  EXPECT_NE(two[0]["real"], two[1]["real"]) << "each rank has its own slice";
  constexpr double near = 0.7;  // a G that learns nothing is 2.2 away
  EXPECT_LT(train_gan("")["distance"].get<double>(), near);
  EXPECT_LT(two[0]["distance"].get<double>(), near);
}

TEST_F(Ranks, GoOnWithAGanFromRankZerosCheckpointSlow) {
  EXPECT_TRUE(WIFSIGNALED(run({0, 1}, 2, "gan_cut")[0]));
  ASSERT_TRUE(has_checkpoint(0) && result(0).is_null());
  EXPECT_EQ(run_two("gan")[0]["loss"].size(), 4U);
}

TEST_F(Ranks, ARankThatDiesEndsTheOthersSlow) {
  const auto statuses = run({0, 1, 2}, 3, "dies");
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
  for (const int rank : {0, 2}) {
    EXPECT_EQ(statuses[static_cast<std::size_t>(rank)], 0) << "it ends by itself, with an error";
    EXPECT_THAT(error(rank),
                AllOf(HasSubstr("rank " + std::to_string(rank) + " of 3 lost the others"),
                      HasSubstr("start all ranks again")));
  }
}

TEST_F(Ranks, ATrainingWithTheSameAddressIsRefusedSlow) {
  EXPECT_THAT(run({0, 1, 1}, 2, "collide"), Each(0));
  EXPECT_THAT(error(1), AllOf(HasSubstr("there is a rank 1 already, of another training"),
                              HasSubstr("MASTER_PORT")));
  EXPECT_EQ(result(0), "met");
  EXPECT_EQ(result(1), "met") << "the first two train together";
}

TEST(DataParallel, OneProcessNeedsNothing) {
  EXPECT_TRUE(data_parallel::is_main() && data_parallel::size() == 1);
  const auto batch = at::arange(6);
  EXPECT_TRUE(data_parallel::slice(batch).is_same(batch));
  EXPECT_TRUE(data_parallel::average(batch).is_same(batch));
  EXPECT_EQ(data_parallel::broadcast("text"), "text");
  EXPECT_EQ(data_parallel::rank_seed(5), 5U);
}

}  // namespace
}  // namespace reprise::training
