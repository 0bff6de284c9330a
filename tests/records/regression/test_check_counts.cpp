// What a check says at its end: counts that every output shares, failures last, the worst first.
#include <algorithm>

#include "core/markdown.h"
#include "tests/records/regression/checked.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<Record> on(const std::string& platform, std::vector<Record> records) {
  for (auto& record : records) record.environment.edit().arithmetic = platform;
  return records;
}

std::vector<Record> shifted(std::vector<Record> records, double by) {
  for (auto& record : records) record.metrics[0].value += by;
  return records;
}

TEST(CheckLines, HaveFailuresLastAndTheWorstFirst) {
  const auto cells = [](double a, double b, double c, double d) {
    return both(both(shifted(make_seeds({.method = "a"}, usual), a),
                     shifted(make_seeds({.method = "b"}, usual), b)),
                both(shifted(make_seeds({.method = "c"}, usual), c),
                     shifted(make_seeds({.method = "d"}, usual), d)));
  };
  const auto reference = make_reference(cells(0, 0, 0, 0), "first");
  auto now = cells(-0.1, -0.4, 0.3, 0);
  now.resize(now.size() - 3);
  const auto result = check(reference, now);
  const auto lines = report_lines(result);
  const auto place = [&](const std::string& text) {
    const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(text) != std::string::npos;
    });
    return found - lines.begin();
  };
  EXPECT_THAT(lines.at(static_cast<std::size_t>(place("auc of table1/faces/c rose"))),
              StartsWith("note "));
  EXPECT_LT(place("auc of table1/faces/c rose"), place("table1/faces/d"));
  EXPECT_LT(place("table1/faces/d"), place("auc of table1/faces/b fell"))
      << "what is not there is the worst";
  EXPECT_LT(place("auc of table1/faces/b fell"), place("auc of table1/faces/a fell"));
  bool failing = false;
  for (const auto& line : lines) {
    EXPECT_FALSE(failing && line.starts_with("note")) << line;
    failing = failing || line.starts_with("FAIL");
  }
}

// A metric better by several percent, whose seeds change differently, and one worse by a percent,
// whose seeds change alike: the mean in standard deviations is worse, and the mean of the plain
// percents would be better.
TEST(CheckLines, SayWorseByAPercentOfTheSameSignWhateverTheDirectionsOfTheMetrics) {
  const std::vector<double> wide{0.45, 0.5, 0.55}, narrow{0.5, 0.5001, 0.4999};
  const auto cell = [&](double wide_factor, double narrow_factor) {
    auto records = make_seeds({.method = "cnn", .metric = "wide"}, wide);
    for (std::size_t seed = 0; seed < records.size(); ++seed) {
      // Another order of the seeds, where something changed.
      records[seed].metrics[0].value = wide[(seed + (wide_factor == 1 ? 0 : 1)) % 3] * wide_factor;
      auto error = records[seed].metrics[0];
      error.name = "error", error.direction = Direction::LowerIsBetter,
      error.value = narrow[seed] * narrow_factor;
      records[seed].metrics.push_back(error);
    }
    return records;
  };
  const auto reference = make_reference(cell(1, 1), "first");
  const auto worse = check(reference, cell(1.08, 1.02));
  ASSERT_EQ(worse.scores.size(), 1U);
  EXPECT_LT(worse.scores[0].change, 0);
  EXPECT_LT(worse.scores[0].percent, 0);
  EXPECT_THAT(worse.scores[0].message, AllOf(HasSubstr("became worse"), HasSubstr(": worse by "),
                                             Not(HasSubstr("by -")), Not(HasSubstr("+"))));
  const auto better = check(reference, cell(0.92, 0.98));
  EXPECT_GT(better.scores[0].percent, 0);
  EXPECT_THAT(better.scores[0].message,
              AllOf(HasSubstr("became better"), HasSubstr(": better by ")));
}

TEST(CheckCounts, NameWhatIsUnknownToTheReference) {
  const auto reference = make_reference(make_seeds({.method = "cnn"}, usual), "first");
  const auto result = check(
      reference, both(make_seeds({.method = "cnn"}, usual), make_seeds({.method = "sih"}, usual)));
  EXPECT_EQ(count_outcomes(result).guarded, 1);
  EXPECT_EQ(count_outcomes(result).unknown, 1);
  EXPECT_THAT(counts_text(count_outcomes(result)),
              StartsWith("1 guarded, 1 unknown to the reference"));
}

// One cell of another platform: the others are judged value by value all the same, and the odd one
// is named.
TEST(CheckCounts, NameTheCellsOfEachPlatformWhereTheRecordsAreOfSeveral) {
  const auto a = on("here", make_seeds({.method = "a"}, usual)),
             b = on("here", make_seeds({.method = "b"}, usual));
  const auto reference = make_reference(both(a, b), "first");
  auto now = both(a, b);
  now.back().environment.edit().arithmetic = "there";
  const auto result = check(reference, now);
  EXPECT_FALSE(result.known_arithmetic);
  EXPECT_EQ(result.arithmetic, "here") << "that of most cells";
  EXPECT_EQ(find(result, "a").basis, CheckBasis::Values);
  EXPECT_EQ(find(result, "b").basis, CheckBasis::Seeds);
  EXPECT_EQ(count_outcomes(result).own_values, 3);
  EXPECT_EQ(count_outcomes(result).values, 6);
  EXPECT_THAT(basis_text(result),
              AllOf(HasSubstr("the records are of 2 platforms"), HasSubstr("here (5 cells)"),
                    HasSubstr("there (1 cell: table1/faces/b/seed2)")));
  EXPECT_THAT([&] { make_reference(now, "mixed"); },
              ThrowsError(HasSubstr("several platforms"), HasSubstr("table1/faces/b/seed2")));
}

TEST(CheckCounts, AreTheSameInEveryOutput) {
  const auto records = both(on("here", make_seeds({.method = "cnn"}, usual)),
                            on("here", make_seeds({.method = "sih"}, usual)));
  const auto reference = make_reference(records, "first");
  auto now = both(records, on("here", make_seeds({.method = "new"}, usual)));
  now[0].metrics[0].value += 0.001;
  const auto result = check(reference, now);
  const auto text = counts_text(count_outcomes(result));
  EXPECT_EQ(
      text,
      "2 guarded, 1 unknown to the reference; 5 of 6 values are those of this platform's reference");
  EXPECT_THAT(summary_markdown(result, reference, "r"),
              AllOf(HasSubstr(text), HasSubstr(escape_markdown(basis_text(result)))));
  EXPECT_THAT(
      junit_xml(result),
      AllOf(HasSubstr("<property name=\"guarded\" value=\"2\"/>"),
            HasSubstr("<property name=\"unknown to the reference\" value=\"1\"/>"),
            HasSubstr("<property name=\"values\" value=\"6\"/>"),
            HasSubstr("<property name=\"values of this platform's reference\" value=\"5\"/>"),
            HasSubstr("tests=\"4\" failures=\"0\"")));
}

}  // namespace
}  // namespace reprise::records
