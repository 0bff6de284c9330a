// The health check of base networks: what fails it, what happens then, and that a healthy network
// is the one that it was without a check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "experiments/base_network.h"
#include "models/backbones/known_backbones.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A network of one hidden layer that tells two easy classes of pictures [N, 1, 8, 8] apart: the
/// left half is bright, or the right one.
class BaseNetworks : public testing::Test {
 protected:
  BaseNetworks() {
    at::set_num_threads(1);  // on small networks more only wait for each other
    pictures_ = torch::zeros({64, 1, 8, 8});
    labels_ = torch::arange(64).remainder(2);
    for (std::int64_t i = 0; i < 64; ++i)
      pictures_[i].slice(2, 4 * (i % 2), 4 * (i % 2) + 4).fill_(1);
    record_.cell = {.study = "s", .table = "networks", .dataset = "d", .method = "cnn", .seed = 14};
  }

  /// Trains with this purpose. `kill` says for each draw whether all biases of the hidden layer
  /// start far below zero, so that no unit of its ReLU ever fires and the network cannot learn.
  training::FitReport train(const std::vector<bool>& kill,
                            const std::string& purpose = "full_experiment") {
    const Settings settings("purpose = \"" + purpose + "\"\n", "settings.toml");
    training::Progress silent(nullptr);
    CellContext context{settings, store_, folder_.path(), "", "cpu", record_, silent};
    return train_base_network(context, "colour", [&](std::int64_t draw) -> BaseTraining {
      draws_.push_back(draw);
      Random random(seed_of_draw(1, draw));
      network_ = models::make_small_network(
          {.channels = 1, .size = 8, .trunk = "4 p", .batch_norm = false, .width = 6, .outputs = 2},
          random);
      if (kill.at(static_cast<std::size_t>(draw))) {
        const torch::NoGradGuard no_gradient;
        network_->stages().at(network_->index_of("fc6")).parts.back().map->bias.fill_(-1e4);
      }
      training::Task task;
      task.batches_per_epoch = 8;
      task.batch = [&](std::int64_t, std::int64_t, Random&) -> training::Batch {
        return {pictures_, labels_};
      };
      task.forward = [&](const torch::Tensor& x) { return network_(x); };
      task.loss = [](const torch::Tensor& y, const torch::Tensor& labels) {
        return torch::cross_entropy_loss(y, labels);
      };
      task.validate = [&] {
        return torch::cross_entropy_loss(network_(pictures_), labels_).item<double>();
      };
      return {
          .report = training::fit(*network_, {{network_->parameters(), 1e-2}}, task,
                                  {.epochs = 20, .warmup_steps = 2, .seed = seed_of_draw(2, draw)},
                                  silent),
          .trivial_error = trivial_cross_entropy(labels_),
          .live_units = least_live_fraction(network_, pictures_, [](const auto& x) { return x; })};
    });
  }
  double noted(const char* name) const { return record_.metric(name).value_or(-1); }

  at::Tensor pictures_, labels_;
  models::Backbone network_{nullptr};
  records::Record record_;
  std::vector<std::int64_t> draws_;

 private:
  TemporaryFolder folder_;
  records::Store store_{folder_.path()};
};

TEST_F(BaseNetworks, AHealthyOneIsTrainedOnceAndIsTheSameAsWithoutACheckSlow) {
  const auto unchecked = train({false, false, false}, "smoke_test");
  EXPECT_THAT(record_.metrics, IsEmpty());
  const auto weights = network_->parameters().back().clone();
  const auto checked = train({false, false, false});
  EXPECT_THAT(draws_, ElementsAre(0, 0));
  EXPECT_EQ(checked.validation_error, unchecked.validation_error);
  EXPECT_TRUE(network_->parameters().back().equal(weights));
  EXPECT_EQ(noted("draw_colour"), 0);
  EXPECT_EQ(noted("healthy_colour"), 1);
  EXPECT_GT(noted("health_live_units_colour"), 0.02);
  EXPECT_THAT(health_notes({record_}), IsEmpty());
}

TEST_F(BaseNetworks, OneWhoseUnitsAreDeadIsTrainedAgainWithOtherWeightsAndTheRecordSaysSoSlow) {
  train({true, false, false});
  EXPECT_THAT(draws_, ElementsAre(0, 1));
  EXPECT_EQ(noted("draw_colour"), 1);
  EXPECT_EQ(noted("healthy_colour"), 1);
  EXPECT_LT(noted("health_error_colour"), 0.95);
  EXPECT_THAT(health_notes({record_}),
              ElementsAre(HasSubstr("networks/d/cnn/seed14 (draw_colour): draw 1")));
}

TEST_F(BaseNetworks, AfterThreeFailuresTheLastStandsAndTheRecordSaysThatItFailedSlow) {
  const auto report = train({true, true, true});
  EXPECT_THAT(draws_, ElementsAre(0, 1, 2));
  EXPECT_EQ(report.validation_error.size(), 20);
  EXPECT_EQ(noted("draw_colour"), 2);
  EXPECT_EQ(noted("healthy_colour"), 0);
  EXPECT_EQ(noted("health_live_units_colour"), 0);
  EXPECT_NEAR(noted("health_error_colour"), 1, 0.05);
  EXPECT_THAT(health_notes({record_}),
              ElementsAre(HasSubstr("failed the health check in all of 3 draws")));
}

TEST_F(BaseNetworks, OfASmokeTestAreNeitherCheckedNorTrainedAgain) {
  train({true, true, true}, "smoke_test");
  EXPECT_THAT(draws_, ElementsAre(0));
  EXPECT_THAT(record_.metrics, IsEmpty());
}

TEST(BaseNetwork, OneThatDivergesIsTrainedAgainAndTheLastDrawsErrorIsTheCells) {
  const Settings settings("purpose = \"full_experiment\"\n", "settings.toml");
  TemporaryFolder folder;
  const records::Store store(folder.path());
  records::Record record;
  training::Progress silent(nullptr);
  CellContext context{settings, store, folder.path(), "", "cpu", record, silent};
  std::int64_t diverging = 2;
  const auto train = [&](std::int64_t draw) -> BaseTraining {
    if (draw < diverging) throw training::Diverged("the loss is nan", "lower the learning rates");
    return {.report = {.validation_error = {0.5, 0.4, 0.4}, .best_epoch = 1}, .trivial_error = 2};
  };
  train_base_network(context, "", train);
  EXPECT_EQ(record.metric("draw"), 2);
  diverging = 3;
  EXPECT_THROW(train_base_network(context, "", train), training::Diverged);
}

TEST(Health, IsMeasuredAgainstTheTrivialBaseline) {
  const auto health_with = [](std::vector<double> errors, double trivial) {
    training::FitReport report{.validation_error = std::move(errors)};
    report.best_epoch =
        std::ranges::min_element(report.validation_error) - report.validation_error.begin();
    return check_health({.report = report, .trivial_error = trivial});
  };
  const auto at_rest = health_with({1, 0.6, 0.5, 0.5}, 2);
  EXPECT_DOUBLE_EQ(at_rest.error, 0.25);
  EXPECT_DOUBLE_EQ(at_rest.late_gain, 0);
  EXPECT_TRUE(at_rest.passes());
  // The last of four epochs brought a third of the fall from 2 to 0.5.
  const auto still_falling = health_with({1.5, 1.2, 1, 0.5}, 2);
  EXPECT_NEAR(still_falling.late_gain, 1.0 / 3, 1e-12);
  EXPECT_FALSE(still_falling.passes());
  EXPECT_FALSE(health_with({2.1, 2, 1.99}, 2).passes());
  EXPECT_FALSE((Health{.error = 0.5, .live_units = 0.01}).passes());
  EXPECT_FALSE((Health{.error = std::numeric_limits<double>::quiet_NaN()}).passes());
}

TEST(Health, TrivialBaselinesKnowTheLabelsFrequenciesAlone) {
  const auto labels = torch::tensor({0, 0, 0, 2}, torch::kLong);
  EXPECT_NEAR(trivial_cross_entropy(labels), -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)),
              1e-12);
  EXPECT_DOUBLE_EQ(trivial_error_rate(labels), 0.25);
}

TEST(Draws, TheFirstHasThePlainSeedAndAllDiffer) {
  EXPECT_EQ(seed_of_draw(7, 0), 7);
  EXPECT_NE(seed_of_draw(7, 1), 7);
  EXPECT_NE(seed_of_draw(7, 1), seed_of_draw(7, 2));
  EXPECT_NE(seed_of_draw(7, 1), seed_of_draw(8, 1));
}

}  // namespace
}  // namespace reprise::reproduce
