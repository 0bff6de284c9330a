// Landmarks as targets of a network and as metrics of a record.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "experiments/landmark_task.h"
#include "experiments/sequence_training.h"
#include "metrics/landmarks.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

std::vector<std::string> names_in(const records::Record& record) {
  std::vector<std::string> names;
  for (const auto& metric : record.metrics) names.push_back(metric.name);
  return names;
}

TEST(LandmarkTask, TargetsAndLandmarksAreInverse) {
  const auto landmarks = torch::rand({2, 3, 68, 2}) * 64;
  EXPECT_LT((decode_landmarks(encode_landmarks(landmarks, 64), 64) - landmarks)
                .abs()
                .max()
                .item<double>(),
            1e-4);
  EXPECT_EQ(encode_landmarks(landmarks, 64).sizes(), at::IntArrayRef({2, 3, 136}));
}

TEST(LandmarkTask, MetricsAreNamedByTheirPartAndStateLimitAndData) {
  const auto error = torch::tensor({0.02, 0.04, 0.1}, torch::kDouble);
  records::Record record;
  record_landmark_error(error, {.part = "damaged", .data = "faces"}, record);
  EXPECT_THAT(names_in(record),
              testing::ElementsAre("auc_damaged", "mean_error_damaged", "failure_rate_damaged"));
  EXPECT_DOUBLE_EQ(record.metric("failure_rate_damaged").value(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(record.metric("auc_damaged").value(), metrics::auc(error, metrics::ced_limit));
  EXPECT_EQ(record.metrics.front().protocol, "auc@0.08/box-diagonal/68, faces");
  EXPECT_EQ(record.metrics[1].protocol, "mean_error/box-diagonal/68, faces");
}

TEST(BatchOrder, AnEpochHasEveryRowOnceAndAnotherEpochAnotherOrder) {
  BatchOrder order(3, 6), again(3, 6);
  const auto epoch_of = [&](std::int64_t epoch) {
    return at::cat({order.batch(epoch, 0, 3), order.batch(epoch, 1, 3)});
  };
  const auto first = epoch_of(0), second = epoch_of(1);
  EXPECT_TRUE(std::get<0>(first.sort()).equal(torch::arange(6)));
  EXPECT_FALSE(first.equal(second));
  // A resumed run has the same order.
  EXPECT_TRUE(again.batch(1, 1, 3).equal(second.narrow(0, 3, 3)));
  EXPECT_EQ(order.batch(0, 0, 9).numel(), 6);
}

}  // namespace
}  // namespace reprise::reproduce
