#include <torch/torch.h>

#include "models/recurrent/post_rnn.h"
#include "tests/models/networks.h"
#include "tests/support.h"
#include "training/fit.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

TEST(PostRnn, StartsAtTheMeasurements) {
  for (const auto cell : {RecurrentCell::Linear, RecurrentCell::Lstm, RecurrentCell::Gru}) {
    Random random(1);
    PostRnn network(cell, 3, 6, random);
    const auto x = normal_values({4, 7, 3}, 2);
    EXPECT_LT(largest(network.forward(x) - x), 1e-6) << "cell " << static_cast<int>(cell);
    EXPECT_EQ(network.gates(x).size(), static_cast<std::size_t>(sigmoid_gates(cell)));
  }
}

TEST(PostRnn, TheLinearOneIsLinear) {
  Random random(1);
  PostRnn network(RecurrentCell::Linear, 2, 4, random);
  draw_all(network, 5);
  torch::NoGradGuard no_gradient;
  network.named_parameters()["rnn.bias"].zero_();
  const auto a = normal_values({1, 9, 2}, 3), b = normal_values({1, 9, 2}, 4);
  EXPECT_LT(largest(network.forward(2 * a - b) - (2 * network.forward(a) - network.forward(b))),
            1e-4);
}

TEST(PostRnn, LearnsToAverageAwayNoiseSlow) {
  // A constant seen through noise: the mean of what was seen is best, and the error falls along the
  // clip.
  for (const auto cell : {RecurrentCell::Linear, RecurrentCell::Gru}) {
    Random random(3);
    PostRnn network(cell, 1, 4, random);
    const auto truth = normal_values({256, 1, 1}, 7).expand({256, 12, 1}),
               x = truth + normal_values({256, 12, 1}, 8);
    training::Task task;
    task.batches_per_epoch = 40;
    task.batch = [&](std::int64_t, std::int64_t, Random& draw) -> training::Batch {
      const auto rows = torch::tensor(draw.permutation(256)).slice(0, 0, 32);
      return {x.index_select(0, rows), truth.index_select(0, rows)};
    };
    task.forward = [&](const torch::Tensor& batch) { return network.forward(batch); };
    task.loss = [](const torch::Tensor& y, const torch::Tensor& t) {
      return (y - t).square().mean();
    };
    task.validate = [&] { return (network.forward(x) - truth).square().mean().item<double>(); };
    training::Progress silent(nullptr);
    const auto report =
        training::fit(network, {{network.parameters(), 1e-2}}, task, {.epochs = 6}, silent);
    EXPECT_LT(report.validation_error[report.best_epoch], 0.5) << "cell " << static_cast<int>(cell);
    const auto error = (network.forward(x) - truth).square().mean(torch::IntArrayRef{0, 2});
    EXPECT_LT(error[11].item<float>(), 0.6 * error[0].item<float>());
  }
}

TEST(PostRnn, NamesWhatCannotBe) {
  Random random(1);
  EXPECT_THAT([&] { PostRnn(RecurrentCell::Vrnn, 3, 6, random); },
              ThrowsUsageError(HasSubstr("linear, LSTM or GRU")));
  EXPECT_THAT([&] { PostRnn(RecurrentCell::Gru, 3, 2, random); },
              ThrowsUsageError(HasSubstr("2 units on 3")));
}

}  // namespace
}  // namespace reprise::models
