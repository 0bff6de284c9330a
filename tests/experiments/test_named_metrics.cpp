// A metric of the list stands in a cell's record because a setting names it: no study has a line
// for it.
#include <torch/torch.h>

#include "experiments/metric_list.h"
#include "experiments/settings.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Settings naming(const std::string& list) { return {"metrics = " + list, "own.toml"}; }

const std::vector<MetricInput> labels{MetricInput::Labels};

TEST(NamedMetrics, StandInTheRecordUnderTheirNameAndPart) {
  const MetricCase given{.predicted = torch::tensor({0, 1, 1, 1}),
                         .truth = torch::tensor({0, 1, 1, 0})};
  records::Record record;
  const auto settings = naming(R"(["accuracy", "pose_error"])");
  add_named_metrics(MetricInput::Labels, given, "depth", "gestures", settings, record);
  add_named_metrics(MetricInput::Labels, given, "", "gestures", settings, record);
  ASSERT_EQ(record.metrics.size(), 2U);  // poses are another input
  EXPECT_EQ(record.metrics[0].name, "accuracy_depth");
  EXPECT_EQ(record.metrics[1].name, "accuracy");
  EXPECT_DOUBLE_EQ(record.metrics[1].value, 0.75);
  EXPECT_EQ(record.metrics[1].direction, records::Direction::HigherIsBetter);
  EXPECT_THAT(record.metrics[1].protocol, testing::EndsWith(", gestures"));
}

// A study's own metric has its own protocol; a second of that name would make two of one.
TEST(NamedMetrics, LeaveWhatTheRecordHas) {
  records::Record record;
  record.metrics.push_back({"accuracy", 0.5, "", records::Direction::HigherIsBetter, "its own"});
  add_named_metrics(MetricInput::Labels,
                    {.predicted = torch::tensor({0}), .truth = torch::tensor({0})}, "", "x",
                    naming(R"(["accuracy"])"), record);
  ASSERT_EQ(record.metrics.size(), 1U);
  EXPECT_EQ(record.metrics[0].protocol, "its own");
}

// A run of hours must not end without the metric that was asked for.
TEST(NamedMetrics, AreRefusedBeforeARunWhereNoCellCouldHaveThem) {
  EXPECT_NO_THROW(check_named_metrics(naming("[]"), {}, "toy"));
  EXPECT_NO_THROW(check_named_metrics(naming(R"(["accuracy"])"), labels, "toy"));
  const auto refused = [](const std::string& list, const auto& message) {
    EXPECT_THAT([&] { check_named_metrics(naming(list), labels, "toy"); },
                ThrowsUsageError(message));
  };
  refused(R"(["acuracy"])", HasSubstr("accuracy"));
  refused(R"(["confusion"])", HasSubstr("more than one number"));
  refused(R"(["jitter"])",
          AllOf(HasSubstr("no cell of toy has what jitter takes"), HasSubstr("accuracy")));
}

}  // namespace
}  // namespace reprise::reproduce
