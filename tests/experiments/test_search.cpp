// How a search chooses, and how it widens its grid.
#include <cmath>
#include <filesystem>
#include <set>

#include "experiments/run/results.h"
#include "experiments/run/runner.h"
#include "experiments/search.h"
#include "records/packed.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using records::hyperparameter;
using records::parse_trial;
using records::trial_name;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Search search_over(std::vector<Axis> axes, std::int64_t widen = 0) {
  Search search{.trials = {"s", "search", "d", "m", 0},
                .rules = {{.metric = "validation_error"}},
                .widen = widen};
  for (auto& axis : axes) search.grid.push_back({std::move(axis)});
  return search;
}

/// Trials whose error is a function of their hyperparameters: all of them are finished.
FindRecord finished(const std::function<double(const records::Trial&)>& error) {
  return [=](const records::Cell& cell) {
    records::Record record;
    record.cell = cell;
    record.metrics.push_back(
        {.name = "validation_error", .value = error(parse_trial(cell.method))});
    return std::optional(record);
  };
}
/// The error is the distance to the best value, in factors.
FindRecord best_at(double best) {
  return finished(
      [=](const records::Trial& trial) { return std::abs(std::log(trial.value("lr") / best)); });
}

/// The search, where all trials run that a plan has.
SearchResult carried_out(const Search& search, const FindRecord& trial) {
  std::set<records::Cell> planned;
  for (;;) {
    const auto result = follow_search(search, [&](const records::Cell& cell) {
      return planned.contains(cell) ? trial(cell) : std::nullopt;
    });
    if (!result.missing) return result;
    for (const auto& cell : trial_cells(search, result.grid)) planned.insert(cell);
  }
}

class BestRate : public testing::Test {
 protected:
  void add(double rate, std::int64_t seed, std::optional<double> error) {
    records::Record record;
    record.cell = {.study = "s",
                   .table = "search",
                   .dataset = "d",
                   .method = trial_name({"m", {hyperparameter("lr", rate)}}),
                   .seed = seed};
    record.status = records::Status::Done;
    if (error)
      record.metrics.push_back({.name = "validation_error", .value = *error});
    else
      record.metrics.push_back({.name = diverged_metric, .value = 1});
    store_.write(record);
  }
  double best(std::int64_t seeds) {
    auto search = search_over({axis("lr", {1e-3, 1e-2, 1e-1})});
    search.seeds = seeds;
    return best_trial(search, store_).value("lr");
  }

 private:
  TemporaryFolder folder_;
  records::Store store_{folder_.path()};
};

TEST_F(BestRate, IsTheOneWithTheLeastMeanOverTheSeedsOfItsTrials) {
  for (const auto& [rate, errors] : std::map<double, std::vector<double>>{
           {1e-3, {0.1, 0.5}}, {1e-2, {0.2, 0.3}}, {1e-1, {0.3, 0.3}}})
    for (std::size_t seed = 0; seed < errors.size(); ++seed)
      add(rate, static_cast<std::int64_t>(seed), errors[seed]);
  EXPECT_EQ(best(1), 1e-3);
  EXPECT_EQ(best(2), 1e-2);
  EXPECT_THAT([&] { best(3); }, ThrowsError(HasSubstr("m+lr=0.001/seed2")));
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

TEST(Trial, ItsNameIsReadBackWhateverTheNumbers) {
  for (const std::string name : {"m", "fc_gru+lr=1e-05+dropout=0.25", "sds+rate=1e-2+guidance=1",
                                 "m+x=-0.5", "m+x=0", "m+x=1e20", "m+x=5e-324"})
    EXPECT_EQ(trial_name(parse_trial(name)), name);
  for (const double value : {0.0, -0.5, 1e-5, 1e20, 1.7976931348623157e308, 5e-324, 0.1 + 0.2})
    EXPECT_EQ(parse_trial(trial_name({"m", {hyperparameter("x", value), hyperparameter("y", 1.0)}}))
                  .value("x"),
              value)
        << value;
  const auto read = parse_trial("fc_gru+lr=1e-05+dropout=0.25");
  EXPECT_EQ(read.method, "fc_gru");
  EXPECT_EQ(read.value("dropout"), 0.25);
  EXPECT_EQ(read.find("width"), std::nullopt);
  EXPECT_THAT([&] { read.value("width"); }, ThrowsUsageError(HasSubstr("width")));
  for (const auto* name : {"m+lr", "m+lr=", "m+=1", "m+", "m+lr=fast", "m+lr=0.1x", "m+lr=nan",
                           "m+lr=inf", "m+lr=1e+5", "m+lr=1+lr=2"})
    EXPECT_THAT([&] { parse_trial(name); }, ThrowsUsageError(HasSubstr("METHOD+NAME=NUMBER")))
        << name;
}

TEST(Search, TakesOneValueOfEachEntryOfItsGrid) {
  Search search{.trials = {"s", "search", "d", "m+fixed=1", 0},
                .grid = {parse_axes("h=0.3|1 g=3e-1"), parse_axes("first=2|5")},
                .seeds = 2};
  std::vector<std::string> names;
  for (const auto& trial : list_trials(search, search.grid)) names.push_back(trial_name(trial));
  EXPECT_THAT(names, ElementsAre("m+fixed=1+h=0.3+first=2", "m+fixed=1+h=0.3+first=5",
                                 "m+fixed=1+h=1+first=2", "m+fixed=1+h=1+first=5",
                                 "m+fixed=1+g=3e-1+first=2", "m+fixed=1+g=3e-1+first=5"));
  EXPECT_EQ(trial_cells(search).size(), 12U);
  EXPECT_EQ(trial_cells(search).back().seed, 1);
  search.grid = {parse_axes("first=2")};
  EXPECT_THAT(trial_cells(search), IsEmpty()) << "there is nothing to choose";
  EXPECT_THAT([] { parse_axes("first=2|x"); }, ThrowsUsageError(HasSubstr("first=x")));
  EXPECT_THAT([] { parse_axes("first"); }, ThrowsUsageError(HasSubstr("first")));
}

TEST(Search, AListGoesOnByItsOwnRatioOrStepWithinTheBoundsOfTheHyperparameter) {
  const auto lists = [](const Axis& axis, double best) {
    return carried_out(search_over({axis}, 9), finished([=](const records::Trial& trial) {
                         return std::abs(trial.value("lr") - best);
                       }))
        .grid[0][0]
        .values;
  };
  EXPECT_THAT(lists(axis("lr", {1e-3, 3e-3, 1e-2}), 0.1),
              ElementsAre("0.001", "0.003", "0.01", "0.03", "0.1", "0.3"));
  EXPECT_THAT(lists(axis("lr", {3e-3, 1e-2, 3e-2}), 0), testing::SizeIs(12)) << "below, nine times";
  EXPECT_THAT(lists(axis("lr", {10, 20}), 35), ElementsAre("10", "20", "40", "80"));
  EXPECT_THAT(lists(axis("lr", {0, 0.1, 0.2}), 0), ElementsAre("0", "0.1", "0.2"))
      << "nothing is below 0";
  EXPECT_THAT(lists(axis("lr", {0, 0.1, 0.2}), 0.3), ElementsAre("0", "0.1", "0.2", "0.3", "0.4"));
  Axis bounded = axis("lr", {0.25, 0.5, 1});
  bounded.greatest = 1;
  EXPECT_THAT(lists(bounded, 1), ElementsAre("0.25", "0.5", "1"));
  const auto edges = [](const Axis& axis) {
    return carried_out(search_over({axis}, 9), best_at(axis.greatest)).edges;
  };
  EXPECT_THAT(edges(bounded), IsEmpty()) << "nothing is beyond the bound";
  bounded.greatest = 1.5;
  EXPECT_THAT(edges(bounded), ElementsAre("lr=1, the greatest of 3 values"))
      << "2 is beyond the bound, and 1.25 is not";
  Axis whole = axis("lr", {2, 4, 8, 12, 20});
  whole.whole = true;
  EXPECT_THAT(lists(whole, 30), ElementsAre("2", "4", "8", "12", "20", "30", "50"));
  EXPECT_THAT(lists(axis("lr", {7}), 9), ElementsAre("7")) << "one value is no list";
}

TEST(Search, FindsABestBeyondItsListAndStopsAtTheMostValuesThatASideMayGet) {
  const auto rates = axis("lr", {1e-3, 1e-2, 1e-1});
  const auto inside = carried_out(search_over({rates}, 2), best_at(1));
  EXPECT_EQ(trial_name(inside.best.front()), "m+lr=1");
  EXPECT_THAT(inside.edges, IsEmpty()) << "10 was tried, and is worse";
  for (const double best : {1e5, 1e-8}) {
    const auto ended = carried_out(search_over({rates}, 2), best_at(best));
    EXPECT_EQ(ended.best.front().value("lr"), best > 1 ? 10 : 1e-5);
    EXPECT_THAT(ended.edges, ElementsAre(HasSubstr(best > 1 ? "lr=10, the greatest of 5 values"
                                                            : "lr=1e-05, the least of 5 values")));
  }
  const auto narrow = carried_out(search_over({rates}), best_at(1));
  EXPECT_EQ(narrow.best.front().value("lr"), 0.1);
  EXPECT_THAT(narrow.edges, ElementsAre(HasSubstr("lr=0.1, the greatest of 3 values")));
  EXPECT_EQ(follow_search(search_over({rates}), best_at(1)).best.front().value("lr"), 1)
      << "trials that are there count";
}

TEST(Search, EachListOfAGridIsWidenedByItself) {
  const auto result = carried_out(search_over({axis("lr", {1, 2}), axis("weight", {1, 3})}, 1),
                                  finished([](const records::Trial& trial) {
                                    return std::abs(trial.value("lr") - 4) + trial.value("weight");
                                  }));
  EXPECT_THAT(result.grid[0][0].values, ElementsAre("1", "2", "4"));
  EXPECT_THAT(result.grid[1][0].values, ElementsAre("1", "3", "0.333"));
  EXPECT_THAT(result.edges, testing::SizeIs(2));
}

TEST(Search, WaitsForTheFirstTrialThatIsNotFinished) {
  const auto all = best_at(1);
  const auto result =
      follow_search(search_over({axis("lr", {1e-2, 1e-1})}, 2), [&](const records::Cell& cell) {
        return cell.method == "m+lr=1" ? std::nullopt : all(cell);
      });
  EXPECT_EQ(result.missing->id(), "search/d/m+lr=1/seed0");
  EXPECT_THAT(result.best, IsEmpty());
}

/// Ids of all cells of a folder with their first metric.
std::map<std::string, double> outcomes(const std::filesystem::path& results) {
  std::map<std::string, double> found;
  for (const auto& record : cells_in(results).all())
    found[record.cell.id()] = record.metrics.at(0).value;
  return found;
}

struct WidenedRun : testing::Test {
  TemporaryFolder folder;
  RunRequest request(const std::string& methods, const std::string& results, int widen = 2) const {
    auto made = toy_request(folder.path() / results, methods);
    made.set.push_back("search.widen=" + std::to_string(widen));
    return made;
  }
  std::map<std::string, double> outcomes_of(const std::string& results) const {
    return outcomes(folder.path() / results);
  }
};

TEST_F(WidenedRun, ReachesABestBeyondTheListForEveryMethodAlikeSlow) {
  const auto result = run(toy(), request(R"(["tuned", "tuned_too"])", "results"));
  EXPECT_EQ(std::count_if(result.cells.begin(), result.cells.end(),
                          [](const auto& cell) { return cell.outcome == Outcome::Done; }),
            static_cast<std::ptrdiff_t>(result.cells.size()));
  const auto found = outcomes_of("results");
  // The list is 1, 2; the best rate is 4, and 8 shows that it is the best.
  for (const std::string method : {"tuned", "tuned_too"}) {
    for (const auto* rate : {"1", "2", "4", "8"})
      for (const auto* seed : {"0", "1"})
        EXPECT_TRUE(found.contains("search/toys/" + method + "+lr=" + rate + "/seed" + seed))
            << rate;
    EXPECT_EQ(found.at("main/toys/" + method + "/seed1"), 4);
  }
  EXPECT_EQ(found.size(), 2U + 2 * (4 * 2 + 2));
  EXPECT_THAT(result.notes, testing::Not(testing::Contains(HasSubstr("edge of a list"))));
  const auto again = run(toy(), request(R"(["tuned", "tuned_too"])", "results"));
  EXPECT_TRUE(std::all_of(again.cells.begin(), again.cells.end(),
                          [](const auto& cell) { return cell.outcome == Outcome::Skipped; }));
}

TEST_F(WidenedRun, PrintsAChoiceAtTheEdgeOfItsListSlow) {
  for (const int widen : {0, 1})
    EXPECT_THAT(run(toy(), request(R"(["tuned"])", "results" + std::to_string(widen), widen)).notes,
                testing::Contains(
                    testing::AllOf(HasSubstr("1 of 1 searches"), HasSubstr("search/toys/tuned"),
                                   HasSubstr(widen == 0 ? "lr=2, the greatest of 2 values"
                                                        : "lr=4, the greatest of 3 values"))));
}

// Cells of the narrow search stand, but for those of a method whose best is another one now.
TEST_F(WidenedRun, GoesOnFromANarrowSearchAndRunsAgainWhatItChangesAloneSlow) {
  const std::string methods = R"(["tuned", "tuned_inside", "after_tuned", "after_tuned_inside"])";
  run(toy(), request(methods, "results", 0));
  EXPECT_EQ(outcomes_of("results").at("main/toys/tuned/seed0"), 2);
  const auto results = folder.path() / "results";
  const auto result = run(toy(), request(methods, "results"));
  EXPECT_EQ(outcomes_of("results").at("main/toys/tuned/seed0"), 4);
  EXPECT_THAT(result.notes,
              testing::Contains(HasSubstr(
                  "2 finished cells are of other hyperparameters than a wider search chose")));
  EXPECT_EQ(starts(results, "main/toys/tuned/seed0"), 2);
  EXPECT_EQ(starts(results, "main/toys/after_tuned/seed0"), 2) << "it needs that cell";
  EXPECT_EQ(starts(results, "main/toys/tuned_inside/seed0"), 1)
      << "0.5 was tried, and is worse than 1";
  EXPECT_EQ(starts(results, "main/toys/after_tuned_inside/seed0"), 1);
  EXPECT_EQ(starts(results, "search/toys/tuned_inside+lr=0.5/seed0"), 1);
  EXPECT_EQ(starts(results, "search/toys/tuned+lr=2/seed0"), 1);
}

TEST_F(WidenedRun, GivesTheSameCellsWhenItWasInterruptedAndByTwoWorkersSlow) {
  const std::string methods = R"(["tuned_interrupted"])";
  EXPECT_TRUE(run(toy(), request(methods, "resumed")).interrupted)
      << "in the first trial that the list did not have";
  EXPECT_FALSE(run(toy(), request(methods, "resumed")).interrupted);
  auto two = request(methods, "two");
  two.jobs = 2;
  run(toy(), two);  // interrupted
  run(toy(), two);
  auto expected = outcomes_of("resumed");
  EXPECT_EQ(expected, outcomes_of("two"));
  EXPECT_EQ(expected.at("main/toys/tuned_interrupted/seed0"), 4);
}

// Its weights stayed behind, and no cell needs them.
TEST_F(WidenedRun, APackedTrialDoesNotRunAgainForAFurtherSeedSlow) {
  run(toy(), request(R"(["tuned"])", "results"));
  const auto results = folder.path() / "results", packed = folder.path() / "packed";
  for (const auto& [file, bytes] : records::pack(cells_in(results), {}))
    write_file(packed / file, bytes);
  std::filesystem::copy_file(results / "run.json", packed / "run.json");
  auto more = request(R"(["tuned"])", "packed");
  more.seeds = 3;
  const auto result = run(toy(), more);
  EXPECT_EQ(std::count_if(result.cells.begin(), result.cells.end(),
                          [](const auto& cell) { return cell.outcome == Outcome::Done; }),
            2)
      << "of the third seed what it is made of, and the method";
  EXPECT_EQ(starts(packed, "search/toys/tuned+lr=4/seed0"), 0);
  EXPECT_EQ(outcomes_of("packed").at("main/toys/tuned/seed2"), 4);
}

// A later round plans some of the cells that --redo names.
TEST_F(WidenedRun, RedoRunsEveryFinishedCellOnceAndNewTrialsOnceSlow) {
  run(toy(), request(R"(["tuned"])", "results", 1));
  auto again = request(R"(["tuned"])", "results");
  again.redo = {"*"};
  run(toy(), again);
  const auto results = folder.path() / "results";
  for (const auto& [cell, outcome] : outcomes_of("results"))
    EXPECT_EQ(starts(results, cell), cell.starts_with("search/toys/tuned+lr=8/") ? 1 : 2) << cell;
  EXPECT_EQ(outcomes_of("results").at("main/toys/tuned/seed1"), 4);
}

// The narrow search stands while a wider one goes on, so that every round asks for the trial that
// failed.
TEST_F(WidenedRun, ATrialThatFailsRunsOnceSlow) {
  const std::string methods = R"(["tuned", "tuned_failing"])";
  run(toy(), request(methods, "results", 0));
  const auto result = run(toy(), request(methods, "results", 3));
  const auto results = folder.path() / "results";
  for (const auto* seed : {"0", "1"})
    EXPECT_EQ(starts(results, std::string("search/toys/tuned_failing+lr=4/seed") + seed), 1);
  EXPECT_EQ(cells_in(results).find({"toy", "main", "toys", "tuned", 0})->metric("learning_rate"), 4)
      << "other searches go on";
  for (const auto& cell : result.cells)
    EXPECT_EQ(cell.outcome == Outcome::Failed, cell.cell.method == "tuned_failing+lr=4")
        << cell.cell.id();
}

TEST_F(WidenedRun, EndsWhereATrialFailsSlow) {
  const auto result = run(toy(), request(R"(["tuned_failing"])", "results"));
  for (const auto& cell : result.cells)
    EXPECT_EQ(cell.outcome == Outcome::Failed,
              cell.cell.table == "main" || cell.cell.method == "tuned_failing+lr=4")
        << cell.cell.id();
}

}  // namespace
}  // namespace reprise::reproduce
