// What the command line makes of records: reports, tables of comparisons, every value in one file;
// and that docs show what it prints.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "core/csv.h"
#include "core/files.h"
#include "core/text.h"
#include "experiments/reporting.h"
#include "experiments/run/results.h"
#include "reproduce/dynamic_face/study.h"
#include "reproduce/langevin/study.h"
#include "reproduce/prernn/study.h"
#include "reproduce/studies.h"
#include "tests/cli/answer.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const fs::path committed = fs::canonical(fixture("../../results"));

/// A toy run that was not run: what its cells would have left.
struct ToyResults : testing::Test {
  TemporaryFolder folder;
  const fs::path results = folder.path() / "results";

  void describe(nlohmann::json settings) const {
    settings["seeds"] = 2;  // as in the profile
    write_description(results,
                      {.study = "toy", .profile = "smoke", .settings = settings, .device = "cpu"});
  }
  void add(const std::string& method, const std::vector<double>& scores) const {
    for (std::size_t seed = 0; seed < scores.size(); ++seed) {
      records::Record record;
      record.cell = {"toy", "main", "toys", method, static_cast<std::int64_t>(seed)};
      record.profile = "smoke";
      record.metrics = {
          {"score", scores[seed], "", records::Direction::HigherIsBetter, "toy score"}};
      record.status = records::Status::Done;
      cells_in(results).write(record);
    }
  }
  void SetUp() override {
    describe({{"scale", 1.0}});
    add("good", {0.5, 0.6, 0.7, 0.65, 0.55, 0.62});
    add("better", {1.51, 1.62, 1.69, 1.66, 1.57, 1.6});
    add("same", {0.5, 0.6, 0.7, 0.65, 0.55, 0.62});
    add("good+rate=0.1", {0.1});
  }
  static Answer toy_call(const std::vector<std::string>& words) {
    return call(words, test_studies());
  }
};

// What other tools read: a row a metric, with its cell, unit and protocol; what did not finish has
// no row.
TEST_F(ToyResults, RecordsBecomeLongTablesSlow) {
  records::Record failed;
  failed.cell = {"toy", "main", "toys", "broken", 0};
  failed.profile = "smoke";
  failed.status = records::Status::Failed;
  failed.error = "no";
  cells_in(results).write(failed);
  auto timed = cells_in(results).find({"toy", "main", "toys", "good", 2}).value();
  timed.seconds["total"] = 2.5;
  timed.metrics.push_back(
      {"odd", 0.25, "px", records::Direction::LowerIsBetter, "a, \"quoted\" protocol"});
  cells_in(results).write(timed);
  cells_in(results).write_curves(timed.cell, {{"loss", {3, 0.5, NAN}}});
  const auto out = folder.path() / "tables";
  const auto answer = toy_call({"export", results, "--out", out, "--json"});
  ASSERT_EQ(answer.status, done) << answer.err;
  EXPECT_EQ(answer.object().at("unfinished"), 1);
  const auto table = read_csv(out / "metrics.csv");
  EXPECT_EQ(table.rows.size(), answer.object().at("rows").at("metrics").get<std::size_t>());
  const auto rows_of = [&](const std::string& method, const std::string& metric) {
    std::vector<std::vector<std::string>> found;
    for (const auto& row : table.rows)
      if (row[table.column("method")] == method && row[table.column("metric")] == metric)
        found.push_back(row);
    return found;
  };
  ASSERT_EQ(rows_of("better", "score").size(), 6U);
  EXPECT_EQ(rows_of("better", "score")[1],
            (std::vector<std::string>{"toy", "main", "toys", "better", "1", "score", "1.62", "",
                                      "higher", "toy score", "smoke", ""}));
  EXPECT_EQ(rows_of("good", "seconds.total").front()[table.column("value")], "2.5");
  EXPECT_EQ(rows_of("good", "odd").front()[table.column("unit")], "px");
  EXPECT_EQ(rows_of("good", "odd").front()[table.column("protocol")], "a, \"quoted\" protocol");
  EXPECT_TRUE(rows_of("broken", "score").empty());
  const auto curves = read_csv(out / "curves.csv");
  ASSERT_EQ(curves.rows.size(), 3U);
  EXPECT_EQ(curves.rows[1],
            (std::vector<std::string>{"toy", "main", "toys", "good", "2", "loss", "1", "0.5"}));
  EXPECT_EQ(curves.rows[2].back(), "") << "no number";
  // the same as an object a line
  ASSERT_EQ(toy_call({"export", results, "--out", out, "--format", "jsonl"}).status, done);
  std::istringstream lines(read_file(out / "metrics.jsonl"));
  std::string line;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count)
    EXPECT_EQ(nlohmann::json::parse(line).at("study"), "toy");
  EXPECT_EQ(count, table.rows.size());
  EXPECT_EQ(toy_call({"export", results, "--format", "parquet"}).status, wrong_use);
  EXPECT_EQ(toy_call({"export", folder.path() / "none"}).status, wrong_use);
}

TEST_F(ToyResults, ACopyGivesTheSamePageFromAnyWorkingDirectorySlow) {
  const auto page = read_file(make_report(test_studies(), results, results).page);
  const auto copy = folder.path() / "elsewhere" / "results";
  fs::create_directories(copy.parent_path());
  fs::copy(results, copy, fs::copy_options::recursive);
  const auto before = fs::current_path();
  for (const auto& from : {fs::path("/"), folder.path(), copy, fs::path("elsewhere")}) {
    fs::current_path(from.is_absolute() ? from : folder.path() / from);
    EXPECT_TRUE(check_report_on_disk(test_studies(), copy, copy).differences.empty()) << from;
    EXPECT_TRUE(check_report_on_disk(test_studies(), fs::relative(copy), fs::relative(copy))
                    .differences.empty())
        << from;
  }
  fs::current_path(before);
  EXPECT_THAT(page, AllOf(Not(HasSubstr(folder.path().string())),
                          HasSubstr("./reprise report runs/toy/smoke")));
}

// Results may have settings that the study no longer has: a command with them would be refused.
TEST_F(ToyResults, CommandsOnThePageNameOnlySettingsOfTheStudyEachAsOneWordSlow) {
  describe({{"scale", "1'; touch witness; '"}, {"gone", 3}});
  const auto page = read_file(make_report(test_studies(), results, results).page);
  EXPECT_THAT(
      page,
      HasSubstr("--set &#39;scale=1&#39;\\&#39;&#39;; touch witness; &#39;\\&#39;&#39;&#39;"));
  EXPECT_THAT(page, Not(HasSubstr("gone=3")));
}

TEST_F(ToyResults, ReportRefusesAFolderOfSomebodyElseSlow) {
  const auto theirs = folder.path() / "paper";
  write_file(theirs / "figures" / "mine.pdf", "mine");
  const auto answer = toy_call({"report", results, "--out", theirs});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, AllOf(HasSubstr("figures"), HasSubstr("choose a new or empty folder")));
  EXPECT_EQ(read_file(theirs / "figures" / "mine.pdf"), "mine");
  EXPECT_EQ(toy_call({"report", results, "--out", folder.path() / "new"}).status, 0);
  EXPECT_EQ(toy_call({"report", results, "--out", folder.path() / "new"}).status, 0);
  EXPECT_EQ(toy_call({"report", results, "--out", folder.path() / "new", "--check"}).status, 0);
}

TEST_F(ToyResults, AComparisonIsATableTooSlow) {
  const auto csv = folder.path() / "c.csv", markdown = folder.path() / "c.md";
  const auto answer = toy_call({"compare", results, "--methods", "better,*", "--out", csv});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const auto table = read_csv(csv);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][table.column("b")], "good");
  EXPECT_EQ(table.rows[0][table.column("verdict")], "better is better");
  EXPECT_GT(csv_number(table, 0, table.column("low")), 0);
  EXPECT_EQ(table.rows[1][table.column("b")], "good+rate=0.1");
  EXPECT_EQ(table.rows[1][table.column("low")], "") << "one seed";
  EXPECT_EQ(toy_call({"compare", results, "--methods", "better,*", "--out", markdown}).status, 0);
  EXPECT_THAT(read_file(markdown), AllOf(HasSubstr("| main | toys | score | better |"),
                                         HasSubstr("better is better |\n"), HasSubstr("Holm")));
  EXPECT_THAT(
      toy_call({"compare", results, "--methods", "better,*", "--out", folder.path() / "c.txt"}).err,
      HasSubstr(".csv nor .md"));
}

Study with_a_guest(training::Role role) {
  auto study = toy();
  study.methods = [role] {
    std::vector<ListedMethod> all;
    for (const std::string id : {"good", "better"})
      all.push_back({training::Contract::Sequence, {id, id, training::Role::Document, "", ""}, ""});
    all.push_back({training::Contract::Sequence, {"same", "same", role, "", ""}, ""});
    return all;
  };
  return study;
}

// Two seeds of networks of seconds are no ground for "better", in whatever form the answer is asked
// for.
TEST_F(ToyResults, NothingIsCalledBetterOnAProfileThatJudgesNothingSlow) {
  describe({{"scale", 1.0}, {"purpose", "smoke_test"}});
  const auto csv = folder.path() / "c.csv", markdown = folder.path() / "c.md";
  const auto verdict_free =
      AllOf(HasSubstr("not judged"), Not(HasSubstr("is better")), Not(HasSubstr("Holm 0")));
  const auto text = toy_call({"compare", results, "--methods", "better,good", "--out", csv});
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(verdict_free, HasSubstr("difference +1 ["),
                              HasSubstr("run toy --profile small")));
  EXPECT_EQ(toy_call({"compare", results, "--methods", "better,good", "--out", markdown}).status,
            0);
  EXPECT_THAT(read_file(csv), verdict_free);
  EXPECT_THAT(read_file(markdown), verdict_free);
  const auto object = toy_call({"compare", results, "--methods", "better,*", "--json"}).object();
  EXPECT_EQ(object.at("judged"), false);
  for (const auto& pair : object.at("comparisons")) {
    EXPECT_EQ(pair.at("verdict"), "not judged");
    for (const auto* of_test : {"p", "p_holm", "p_wilcoxon", "seeds_needed"})
      EXPECT_TRUE(pair.at(of_test).is_null()) << of_test;
  }
  EXPECT_FALSE(object.at("comparisons").at(0).at("interval").is_null());
  EXPECT_EQ(toy_call({"compare", results, "--methods", "better,good", "--json"})
                .object()
                .at("notes")
                .size(),
            1U);
  describe({{"scale", 1.0}, {"purpose", "wirring"}});
  EXPECT_EQ(toy_call({"compare", results, "--methods", "better,good"}).status, wrong_use);
}

TEST_F(ToyResults, TheUsersMethodHasNoVerdictOnSuchAPageEitherSlow) {
  describe({{"scale", 1.0}, {"purpose", "smoke_test"}});
  const auto page = read_file(
      make_report({with_a_guest(training::Role::User)}, results, folder.path() / "out").page);
  EXPECT_THAT(page, AllOf(HasSubstr("No verdict on same"), Not(HasSubstr("worse than"))));
}

TEST_F(ToyResults, ComparisonsOfTwoSeedsAndMethodsThatWereNotRunAreSaidSlow) {
  add("few", {0.5, 0.6});
  EXPECT_THAT(toy_call({"compare", results, "--methods", "few,good"}).out,
              HasSubstr("one degree of freedom"));
  EXPECT_THAT(toy_call({"compare", results, "--methods", "good,better"}).out,
              Not(HasSubstr("one degree of freedom")));
  auto study = with_a_guest(training::Role::Baseline);
  const auto listed = study.methods();
  study.methods = [listed] {
    auto all = listed;
    all.push_back(all.front());
    all.back().info.id = "absent";
    return all;
  };
  EXPECT_THAT(call({"compare", results, "--methods", "good,*"}, {study}).out,
              HasSubstr("not run in these results: absent\n"));
  const auto named = call({"compare", results, "--methods", "good,absent"}, {study});
  EXPECT_EQ(named.status, wrong_use);
  EXPECT_THAT(named.err, AllOf(HasSubstr("method absent was not run"),
                               HasSubstr("run toy --profile smoke --only '*/*/absent/*'")));
  records::Record failed;
  failed.cell = {"toy", "main", "toys", "broken", 0};
  failed.profile = "smoke";
  failed.status = records::Status::Failed;
  failed.error = "no";
  cells_in(results).write(failed);
  EXPECT_THAT(call({"compare", results, "--methods", "good,broken"}, {study}).err,
              HasSubstr("method broken has no finished cell"));
}

TEST_F(ToyResults, MethodsThatAreEqualInEverySeedAreSaidToBeSlow) {
  const auto answer = toy_call({"compare", results, "--methods", "good,same"});
  EXPECT_THAT(answer.out, AllOf(HasSubstr("p 1,"), HasSubstr("equal in every seed\n")));
}

TEST_F(ToyResults, TrialsOfASearchAreSuggestedToNobodyAndNearNamesStandFirstSlow) {
  const auto answer = toy_call({"compare", results, "--methods", "goood,better"});
  EXPECT_THAT(answer.err, AllOf(HasSubstr("did you mean 'good'? Known: good, better, same"),
                                Not(HasSubstr("rate"))));
  EXPECT_THAT(toy_call({"compare", results, "--methods", "good+rate=0.2,better"}).err,
              HasSubstr("did you mean 'good+rate=0.1'"));
}

// Names that the claims of each study spell, or that its registry has, judged on what is committed:
// nothing falls out.
TEST(OwnMethods, AreAllThatTheCommittedRecordsJudgeAndNoStrangerSlow) {
  for (const auto& study : {prernn(), dynamic_face(), langevin()}) {
    const auto store = cells_in(committed / study.name);
    const auto own = own_methods(study);
    EXPECT_FALSE(own.empty()) << study.name;
    const auto with = records::judge(study.claims, "claims.toml", store, own),
               without = records::judge(study.claims, "claims.toml", store);
    ASSERT_EQ(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i) {
      EXPECT_EQ(with[i].reason, without[i].reason) << study.name << " " << with[i].id;
      EXPECT_EQ(with[i].verdict, without[i].verdict) << study.name << " " << with[i].id;
    }
    EXPECT_FALSE(own.contains("pre_gru_mine"));
  }
}

TEST_F(ToyResults, AGuestHasNoPartInClaimsAndStandsInYourMethodsSlow) {
  const auto guest = with_a_guest(training::Role::User),
             baseline = with_a_guest(training::Role::Baseline);
  EXPECT_FALSE(own_methods(guest).contains("same"));
  EXPECT_TRUE(own_methods(baseline).contains("same"));
  const auto page = [&](const Study& study) {
    return read_file(make_report({study}, results, folder.path() / "out").page);
  };
  EXPECT_THAT(page(baseline), Not(HasSubstr("Your methods")));
  EXPECT_THAT(page(guest), AllOf(HasSubstr("Your methods"), HasSubstr("same, score on toys")));
}

std::string on_one_line(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+"), " ");
}

TEST(Docs, TheComparisonInNewMethodIsWhatTheProgramPrintsSlow) {
  const auto doc = read_file(fixture("../../docs/new_method.md"));
  const auto section = doc.substr(doc.find("## What the comparison says"));
  std::smatch command, printed;
  ASSERT_TRUE(std::regex_search(section, command,
                                std::regex("\\./reprise (compare results/prernn [^\n]*)\n")));
  ASSERT_TRUE(std::regex_search(section, printed, std::regex("```\n(table1[^`]*)```")));
  std::vector<std::string> words{"compare", committed / "prernn"};
  const std::string options = std::regex_replace(
      command[1].str().substr(std::string("compare results/prernn ").size()), std::regex("'"), "");
  for (std::size_t at = 0, end = 0; at < options.size(); at = end + 1) {
    end = std::min(options.find(' ', at), options.size());
    words.push_back(options.substr(at, end - at));
  }
  const auto answer = call(words, test_studies());
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(on_one_line(answer.out), HasSubstr(on_one_line(printed[1])));
}

// A page, a sentence or a picture that its records no longer give is what a visitor would see
// first.
TEST(CommittedPagesSlow, AreWhatTheirRecordsGiveAndTheirSentencesHoldSlow) {
  const auto answer = call({"report", committed, "--check"}, studies());
  EXPECT_EQ(answer.status, 0) << answer.out << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("the index page agrees with the records"));
}

// A picture of the README is one that `report` makes: the test above holds it.
TEST(CommittedPages, TheReadmeShowsNoOtherPictures) {
  const auto readme = read_file(fixture("../../README.md"));
  const std::regex picture(R"(!\[[^\]]*\]\(([^)]*)\))");
  std::size_t pictures = 0;
  for (std::sregex_iterator at(readme.begin(), readme.end(), picture), end; at != end;
       ++at, ++pictures) {
    EXPECT_THAT((*at)[1].str(), testing::StartsWith("results/"));
    EXPECT_TRUE(fs::exists(fixture("../../" + (*at)[1].str()))) << (*at)[1];
  }
  EXPECT_GT(pictures, 0U);
}

}  // namespace
}  // namespace reprise::reproduce
