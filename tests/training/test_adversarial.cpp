// The adversarial loop: its losses and penalty are the formulas, G learns a toy distribution, a
// killed run ends with the same bits, and what goes wrong is seen and said.
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "tests/support.h"
#include "training/adam.h"
#include "training/adversarial.h"
#include "training/module_state.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::training {
namespace {

using testing::HasSubstr;

struct Interrupted : std::exception {};

/// First weights that do not depend on torch's default generator.
void draw_linear(torch::nn::Sequential& network, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  const auto generator = torch_generator(seed);
  for (const auto& module : network->modules(/*include_self=*/false))
    if (auto* linear = module->as<torch::nn::Linear>()) {
      linear->weight.copy_(torch::empty(linear->weight.sizes()).uniform_(-0.6, 0.6, generator));
      linear->bias.zero_();
    }
}

/// Points about (2, -1) with standard deviations 0.5 and 0.2, and networks that can learn them.
struct Points {
  Points() { torch::set_num_threads(1); }
  torch::nn::Sequential G{torch::nn::Linear(2, 12), torch::nn::BatchNorm1d(12), torch::nn::ReLU(),
                          torch::nn::Linear(12, 2)};
  torch::nn::Sequential D{torch::nn::Linear(2, 24), torch::nn::LeakyReLU(),
                          torch::nn::Linear(24, 1)};
  Progress silent{nullptr};

  GanTask make_task() {
    draw_linear(G, 1);
    draw_linear(D, 2);
    GanTask task{.G = G.ptr(), .D = D.ptr()};
    task.draw_real = [](Random& random) {
      const auto x = torch::randn(
          {64, 2}, torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX))));
      return Items{x * torch::tensor({0.5F, 0.2F}) + torch::tensor({2.F, -1.F})};
    };
    task.generate = [this](const Items&, Random& random) {
      return Items{G->forward(torch::randn(
          {64, 2}, torch_generator(static_cast<std::uint64_t>(random.below(INT64_MAX)))))};
    };
    task.discriminate = [this](const Items& items, const at::Tensor& noise) {
      return DiscriminatorOutput{
          .logits = {D->forward(items[0] + noise[0] * at::randn_like(items[0]))}, .extra = {}};
    };
    return task;
  }
};

/// Everything a run has.
AdversarialOptions everything(const std::filesystem::path& checkpoint = "") {
  AdversarialOptions options{.iterations = 23,
                             .r1 = 0.5,
                             .r1_every = 3,
                             .ema_decay = 0.9,
                             .window = 5,
                             .evaluate_after = {10, 18},
                             .seed = 4,
                             .checkpoint = checkpoint};
  options.G.learning_rate = 1e-2;
  options.D = {.name = "rmsprop", .learning_rate = 5e-3};
  options.noise = {.sigma = 0.1, .target = 0.7, .speed = 0.01};
  options.discriminator_every = 2;
  return options;
}

struct Ended {
  weights::StateDict G, D;
  AdversarialReport report;
};

Ended play(const AdversarialOptions& options, int interrupted_at = -1) {
  Points points;
  auto task = points.make_task();
  const auto real = task.draw_real;
  task.evaluate = [&points] {
    return std::map<std::string, double>{
        {"first_weight", points.G->parameters()[0].flatten()[0].item<double>()},
        {"training", points.G->is_training() ? 1.0 : 0.0}};
  };
  int iterations = 0;
  task.draw_real = [&](Random& random) {
    if (iterations++ == interrupted_at) throw Interrupted();
    return real(random);
  };
  const auto report = fit_adversarial(task, options, points.silent);
  return {module_state(*points.G), module_state(*points.D), report};
}

void expect_same(const Ended& a, const Ended& b) {
  EXPECT_EQ(a.report.curves, b.report.curves);
  EXPECT_EQ(a.report.iterations, b.report.iterations);
  for (const auto& [one, other] : {std::pair{&a.G, &b.G}, {&a.D, &b.D}})
    for (std::size_t i = 0; i < one->size(); ++i)
      EXPECT_TRUE((*one)[i].second.equal((*other)[i].second)) << (*one)[i].first;
}

// At a = b = 0 each softplus is ln 2; at a = 1, b = -2: softplus(-1) = 0.313262, softplus(-2) =
// 0.126928, softplus(2) = 2.126928.
TEST(AdversarialLosses, HaveTheValuesOfTheirFormulas) {
  const auto output = [](double logit) {
    return DiscriminatorOutput{.logits = {torch::full({3, 2}, logit)}, .extra = {}};
  };
  using enum AdversarialLoss;
  const auto of_D = [&](AdversarialLoss loss, double a, double b) {
    return discriminator_loss(loss, output(a), output(b)).item<double>();
  };
  const auto of_G = [&](AdversarialLoss loss, double b) {
    return generator_loss(loss, output(b)).item<double>();
  };
  EXPECT_NEAR(of_D(NonSaturating, 0, 0), 2 * std::log(2.0), 1e-6);
  EXPECT_NEAR(of_D(Minimax, 1, -2), 0.313262 + 0.126928, 1e-6);
  EXPECT_NEAR(of_D(NonSaturating, 1, -2), 0.313262 + 0.126928, 1e-6);
  EXPECT_NEAR(of_D(Wasserstein, 1, -2), -3, 1e-6);
  EXPECT_NEAR(of_G(Minimax, -2), -0.126928, 1e-6);
  EXPECT_NEAR(of_G(NonSaturating, -2), 2.126928, 1e-6);
  EXPECT_NEAR(of_G(Wasserstein, -2), 2, 1e-6);
  const DiscriminatorOutput two{.logits = {torch::zeros({2}), torch::zeros({5, 4})}, .extra = {}};
  EXPECT_NEAR(discriminator_loss(NonSaturating, two, two).item<double>(), 4 * std::log(2.0), 1e-6);
}

struct Smooth {
  at::Tensor W = torch::randn({4, 3}, torch_generator(1), torch::kDouble),
             v = torch::randn({3}, torch_generator(2), torch::kDouble);
  at::Tensor x = torch::randn({5, 4}, torch_generator(3), torch::kDouble);
  at::Tensor logits(const at::Tensor& at_x) const { return at_x.matmul(W).tanh().matmul(v); }
  double penalty() {
    const auto item = x.detach().clone().requires_grad_();
    return gradient_penalty({item}, {.logits = {logits(item)}, .extra = {}}).item<double>();
  }
};

TEST(GradientPenalty, IsTheSquaredSlopeOfFiniteDifferences) {
  Smooth smooth;
  const double h = 1e-5;
  double sum = 0;
  for (std::int64_t i = 0; i < 4; ++i) {
    auto step = torch::zeros({4}, torch::kDouble);
    step[i] = h;
    sum += ((smooth.logits(smooth.x + step) - smooth.logits(smooth.x - step)) / (2 * h))
               .square()
               .sum()
               .item<double>() /
           5;
  }
  EXPECT_NEAR(smooth.penalty(), sum, 1e-8);
}

TEST(GradientPenalty, ItsGradientIsThatOfFiniteDifferences) {
  Smooth smooth;
  smooth.v.requires_grad_();
  const auto item = smooth.x.clone().requires_grad_();
  gradient_penalty({item, torch::zeros({5}, at::kLong)},
                   {.logits = {smooth.logits(item)}, .extra = {}})
      .backward();
  const auto slope = smooth.v.grad().clone();
  smooth.v = smooth.v.detach();
  const double h = 1e-6;
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto moved = [&](double by) {
      Smooth other;
      other.v[i] += by;
      return other.penalty();
    };
    EXPECT_NEAR(slope[i].item<double>(), (moved(h) - moved(-h)) / (2 * h), 1e-6);
  }
}

TEST(Adversarial, GLearnsTheMeanAndTheSpreadOfPointsSlow) {
  Points points;
  AdversarialOptions options{.iterations = 800, .ema_decay = 0.98};
  options.G.learning_rate = options.D.learning_rate = 3e-3;
  options.r1 = 0.2;
  options.r1_every = 4;
  const auto report = fit_adversarial(points.make_task(), options, points.silent);
  const torch::NoGradGuard no_grad;
  EXPECT_FALSE(points.G->is_training());
  const auto x = points.G->forward(torch::randn({2000, 2}, torch_generator(8)));
  EXPECT_NEAR(x.mean(0)[0].item<double>(), 2, 0.25);
  EXPECT_NEAR(x.mean(0)[1].item<double>(), -1, 0.15);
  EXPECT_NEAR(x.std(0)[0].item<double>(), 0.5, 0.25);
  EXPECT_EQ(report.collapsed_since, -1);
  EXPECT_EQ(report.won_since, -1);
  EXPECT_EQ(report.curves.at("loss_D").size(), 16U);
}

TEST(Adversarial, AnInterruptedRunEndsWithTheSameBits) {
  const auto whole = play(everything());
  for (const int at : {0, 3, 5, 12, 22}) {
    SCOPED_TRACE("interrupted at iteration " + std::to_string(at));
    const TemporaryFolder folder;
    const auto path = folder.path() / "checkpoint.safetensors";
    EXPECT_THROW(play(everything(path), at), Interrupted);
    EXPECT_EQ(std::filesystem::exists(path), at >= 5);
    expect_same(play(everything(path)), whole);
    expect_same(play(everything(path), 0), whole);  // done: no batch is asked for
  }
}

// What is seen is what a run that ended there would keep, and the run goes on as if nobody had
// looked.
TEST(Adversarial, ALookSeesTheAverageAndChangesNothing) {
  const auto looked = play(everything());
  EXPECT_EQ(looked.report.curves.at("iteration"), (std::vector<double>{10, 18}));
  EXPECT_EQ(looked.report.curves.at("training"), (std::vector<double>{0, 0}));
  auto ended = everything();
  ended.iterations = 10;
  ended.evaluate_after = {};
  EXPECT_EQ(looked.report.curves.at("first_weight")[0],
            play(ended).G[0].second.flatten()[0].item<double>());
  auto blind = everything();
  blind.evaluate_after = {};
  auto unseen = play(blind);
  EXPECT_FALSE(unseen.report.curves.contains("iteration"));
  for (const auto* name : {"iteration", "training", "first_weight"})
    unseen.report.curves[name] = looked.report.curves.at(name);
  expect_same(unseen, looked);
}

/// Whose report holds what JSON has no number for, and every third batch of whose real items is one
/// item.
Ended play_without_numbers(const AdversarialOptions& options, int interrupted_at = -1) {
  Points points;
  auto task = points.make_task();
  const auto real = task.draw_real;
  int evaluations = 0, iterations = 0;
  task.evaluate = [&evaluations] {
    constexpr double inf = std::numeric_limits<double>::infinity();
    return std::map<std::string, double>{{"infinite", evaluations++ == 0 ? inf : -inf},
                                         {"finite", 0.1}};
  };
  task.draw_real = [&](Random& random) {
    if (iterations++ == interrupted_at) throw Interrupted();
    const bool equal = random.below(3) == 0;
    return equal ? Items{torch::ones({64, 2})} : real(random);
  };
  const auto report = fit_adversarial(task, options, points.silent);
  return {module_state(*points.G), module_state(*points.D), report};
}

// A killed run whose curves once were infinite resumes, too.
TEST(Adversarial, AnInterruptedRunKeepsNumbersThatJsonHasNot) {
  const auto whole = play_without_numbers(everything());
  const TemporaryFolder folder;
  const auto options = everything(folder.path() / "checkpoint.safetensors");
  EXPECT_THROW(play_without_numbers(options, 16), Interrupted);
  const auto resumed = play_without_numbers(options);
  EXPECT_EQ(resumed.report.curves.at("infinite").at(0), std::numeric_limits<double>::infinity());
  EXPECT_EQ(resumed.report.curves.at("diversity"), whole.report.curves.at("diversity"));
  EXPECT_EQ(resumed.report.curves.at("loss_G"), whole.report.curves.at("loss_G"));
  for (std::size_t i = 0; i < whole.G.size(); ++i)
    EXPECT_TRUE(whole.G[i].second.equal(resumed.G[i].second)) << whole.G[i].first;
}

TEST(Adversarial, DiversityLeavesOutBatchesOfEqualRealItems) {
  const auto curves = play_without_numbers(everything()).report.curves;
  for (const double value : curves.at("diversity")) EXPECT_TRUE(std::isfinite(value)) << value;
  Points points;
  auto task = points.make_task();
  task.draw_real = [](Random&) { return Items{torch::ones({64, 2})}; };
  const auto none = fit_adversarial(task, {.iterations = 4, .window = 2}, points.silent);
  for (const double value : none.curves.at("diversity"))
    EXPECT_TRUE(std::isnan(value)) << "no batch measures it";
  EXPECT_EQ(none.collapsed_since, -1);
}

TEST(Adversarial, ACheckpointOfOtherOptionsIsNotUsed) {
  const TemporaryFolder folder;
  auto options = everything(folder.path() / "checkpoint.safetensors");
  play(options);
  options.noise.target = 0.8;
  auto unstored = options;
  unstored.checkpoint = "";
  expect_same(play(options), play(unstored));
}

TEST(Adversarial, TheDefaultGeneratorIsGivenBackAsItWas) {
  Points points;
  const auto task = points.make_task();
  torch::manual_seed(5);
  const auto next = torch::rand(3);
  torch::manual_seed(5);
  fit_adversarial(task, everything(), points.silent);
  EXPECT_TRUE(torch::rand(3).equal(next));
}

// The average changes nothing of the training, so that the weights after n iterations are those of
// a run of n without it.
TEST(Adversarial, TheAverageIsTheRecursionOfTheHeader) {
  auto options = everything();
  options.ema_decay = 0;
  std::vector<weights::StateDict> after;
  for (options.iterations = 0; options.iterations <= 6; ++options.iterations) {
    after.emplace_back();
    for (const auto& [name, tensor] : play(options).G)
      after.back().emplace_back(name, tensor.clone());
  }
  auto averaging = everything();
  averaging.iterations = 6;
  averaging.ema_decay = 0.3;
  const auto average = play(averaging).G;
  for (std::size_t i = 0; i < average.size(); ++i) {
    if (!average[i].second.is_floating_point()) continue;
    auto expected = after[0][i].second.to(at::kDouble);
    for (int n = 0; n < 6; ++n) {
      const double decay = std::min(0.3, (1.0 + n) / (10.0 + n));
      expected = decay * expected + (1 - decay) * after[n + 1][i].second.to(at::kDouble);
    }
    EXPECT_LT((average[i].second - expected).abs().max().item<double>(), 1e-6) << average[i].first;
  }
}

/// A judge that never learns: the sign of the first value. Real items are 1, generated ones
/// `generated`.
AdversarialReport judged_by_sign(double generated, AdversarialOptions options) {
  Points points;
  auto task = points.make_task();
  options.G.learning_rate = options.D.learning_rate = 0;
  options.iterations = 20;
  options.window = 10;
  task.draw_real = [](Random&) {
    return Items{torch::ones({4, 2}) + 0.1 * torch::arange(8).view({4, 2})};
  };
  task.generate = [&points, generated](const Items&, Random&) {
    return Items{points.G->forward(torch::ones({4, 2})) * 0 + generated};
  };
  task.discriminate = [&points](const Items& items, const at::Tensor&) {
    return DiscriminatorOutput{
        .logits = {items[0].select(1, 0) + 0 * points.D->forward(items[0]).flatten()}, .extra = {}};
  };
  return fit_adversarial(task, options, points.silent);
}

TEST(Adversarial, NoiseFollowsTheAccuracy) {
  AdversarialOptions options;
  options.noise = {.sigma = 0.1, .target = 0.8, .speed = 0.01, .most = 0.25};
  EXPECT_EQ(judged_by_sign(-1, options).curves.at("accuracy_1"), (std::vector<double>{1, 1}));
  EXPECT_NEAR(judged_by_sign(-1, options).curves.at("noise_1")[0], 0.2,
              1e-6);  // told apart: 10 steps up
  EXPECT_NEAR(judged_by_sign(-1, options).curves.at("noise_1")[1], 0.25,
              1e-6);  // no further than `most`
  EXPECT_NEAR(judged_by_sign(1, options).curves.at("noise_1")[0], 0,
              1e-6);  // half are wrong: 10 steps down
  options.noise.target = 0;
  EXPECT_NEAR(judged_by_sign(-1, options).curves.at("noise_1")[1], 0.1, 1e-6);
}

TEST(Adversarial, SaysThatAllIsOneItemAndThatDHasWon) {
  const auto won = judged_by_sign(-1, {}), even = judged_by_sign(1, {});
  EXPECT_EQ(won.collapsed_since, 0);
  EXPECT_EQ(won.won_since, 0);
  EXPECT_EQ(even.won_since, -1);
}

TEST(Adversarial, NamesTheIterationThatBroke) {
  Points points;
  auto task = points.make_task();
  const auto generated = task.generate;
  int iterations = 0;
  task.generate = [&](const Items& real, Random& random) {
    auto items = generated(real, random);
    if (++iterations == 7) items[0] = items[0] / 0;
    return items;
  };
  EXPECT_THAT([&] { fit_adversarial(task, {.iterations = 20, .window = 10}, points.silent); },
              ThrowsError(HasSubstr("diverged at iteration 7"), HasSubstr("learning rates")));
}

// In the second of two iterations half of the rates is left; D stands still in it, so that G sees
// the same gradient.
TEST(Adversarial, RatesFallToZeroFromWhereTheyAreToldTo) {
  auto options = everything();
  options.ema_decay = 0;
  options.iterations = 1;
  const auto start = play(options);
  options.iterations = 2;
  const auto constant = play(options);
  options.decay_from = 0;
  const auto falling = play(options);
  for (std::size_t i = 0; i < start.G.size(); ++i) {
    const auto &w = start.G[i].second, &a = constant.G[i].second, &b = falling.G[i].second;
    if (start.G[i].first.find("running") == std::string::npos && w.is_floating_point())
      EXPECT_TRUE((b - w).allclose((a - w) / 2, 1e-3, 1e-7)) << start.G[i].first;
  }
}

TEST(Adversarial, InBFloat16WeightsStayFloat32AndARunResumesToTheBit) {
  auto options = everything();
  options.precision = Precision::BFloat16;
  const auto whole = play(options);
  for (const auto& [name, tensor] : whole.G)
    if (tensor.is_floating_point()) EXPECT_EQ(tensor.scalar_type(), at::kFloat) << name;
  EXPECT_FALSE(whole.G[0].second.equal(play(everything()).G[0].second));
  const TemporaryFolder folder;
  options.checkpoint = folder.path() / "run.safetensors";
  EXPECT_THROW(play(options, 12), Interrupted);
  expect_same(play(options), whole);
}

// What is measured leaves nothing behind: not the statistics of batches, not the stream of random
// numbers.
TEST(Adversarial, AutoEndsWithTheBitsOfThePrecisionThatItCameToSlow) {
  auto options = everything();
  options.precision = Precision::Auto;
  const auto measured = play(options);
  ASSERT_NE(measured.report.precision, Precision::Auto);
  options.precision = measured.report.precision;
  expect_same(measured, play(options));
}

// Another machine's load must not change a run halfway.
TEST(Adversarial, AutoKeepsItsPrecisionWhenItIsResumedSlow) {
  const TemporaryFolder folder;
  auto options = everything();
  options.checkpoint = folder.path() / "checkpoint.safetensors";
  options.precision = Precision::Auto;
  EXPECT_THROW(play(options, 12), Interrupted);
  const auto resumed = play(options);
  options.checkpoint.clear();
  options.precision = resumed.report.precision;
  expect_same(play(options), resumed);
}

TEST(FasterPrecision, IsBFloat16OnlyWhereItPays) {
  const auto faster = [](int float32, int bfloat16) {
    return measure_faster_precision(
        [&](Precision precision) {
          std::this_thread::sleep_for(
              std::chrono::milliseconds(precision == Precision::Float32 ? float32 : bfloat16));
        },
        0.02);
  };
  EXPECT_EQ(faster(60, 1), Precision::BFloat16);
  EXPECT_EQ(faster(1, 60), Precision::Float32);
}

TEST(PrecisionGuard, RoundsProductsWhileItLives) {
  const auto x = torch::ones({2, 2});
  {
    const PrecisionGuard rounded(Precision::BFloat16, at::kCPU);
    EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kBFloat16);
    {
      const PrecisionGuard exact(Precision::Float32, at::kCPU);
      EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kFloat);
    }
    EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kBFloat16);
  }
  EXPECT_EQ(at::matmul(x, x).scalar_type(), at::kFloat);
}

TEST(Adversarial, DStepsAsOftenAsSaidAndIsLeftTrainable) {
  Points points;
  auto task = points.make_task();
  std::vector<std::int64_t> steps;
  task.constrain = [&](std::int64_t step) { steps.push_back(step); };
  fit_adversarial(task, {.iterations = 7, .discriminator_every = 3}, points.silent);
  EXPECT_EQ(steps, (std::vector<std::int64_t>{1, 2, 3}));
  for (const auto& parameter : points.D->parameters()) {
    EXPECT_TRUE(parameter.requires_grad());
    EXPECT_FALSE(parameter.grad().defined());
  }
}

// With weight 0 the task's own loss alone is learned, and D stays as it was drawn.
TEST(Adversarial, TheWeightIsOfTheAdversarialLossAlone) {
  const auto learned = [](double weight, double factor) {
    Points points;
    auto task = points.make_task();
    task.extra_loss_G = [factor](const Items&, const ScoredBatch& generated) {
      return factor * generated.items[0].square().mean();
    };
    AdversarialOptions options{.iterations = 3, .weight = weight};
    options.G.learning_rate = 1e-2;
    fit_adversarial(task, options, points.silent);
    return std::pair{points.G->parameters()[0].detach().clone(),
                     points.D->parameters()[0].detach().clone()};
  };
  Points drawn;
  drawn.make_task();
  EXPECT_TRUE(learned(0, 1).second.equal(drawn.D->parameters()[0]));
  EXPECT_FALSE(learned(0, 1).first.equal(drawn.G->parameters()[0]));
  // Adam's steps know no scale: ten times all losses are the same steps but for its epsilon.
  EXPECT_TRUE(learned(10, 10).first.allclose(learned(1, 1).first, 1e-4, 1e-6));
  EXPECT_FALSE(learned(10, 1).first.allclose(learned(1, 1).first, 1e-4, 1e-6));
}

TEST(Adversarial, RefusesWhatItCannotPlay) {
  Points points;
  const auto with = [&](const AdversarialOptions& options) {
    return [&points, options] { fit_adversarial(points.make_task(), options, points.silent); };
  };
  EXPECT_THAT(with({.evaluate_after = {0}}),
              ThrowsUsageError(HasSubstr("an evaluation after iteration 0")));
  EXPECT_THAT(with({.decay_from = 2}), ThrowsUsageError(HasSubstr("fall from 2 on")));
  EXPECT_THAT(with({.weight = -1}), ThrowsUsageError(HasSubstr("weight of -1")));
  EXPECT_THAT(with({.r1 = -1}), ThrowsUsageError(HasSubstr("r1 is -1")));
  EXPECT_THAT(with({.noise = {.target = 0.3}}), ThrowsUsageError(HasSubstr("accuracy of 0.3")));
  EXPECT_THAT(with({.ema_decay = 1}), ThrowsUsageError(HasSubstr("ema_decay is 1")));
  EXPECT_THAT(with({.window = 0}), ThrowsUsageError(HasSubstr("window")));
  EXPECT_THAT([&] { fit_adversarial({}, {}, points.silent); },
              ThrowsUsageError(HasSubstr("lacks G, D")));
}

TEST(Adam, WithCoupledDecayIsTorchsOwn) {
  const auto ours = torch::randn({5, 3}, torch_generator(1)).requires_grad_(),
             theirs = ours.detach().clone().requires_grad_();
  Adam adam({{{ours}, 3e-3}}, 0.1, {.b1 = 0.5, .b2 = 0.99, .decay = WeightDecay::Coupled});
  torch::optim::Adam reference(
      {theirs}, torch::optim::AdamOptions(3e-3).betas({0.5, 0.99}).weight_decay(0.1));
  for (int i = 0; i < 5; ++i) {
    ours.mutable_grad() = torch::randn({5, 3}, torch_generator(10 + i));
    theirs.mutable_grad() = ours.grad().clone();
    adam.step(1);
    reference.step();
    EXPECT_LT((ours - theirs).abs().max().item<double>(), 1e-6);
  }
  EXPECT_THAT([&] { Adam({{{ours}, 1}}, 0, {.b1 = 1}); }, ThrowsError(HasSubstr("b1 = 1")));
}

}  // namespace
}  // namespace reprise::training
