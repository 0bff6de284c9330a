// What a registry does with its entries, done with those of the examples.
#include "core/files.h"
#include "examples/balanced_accuracy.h"
#include "examples/entries.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

TEST(Entries, TheMetricJudgesPredictionsFromFiles) {
  const TemporaryFolder folder;
  write_file(folder.path() / "truth.csv", "item,label\na,0\nb,0\nc,0\nd,1\n");
  write_file(folder.path() / "mine.csv", "item,label\na,0\nb,0\nc,0\nd,0\n");
  const auto metric = balanced_accuracy_entry();
  const auto answer =
      metric.value(read_case(metric, folder.path() / "mine.csv", folder.path() / "truth.csv", {}));
  EXPECT_EQ(answer.at(metric.name), 0.5)
      << "`metric` and records look for the value under the name of the metric";
  EXPECT_EQ(answer.at("n"), 4);
  EXPECT_EQ(answer.at("protocol"), metrics::balanced_accuracy_protocol);
}

TEST(Entries, TheDataSetIsMadeAsItsOptionsSay) {
  const auto set = gratings_entry().make_clips(
      {.count = 6, .size = 32, .frames = 5, .seed = 3, .who = std::vector<std::int64_t>{7}});
  EXPECT_EQ(set.colour.sizes(), (std::vector<std::int64_t>{6, 5, 32, 32, 3}));
  EXPECT_EQ(set.classes, (std::vector<std::string>{"right", "down", "left", "up"}));
  EXPECT_THAT(set.person, testing::Each(testing::Eq(set.person.front())))
      << "all clips are of the one person asked for";
}

}  // namespace
}  // namespace reprise::reproduce
