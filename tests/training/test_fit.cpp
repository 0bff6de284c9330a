#include "tests/support.h"
#include "tests/training/toy.h"
#include "training/module_state.h"

namespace reprise::training {
namespace {

using testing::AllOf;
using testing::HasSubstr;

bool same_bits(const weights::StateDict& a, const weights::StateDict& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
    return x.first == y.first && at::equal(x.second, y.second);
  });
}

TEST(Fit, LearnsALinearMap) {
  Toy toy;
  const auto report = fit(*toy.network, toy.all(), toy.task(), {.epochs = 20}, toy.silent);
  EXPECT_EQ(report.train_loss.size(), 20U);
  EXPECT_EQ(report.steps, 200);
  EXPECT_LT(report.train_loss.back(), 0.1 * report.train_loss.front());
  EXPECT_LT(report.validation_error.back(), 0.05);
  for (const auto* phase : {"data", "forward", "backward", "step", "validate"})
    EXPECT_GT(report.seconds.at(phase), 0) << phase;
}

TEST(Fit, TheSameSeedGivesTheSameBitsAndAnotherSeedDoesNot) {
  const auto run = [](std::uint64_t seed) {
    Toy toy(0.3);
    fit(*toy.network, toy.all(), toy.task(), {.epochs = 3, .seed = seed}, toy.silent);
    return module_state(*toy.network);
  };
  EXPECT_TRUE(same_bits(run(1), run(1)));
  EXPECT_FALSE(same_bits(run(1), run(2)));
}

TEST(Fit, TheDefaultGeneratorIsGivenBackAsItWas) {
  torch::manual_seed(5);
  const auto expected = torch::rand(4);
  torch::manual_seed(5);
  Toy toy(0.3);
  torch::manual_seed(5);
  fit(*toy.network, toy.all(), toy.task(), {.epochs = 1}, toy.silent);
  EXPECT_TRUE(at::equal(torch::rand(4), expected));
}

TEST(Fit, LeavesTheWeightsOfTheBestEpochAndStopsWhenPatienceIsOver) {
  Toy toy;
  auto task = toy.task();
  const std::vector<double> errors{0.5, 0.3, 0.4,
                                   0.3, 0.9, 0.1};  // an equal error is no improvement
  std::vector<weights::StateDict> epochs;
  task.validate = [&] {
    epochs.emplace_back();
    for (const auto& [name, tensor] : module_state(*toy.network))
      epochs.back().emplace_back(name, tensor.detach().clone());
    return errors[epochs.size() - 1];
  };
  const auto report = fit(*toy.network, toy.all(), task, {.epochs = 6, .patience = 3}, toy.silent);
  EXPECT_EQ(report.validation_error, (std::vector<double>{0.5, 0.3, 0.4, 0.3, 0.9}));
  EXPECT_EQ(report.best_epoch, 1);
  EXPECT_TRUE(same_bits(module_state(*toy.network), epochs[1]));
  EXPECT_FALSE(same_bits(module_state(*toy.network), epochs[4]));
}

TEST(Fit, AJudgedStartIsTheResultWhereNoEpochIsBetter) {
  const auto run = [](const std::vector<double>& errors) {
    Toy toy;
    auto task = toy.task();
    std::size_t next = 0;
    task.validate = [&] { return errors.at(next++); };
    weights::StateDict first;
    for (const auto& [name, tensor] : module_state(*toy.network))
      first.emplace_back(name, tensor.detach().clone());
    const auto report =
        fit(*toy.network, toy.all(), task, {.epochs = 2, .validate_start = true}, toy.silent);
    EXPECT_EQ(report.start_error, std::vector<double>{errors.front()});
    EXPECT_EQ(report.validation_error, (std::vector<double>{errors[1], errors[2]}));
    return std::tuple{report.best_epoch, best_error(report),
                      same_bits(first, module_state(*toy.network))};
  };
  EXPECT_EQ(run({0.3, 0.5, 0.4}), (std::tuple{-1, 0.3, true}));
  EXPECT_EQ(run({0.3, 0.5, 0.2}), (std::tuple{1, 0.2, false}));
  EXPECT_EQ(run({0.3, 0.3, 0.3}), (std::tuple{-1, 0.3, true}))
      << "an equal error is no improvement";
  EXPECT_THAT([] { best_error({}); }, ThrowsError(HasSubstr("nothing was validated")));
}

TEST(Fit, ValidatesInEvaluationModeWithoutGradientsAndEndsInEvaluationMode) {
  Toy toy;
  auto task = toy.task();
  bool training = true, gradients = true, trained = true;
  task.validate = [&] {
    training = toy.network->is_training();
    gradients = torch::GradMode::is_enabled();
    return 1.0;
  };
  const auto forward = task.forward;
  task.forward = [&](const torch::Tensor& x) {
    trained &= toy.network->is_training();
    return forward(x);
  };
  fit(*toy.network, toy.all(), task, {.epochs = 2}, toy.silent);
  EXPECT_FALSE(training);
  EXPECT_FALSE(gradients);
  EXPECT_TRUE(trained);
  EXPECT_FALSE(toy.network->is_training());
}

TEST(Fit, OnlyTheParametersOfAGroupAreTrained) {
  Toy toy;
  const auto before = toy.network->hidden->weight.detach().clone();
  const auto out = toy.network->out->weight.detach().clone();
  fit(*toy.network, {{toy.network->out->parameters(), 1e-2}}, toy.task(), {.epochs = 1},
      toy.silent);
  EXPECT_TRUE(at::equal(toy.network->hidden->weight, before));
  EXPECT_FALSE(at::equal(toy.network->out->weight, out));
}

TEST(Fit, EmaIsTheAverageOfTheStepsAndIsWhatIsValidatedAndReturned) {
  Toy toy;
  auto task = toy.task();
  task.batches_per_epoch = 3;
  std::vector<torch::Tensor> raw;  // the weight before each step
  const auto forward = task.forward;
  task.forward = [&](const torch::Tensor& x) {
    raw.push_back(toy.network->out->weight.detach().clone());
    return forward(x);
  };
  torch::Tensor validated;
  task.validate = [&] {
    validated = toy.network->out->weight.detach().clone();
    return 1.0 / static_cast<double>(raw.size());
  };
  fit(*toy.network, toy.all(), task, {.epochs = 2, .ema_decay = 0.75}, toy.silent);
  ASSERT_EQ(raw.size(), 6U);
  torch::Tensor average = raw[0];
  for (int step = 1; step <= 5; ++step) average = 0.75 * average + 0.25 * raw[step];
  EXPECT_FALSE(at::equal(validated, raw[5]));
  EXPECT_TRUE(at::equal(toy.network->out->weight, validated));
  // The last step is not seen by forward; all that is left of the average is a quarter of it.
  const auto last = (validated - 0.75 * average) / 0.25;
  EXPECT_LT((last - raw[5]).abs().max().item<double>(), 0.05);
  EXPECT_GT((last - raw[5]).abs().max().item<double>(), 0);
}

TEST(Fit, EmaDoesNotChangeHowTheRawWeightsAreTrained) {
  const auto losses = [](double ema_decay) {
    Toy toy;
    return fit(*toy.network, toy.all(), toy.task(), {.epochs = 3, .ema_decay = ema_decay},
               toy.silent)
        .train_loss;
  };
  EXPECT_EQ(losses(0.9), losses(0));
}

TEST(Fit, InBFloat16ItLearnsNearlyTheSameAndWhatTheLossSeesIsFloat32) {
  const auto run = [](Precision precision) {
    Toy toy;
    auto task = toy.task();
    task.loss = [](const torch::Tensor& prediction, const torch::Tensor& y) {
      EXPECT_EQ(prediction.scalar_type(), torch::kFloat);
      return torch::mse_loss(prediction, y);
    };
    const auto report =
        fit(*toy.network, toy.all(), task, {.epochs = 20, .precision = precision}, toy.silent);
    EXPECT_EQ(report.precision, precision);
    for (const auto& parameter : toy.network->parameters())
      EXPECT_EQ(parameter.scalar_type(), torch::kFloat);
    return report;
  };
  const auto whole = run(Precision::Float32), narrow = run(Precision::BFloat16);
  EXPECT_NE(whole.train_loss, narrow.train_loss);
  EXPECT_NEAR(whole.train_loss.front(), narrow.train_loss.front(), 0.05 * whole.train_loss.front());
  EXPECT_LT(narrow.validation_error.back(), 0.05);
}

TEST(Fit, AutoIsOneOfBothAndItsMeasurementLeavesNoTraceSlow) {
  const auto weights_of = [](Precision precision, Precision& was) {
    Toy toy(0.2);
    was =
        fit(*toy.network, toy.all(), toy.task(), {.epochs = 2, .precision = precision}, toy.silent)
            .precision;
    return module_state(*toy.network);
  };
  Precision came_to{}, same{};
  const auto measured = weights_of(Precision::Auto, came_to);
  ASSERT_NE(came_to, Precision::Auto);
  EXPECT_TRUE(same_bits(measured, weights_of(came_to, same)));
}

TEST(Fit, ALossThatIsNotFiniteEndsTheRunAndSaysWhereAndWhatToDo) {
  Toy toy;
  auto task = toy.task();
  const auto loss = task.loss;
  int calls = 0;
  task.loss = [&](const torch::Tensor& p, const torch::Tensor& y) {
    return ++calls == 14 ? loss(p, y) * std::nan("") : loss(p, y);
  };
  EXPECT_THAT([&] { fit(*toy.network, toy.all(), task, {.epochs = 3}, toy.silent); },
              ThrowsError(HasSubstr("epoch 2, step 14"), HasSubstr("nan"),
                          HasSubstr("lower the learning rates")));
}

TEST(Fit, ALossAThousandTimesTheFirstEpochsMeanEndsTheRun) {
  Toy toy;
  auto task = toy.task();
  const auto loss = task.loss;
  int calls = 0;
  task.loss = [&](const torch::Tensor& p, const torch::Tensor& y) {
    return ++calls == 25 ? loss(p, y) * 0 + 5e4 : loss(p, y) * 0 + 2;
  };
  EXPECT_THAT([&] { fit(*toy.network, toy.all(), task, {.epochs = 3}, toy.silent); },
              ThrowsError(HasSubstr("epoch 3, step 25"), HasSubstr("50000"),
                          HasSubstr("more than 1000 times the first epoch's mean of 2")));
}

TEST(Fit, AValidationErrorThatIsNotFiniteEndsTheRun) {
  Toy toy;
  auto task = toy.task();
  task.validate = [] { return std::nan(""); };
  EXPECT_THAT([&] { fit(*toy.network, toy.all(), task, {.epochs = 3}, toy.silent); },
              ThrowsError(HasSubstr("epoch 1: the validation error is nan")));
}

TEST(Fit, WrongUseIsNamed) {
  Toy toy;
  const auto refused = [&](const std::vector<ParameterGroup>& groups, const Task& task,
                           const FitOptions& options, const std::string& why) {
    EXPECT_THAT([&] { fit(*toy.network, groups, task, options, toy.silent); },
                ThrowsError(HasSubstr(why)));
  };
  auto task = toy.task();
  refused({}, task, {}, "no parameter group");
  refused({{{torch::zeros(3)}, 1e-3}}, task, {},
          "group 0 has a parameter that is not the network's");
  refused({{{}, 1e-3}}, task, {}, "group 0 has no parameters");
  refused({{toy.network->parameters(), 1e-3}, {toy.network->out->parameters(), 1e-3}}, task, {},
          "group 1 has a parameter that is already in a group");
  refused(toy.all(-1), task, {}, "learning rate -1");
  refused(toy.all(), task, {.ema_decay = 1}, "ema_decay is 1");
  refused(toy.all(), task, {.epochs = -1}, "negative");
  task.loss = [](const torch::Tensor& p, const torch::Tensor&) { return p; };
  refused(toy.all(), task, {}, "the loss has 64 values");
  task.loss = nullptr;
  refused(toy.all(), task, {}, "lacks batch, forward, loss or validate");
}

TEST(Fit, NoEpochsLeaveTheNetworkAsItIs) {
  Toy toy;
  const auto before = toy.network->out->weight.detach().clone();
  const auto report = fit(*toy.network, toy.all(), toy.task(), {.epochs = 0}, toy.silent);
  EXPECT_EQ(report.best_epoch, -1);
  EXPECT_TRUE(at::equal(toy.network->out->weight, before));
}

}  // namespace
}  // namespace reprise::training
