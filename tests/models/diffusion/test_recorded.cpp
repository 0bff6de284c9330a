// A recorded denoiser: the same answers, whatever comes in, from memory that stays in place. A
// GPU's graph is stood in for by a recorder that keeps the work as a function: it too reads and
// writes only what it saw when it was recorded.
#include <torch/torch.h>

#include "models/diffusion/recorded.h"
#include "tests/models/small_prior.h"
#include "tests/support.h"
#include "training/torch_generator.h"

namespace reprise::models {
namespace {

using testing::HasSubstr;

class Kept : public Recording {
 public:
  explicit Kept(std::function<void()> work) : work_(std::move(work)) { work_(); }
  void replay() override { work_(); }

 private:
  std::function<void()> work_;
};

struct Counted {
  int recordings = 0;
  Recorder recorder() {
    return [this](const std::function<void()>& work) {
      ++recordings;
      return std::make_unique<Kept>(work);
    };
  }
};

TEST(RecordedDenoiser, AnswersEveryCallAsTheDenoiserDoes) {
  const auto prior = small_prior();
  Counted counted;
  RecordedDenoiser D(prior.D, counted.recorder());
  const torch::NoGradGuard no_grad;
  const auto generator = training::torch_generator(1);
  std::vector<at::Tensor> answers, expected;
  for (const double sigma : {0.5, 1.0, 2.0}) {
    const auto x = torch::randn({3, 1, 8, 8}, generator),
               labels = torch::randint(-1, 2, {3}, generator, at::kLong);
    answers.push_back(D(x, sigma, labels));
    expected.push_back((*prior.D)(x, sigma, labels));
  }
  // What was answered first is not written over by what was asked later.
  for (std::size_t i = 0; i < answers.size(); ++i)
    EXPECT_TRUE(torch::equal(answers[i], expected[i])) << i;
  EXPECT_EQ(counted.recordings, 1);
}

TEST(RecordedDenoiser, HasARecordingOfEveryShapeAndForgetsThemBeforeTheyAreMany) {
  const auto prior = small_prior();
  Counted counted;
  RecordedDenoiser D(prior.D, counted.recorder());
  const torch::NoGradGuard no_grad;
  const auto same = [&](std::int64_t n, const at::Tensor& sigma, const at::Tensor& labels) {
    const auto x = torch::randn({n, 1, 8, 8}, training::torch_generator(n));
    return torch::equal(D(x, sigma, labels), (*prior.D)(x, sigma, labels));
  };
  const auto one = torch::tensor(1.5F);
  EXPECT_TRUE(same(2, one, {}));
  EXPECT_TRUE(same(2, one, torch::tensor({0, 1})));
  EXPECT_TRUE(same(2, torch::tensor({0.5F, 2.0F}), {}));
  EXPECT_TRUE(same(1, one, {}));
  EXPECT_EQ(counted.recordings, 4);
  EXPECT_TRUE(same(2, one, {}));
  EXPECT_EQ(counted.recordings, 4);
  EXPECT_TRUE(same(4, one, {}));
  EXPECT_TRUE(same(2, one, {}));
  EXPECT_EQ(counted.recordings, 6);
}

TEST(RecordedDenoiser, HasNoGradientAndLeavesTheCallersTensorsAlone) {
  const auto prior = small_prior();
  Counted counted;
  RecordedDenoiser D(prior.D, counted.recorder());
  const auto x = torch::ones({2, 1, 8, 8}).requires_grad_();
  EXPECT_FALSE(D(x, 1.0).requires_grad());
  EXPECT_FALSE(D(x, 2.0).requires_grad());
  EXPECT_TRUE(torch::equal(x, torch::ones({2, 1, 8, 8})));
}

TEST(RecordedDenoiser, PassesAnErrorOnAndWorksAfterwards) {
  const auto prior = small_prior();
  Counted counted;
  RecordedDenoiser D(prior.D, counted.recorder());
  const auto x = torch::ones({2, 1, 8, 8});
  EXPECT_THAT([&] { D(x, 1.0, torch::tensor({0, 7})); }, ThrowsUsageError(HasSubstr("label 7")));
  const torch::NoGradGuard no_grad;
  EXPECT_TRUE(
      torch::equal(D(x, 1.0, torch::tensor({0, 1})), (*prior.D)(x, 1.0, torch::tensor({0, 1}))));
}

}  // namespace
}  // namespace reprise::models
