// How a learning rate, and what else is searched, is chosen from trials.
#include "reproduce/sequence_training.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::HasSubstr;

class BestRate : public testing::Test {
 protected:
  void add(double rate, std::int64_t seed, std::optional<double> error) {
    records::Record record;
    record.cell = {.study = "s", .table = "search", .dataset = "d", .method = trial_name({"m", {{"lr", rate}}}), .seed = seed};
    record.status = records::Status::Done;
    if (error)
      record.metrics.push_back({.name = "validation_error", .value = *error});
    else
      record.metrics.push_back({.name = diverged_metric, .value = 1});
    store_.write(record);
  }
  double best(std::int64_t seeds) {
    records::Record record;
    record.cell = {.study = "s", .table = "table1", .dataset = "d", .method = "m", .seed = 4};
    const Settings settings("seeds = 5\n", "settings.toml");
    training::Progress silent(nullptr);
    const CellContext context{settings, store_, folder_.path(), "", "cpu", record, silent};
    return knob(best_knobs(context, {"search", rates_alone({1e-3, 1e-2, 1e-1}), seeds}, "m", "validation_error"), "lr");
  }

 private:
  TemporaryFolder folder_;
  records::Store store_{folder_.path()};
};

TEST_F(BestRate, IsTheOneWithTheLeastMeanOverTheSeedsOfItsTrials) {
  for (const auto& [rate, errors] : std::map<double, std::vector<double>>{{1e-3, {0.1, 0.5}}, {1e-2, {0.2, 0.3}}, {1e-1, {0.3, 0.3}}})
    for (std::size_t seed = 0; seed < errors.size(); ++seed) add(rate, static_cast<std::int64_t>(seed), errors[seed]);
  EXPECT_EQ(best(1), 1e-3);
  EXPECT_EQ(best(2), 1e-2);
  EXPECT_THAT([&] { best(3); }, ThrowsError(HasSubstr("m+lr=0.001/seed2"), HasSubstr("validation_error")));
}

TEST_F(BestRate, OneThatDivergedIsNoneAndAllThatDidAreAnError) {
  add(1e-3, 0, 0.4);
  add(1e-2, 0, 0.2);
  add(1e-1, 0, std::nullopt);
  EXPECT_EQ(best(1), 1e-2);
  add(1e-3, 0, std::nullopt);
  add(1e-2, 0, std::nullopt);
  EXPECT_THAT([&] { best(1); }, ThrowsError(HasSubstr("diverged"), HasSubstr("add lower rates")));
}

TEST(Trial, ItsNameSaysWhatItTries) {
  const Trial trial{"fc_gru", {{"lr", 1e-5}, {"dropout", 0.25}}};
  EXPECT_EQ(trial_name(trial), "fc_gru+lr=1e-05+dropout=0.25");
  const auto read = trial_of(trial_name(trial));
  EXPECT_EQ(read.method, "fc_gru");
  EXPECT_EQ(read.knobs, trial.knobs);
  EXPECT_TRUE(trial_of("fc_gru").knobs.empty());
  EXPECT_EQ(knob(read.knobs, "dropout"), 0.25);
  EXPECT_THAT([&] { knob(read.knobs, "width"); }, ThrowsUsageError(HasSubstr("width")));
  for (const auto* name : {"m+lr", "m+lr=", "m+lr=fast", "m+lr=0.1x"})
    EXPECT_THAT([&] { trial_of(name); }, ThrowsError(HasSubstr("KNOB=NUMBER"))) << name;
}

}  // namespace
}  // namespace reprise::reproduce
