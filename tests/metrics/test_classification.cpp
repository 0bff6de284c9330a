#include <torch/torch.h>

#include "metrics/classification.h"
#include "tests/support.h"

namespace reprise::metrics {
namespace {

using testing::HasSubstr;

torch::Tensor labels(std::initializer_list<std::int64_t> values) {
  return torch::tensor(std::vector<std::int64_t>(values), torch::kLong);
}

TEST(Classification, AccuracyIsTheShareOfRightLabels) {
  EXPECT_DOUBLE_EQ(accuracy(labels({0, 1, 2, 2}), labels({0, 1, 2, 1})), 0.75);
  EXPECT_DOUBLE_EQ(accuracy(labels({1}), labels({1})), 1.0);
  EXPECT_DOUBLE_EQ(accuracy(labels({1}), labels({0})), 0.0);
}

TEST(Classification, ConfusionHasTrueClassesInRowsAndTheAccuracyOnItsDiagonal) {
  const auto predicted = labels({0, 1, 2, 2, 0}), truth = labels({0, 1, 1, 2, 2});
  const auto counts = confusion(predicted, truth, 3);
  EXPECT_TRUE(torch::equal(counts, torch::tensor({{1, 0, 0}, {0, 1, 1}, {1, 0, 1}}, torch::kLong)));
  EXPECT_DOUBLE_EQ(counts.trace().item<double>() / 5, accuracy(predicted, truth));
}

TEST(Classification, OppositeClassesAreOneForThePairAndTwoForTheDirection) {
  // 0 and 1 are a pair, 2 stands alone
  const auto truth = labels({0, 0, 1, 1, 2, 2}), predicted = labels({0, 1, 1, 2, 2, 0});
  const auto paired = paired_accuracy(predicted, truth, {1, 0, 2});
  EXPECT_DOUBLE_EQ(paired.pair, 4.0 / 6);       // the fourth and the last are called otherwise
  EXPECT_EQ(paired.in_pairs, 3);                // the first three
  EXPECT_DOUBLE_EQ(paired.direction, 2.0 / 3);  // the second is reversed
  EXPECT_EQ(paired_accuracy(labels({2}), labels({0}), {1, 0, 2}).in_pairs, 0);
  EXPECT_THAT(
      [] {
        paired_accuracy(labels({3}), labels({0}), {1, 0, 2});
      },
      ThrowsUsageError(HasSubstr("label 3")));
}

TEST(Classification, WrongLabelsAreNamed) {
  EXPECT_THAT(
      [] {
        accuracy(labels({1, 2}), labels({1}));
      },
      ThrowsUsageError(HasSubstr("2 predicted"), HasSubstr("1 true")));
  EXPECT_THAT(
      [] {
        accuracy(torch::zeros({2}), labels({1, 0}));
      },
      ThrowsUsageError(HasSubstr("predicted"), HasSubstr("integer")));
  EXPECT_THAT([] { accuracy(labels({}), labels({})); },
              ThrowsUsageError(HasSubstr("at least one")));
  EXPECT_THAT(
      [] {
        confusion(labels({0, 3}), labels({0, 1}), 3);
      },
      ThrowsUsageError(HasSubstr("item 1 with label 3")));
  EXPECT_THAT(
      [] {
        confusion(labels({0, 0}), labels({0, -1}), 3);
      },
      ThrowsUsageError(HasSubstr("true labels"), HasSubstr("-1")));
  EXPECT_THAT([] { confusion(labels({0}), labels({0}), 1'000'000'000); },
              ThrowsUsageError(HasSubstr("1000000000 classes"), HasSubstr("2000")));
}

}  // namespace
}  // namespace reprise::metrics
