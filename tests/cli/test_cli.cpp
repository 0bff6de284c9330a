#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "core/compression.h"
#include "core/csv.h"
#include "core/files.h"
#include "core/text.h"
#include "core/version.h"
#include "experiments/arithmetic.h"
#include "experiments/run/results.h"
#include "tests/cli/command_line.h"
#include "tests/experiments/toy_study.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(CommandLine, WithoutArgumentItSaysWhatItCanDo) {
  const auto answer = call({});
  EXPECT_EQ(answer.status, 0);
  for (const char* verb : {"reproduce", "run", "list", "report", "check", "compare", "metric",
                           "data", "weights", "sample", "invert", "generate"})
    EXPECT_THAT(answer.out, HasSubstr(verb));
}

/// The names listed in a help text from the line `title` on, up to an empty line.
std::vector<std::string> names_below(const std::string& help, const std::string& title) {
  std::vector<std::string> names;
  std::istringstream lines(help);
  bool below = false;
  for (std::string line; std::getline(lines, line) && !(below && line.empty());) {
    if (below && line.starts_with("  ") && line[2] != ' ')
      names.push_back(line.substr(2, line.find_first_of(" ,", 2) - 2));
    below = below || line == title;
  }
  return names;
}

/// The words of every command that runs: {"run"}, {"data", "export"}, ...
std::vector<std::vector<std::string>> all_commands() {
  std::vector<std::vector<std::string>> all;
  for (const auto& command : names_below(call({}).out, "Commands")) {
    if (command == "test") continue;  // of the wrapper script
    const auto below = names_below(call({command, "--help"}).out, "Commands:");
    for (const auto& name : below) all.push_back({command, name});
    if (below.empty()) all.push_back({command});
  }
  return all;
}

struct TextSize {
  std::size_t lines = 0, columns = 0;
};
TextSize size_of(const std::string& text) {
  TextSize size;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); ++size.lines)
    size.columns = std::max(size.columns, line.size());
  return size;
}

TEST_F(CommandLine, HelpOfEveryCommandFitsAScreenAndShowsTwoExamples) {
  const auto commands = all_commands();
  EXPECT_GT(commands.size(), 15U);
  for (const auto& words : commands) {
    const auto command = join(words, " ");
    const auto with = [&](const std::string& flag) {
      auto arguments = words;
      arguments.push_back(flag);
      const auto answer = call(arguments);
      EXPECT_EQ(answer.status, 0) << command;
      EXPECT_LE(size_of(answer.out).columns, 80U) << command << " " << flag;
      return answer.out;
    };
    const auto help = with("--help"), full = with("--help-all");
    EXPECT_LE(size_of(help).lines, 40U) << command;
    EXPECT_GE(size_of(full).lines + 1, size_of(help).lines)
        << command;  // without the line of --help-all
    const auto examples = help.substr(help.find("For example:"));
    std::size_t count = 0;
    for (auto at = examples.find("reprise " + command); at != std::string::npos;
         at = examples.find("reprise " + command, at + 1))
      ++count;
    EXPECT_EQ(count, 2U) << examples;
    EXPECT_THAT(help, AllOf(HasSubstr("Usage: reprise " + command), HasSubstr("--json")))
        << command;
    auto asked = words;
    asked.insert(asked.begin(), "help");
    EXPECT_EQ(call(asked).out, help) << command;
  }
  const auto overview = call({}).out;
  EXPECT_LE(size_of(overview).lines, 40U);
  EXPECT_LE(size_of(overview).columns, 80U);
  EXPECT_EQ(call({"help"}).out, overview);
  EXPECT_EQ(call({"--help-all"}).out, overview);
}

TEST_F(CommandLine, HelpShowsCommonOptionsAndHelpAllEveryOption) {
  const auto help = call({"generate", "--help"}).out, full = call({"generate", "--help-all"}).out;
  for (const auto* common : {"--prior ", "--model ", "--out "})
    EXPECT_THAT(help, HasSubstr(common));
  for (const auto* rare : {"--churn ", "--motion "}) {
    EXPECT_THAT(help, testing::Not(HasSubstr(rare)));
    EXPECT_THAT(full, HasSubstr(rare));
  }
  EXPECT_THAT(call({"sample", "--help"}).out,
              AllOf(HasSubstr("[default 18]"), HasSubstr("[required]")));
}

TEST_F(CommandLine, VersionNamesCommitPlatformAndEveryStudy) {
  const auto answer = call({"--version"});
  EXPECT_EQ(answer.status, 0);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("reprise " + project_version()),
                                HasSubstr("platform " + arithmetic_fingerprint("", 1)),
                                HasSubstr("study toy version 1")));
  const auto object = call({"--version", "--json"}).object();
  EXPECT_EQ(object.at("version"), project_version());
  EXPECT_EQ(object.at("platform"), arithmetic_fingerprint("", 1));
  EXPECT_EQ(object.at("studies").at("toy"), 1);
}

/// What a shell offers for the last of these words.
struct Completion : CommandLine {
  fs::path script(const std::string& shell) const {
    return file("completion." + shell, call({"completion", shell}).out);
  }

  std::vector<std::string> offered(const std::vector<std::string>& words) const {
    std::string line;
    for (const auto& word : words) line += " " + shell_quote(word);
    const auto out = folder.path() / "offered";
    const auto bash = "source " + in_shell(script("bash")) + " && COMP_WORDS=(reprise" + line +
                      ") COMP_CWORD=" + std::to_string(words.size()) +
                      "; _reprise; printf '%s\\n' \"${COMPREPLY[@]}\"";
    EXPECT_EQ(std::system(("bash -c " + shell_quote(bash) + " > " + in_shell(out)).c_str()), 0);
    std::vector<std::string> lines;
    std::istringstream text(read_file(out));
    for (std::string word; text >> word;) lines.push_back(word);
    return lines;
  }
};

TEST_F(Completion, BashOffersCommandsOptionsAndValues) {
  using testing::ElementsAre;
  EXPECT_THAT(offered({"re"}), ElementsAre("reproduce", "report"));
  EXPECT_THAT(offered({"data", "ex"}), ElementsAre("export"));
  EXPECT_THAT(offered({"data", "export", "--test-l"}), ElementsAre("--test-labels"));
  EXPECT_THAT(offered({"run", "to"}), ElementsAre("toy"));
  EXPECT_THAT(offered({"run", "toy", "--profile", "smo"}), ElementsAre("smoke"));
  EXPECT_THAT(offered({"run", "toy", "--profile", "=", "smo"}), ElementsAre("smoke"));
  EXPECT_THAT(offered({"run", "toy", "--device", ""}), ElementsAre("auto", "cpu", "cuda"));
  EXPECT_THAT(offered({"run", "toy", "--seeds", "3", "--dr"}), ElementsAre("--dry-run"));
  EXPECT_THAT(offered({"list", "me"}), ElementsAre("methods", "metrics"));
  EXPECT_THAT(offered({"run", "--model"}), testing::IsEmpty());
  // Nothing is offered for a file, and bash then offers the files that there are.
  EXPECT_THAT(offered({"report", ""}), testing::IsEmpty());
  EXPECT_THAT(read_file(script("bash")), HasSubstr("complete -o default -F _reprise reprise"));
}

TEST_F(Completion, OtherShellsReadTheirScripts) {
  EXPECT_THAT(call({"completion", "tcsh"}).err, HasSubstr("unknown shell 'tcsh'"));
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (std::system(("command -v " + shell + " > /dev/null").c_str()) != 0) continue;
    EXPECT_EQ(std::system((shell + " -n " + in_shell(script(shell))).c_str()), 0) << shell;
  }
  if (std::system("command -v fish > /dev/null") != 0) return;
  const auto out = folder.path() / "offered";
  const auto fish =
      "source " + in_shell(script("fish")) + "; complete -C 'reprise run toy --profile sm'";
  ASSERT_EQ(std::system(("fish -c " + shell_quote(fish) + " > " + in_shell(out)).c_str()), 0);
  EXPECT_THAT(read_file(out), HasSubstr("smoke"));
}

TEST_F(CommandLine, WhatIsUnknownIsWrongUseAndListsTheKnownNearestFirst) {
  EXPECT_THAT(call({"rnu"}).err, HasSubstr("did you mean 'run'"));
  EXPECT_EQ(call({"rnu"}).status, 2);
  EXPECT_THAT(call({"data", "mak"}).err, HasSubstr("did you mean 'make'"));
  EXPECT_THAT(call({"list", "studies", "--overwrite"}).err, HasSubstr("list writes no files"));
  EXPECT_THAT(call({"run", "tyo"}).err,
              AllOf(HasSubstr("unknown study 'tyo'"), HasSubstr("Known: toy")));
  EXPECT_THAT(call({"run", "toy", "--dryrun"}).err, HasSubstr("did you mean '--dry-run'"));
  EXPECT_THAT(call({"metric", "acu", "--predictions", "a", "--truth", "b"}).err,
              HasSubstr("did you mean 'auc'"));
  EXPECT_THAT(call({"list", "cels"}).err, HasSubstr("did you mean 'cells'"));
  EXPECT_THAT(call({"data", "make", "synthetic_heads", "--out", "x"}).err,
              HasSubstr("did you mean 'synthetic_head'"));
  EXPECT_EQ(call({"run", "toy", "--jobs", "many"}).status, 2);
}

TEST_F(CommandLine, AnErrorIsAnObjectToo) {
  const auto answer = call({"run", "tyo", "--json"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.object().at("error").get<std::string>(), HasSubstr("tyo"));
  EXPECT_THAT(answer.object().at("fix").get<std::string>(), HasSubstr("toy"));
}

TEST_F(CommandLine, AnAnswerThatCannotBeWrittenIsNoSuccessSlow) {
  const auto err = folder.path() / "err";
  const auto status = [&](const std::vector<std::string>& words) {
    return call_in_shell(words, "> /dev/full 2> " + in_shell(err));
  };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{}, {"list", "studies", "--json"}}) {
    EXPECT_EQ(status(words), 3);
    EXPECT_THAT(read_file(err), HasSubstr("No space left"));
  }
  EXPECT_EQ(status({"list", "nothing", "--json"}), 2);
  EXPECT_THAT(read_file(err), HasSubstr("nothing"));
}

TEST_F(CommandLine, RunAnswersOneObjectAndStatusThreeWhenACellFailedSlow) {
  const auto answer = run_toys(R"(["good", "throws"])");
  EXPECT_EQ(answer.status, 3);
  EXPECT_EQ(answer.object().at("done"), 6);
  EXPECT_EQ(answer.object().at("failed"), 3);
  EXPECT_EQ(answer.object().at("results"), results.string());
  EXPECT_THAT(answer.err, HasSubstr("the toy broke"));
}

TEST_F(CommandLine, AnInterruptedRunEndsWithStatusThreeAndSaysHowToGoOnSlow) {
  const auto stopped = run_toys(R"(["interrupts"])");
  EXPECT_EQ(stopped.status, 3);
  EXPECT_TRUE(stopped.object().at("interrupted").get<bool>());
  EXPECT_THAT(stopped.err, HasSubstr("the same command resumes the run"));
}

TEST_F(CommandLine, ListCellsSaysTheStatusOfEachSlow) {
  run_toys(R"(["good", "throws", "better"])");
  std::filesystem::remove_all(std::filesystem::path(results) / "cells" / "main" / "toys" /
                              "better");
  const auto answer = call({"list", "cells", "toy", "--results", results, "--json"});
  ASSERT_EQ(answer.status, 0) << answer.err;
  const json expected = {{"id", "main/toys/good/seed0"},
                         {"study", "toy"},
                         {"table", "main"},
                         {"method", "good"},
                         {"dataset", "toys"},
                         {"seed", 0},
                         {"profile", "smoke"},
                         {"status", "done"}};
  std::map<std::string, json> by_id;
  const json object = answer.object();
  for (const auto& cell : object.at("cells")) by_id[cell.at("id")] = cell;
  EXPECT_EQ(by_id.at("main/toys/good/seed0"), expected);
  EXPECT_EQ(by_id.at("main/toys/throws/seed0").at("status"), "failed");
  EXPECT_EQ(by_id.at("main/toys/better/seed0").at("status"), "planned");
}

TEST_F(CommandLine, ListClaimsGivesVerdictEffectAndIntervalSlow) {
  run_toys(R"(["good", "better"])");
  const auto claim =
      call({"list", "claims", "toy", "--results", results, "--json"}).object().at("claims").at(0);
  EXPECT_EQ(claim.at("verdict"), "reproduced");
  for (const char* key : {"id", "statement", "source", "reason", "preregistered"})
    EXPECT_TRUE(claim.at(key).is_string()) << key;
  EXPECT_EQ(claim.at("preregistered"), "before")
      << "the run registers its comparisons before its first cell";
  ASSERT_EQ(claim.at("rows").size(), 1U);
  const auto row = claim.at("rows").at(0);
  EXPECT_EQ(row.at("id"), "1, toys");
  EXPECT_EQ(row.at("verdict"), "reproduced");
  EXPECT_EQ(row.at("n"), 3);
  EXPECT_NEAR(row.at("effects").at(0).at("effect").get<double>(), 1, 0.02);
  EXPECT_GT(row.at("effects").at(0).at("interval").at(0).get<double>(), 0);
  EXPECT_THAT(call({"list", "claims", "toy", "--results", results}).out,
              AllOf(HasSubstr("reproduced     better beats good\n"),
                    HasSubstr("reproduced     toys: score +1"), HasSubstr("; n 3\n")));
  const auto unrun = call({"list", "claims", "toy", "--results", folder.path() / "none", "--json"});
  EXPECT_EQ(unrun.status, 2) << "a results folder that is named must be one";
}

TEST_F(CommandLine, ListMethodsSaysOfEachItsContractSourceCostAndFacts) {
  std::set<std::string> names;
  const auto of_study = call({"list", "methods", "prernn", "--json"}).object();
  for (const auto& method : of_study.at("methods")) {
    EXPECT_TRUE(names.insert(method.at("name")).second) << method;
    EXPECT_EQ(method.at("study"), "prernn");
    EXPECT_EQ(method.at("contract"), "sequence");
    for (const char* key : {"title", "role", "source", "cost", "facts"})
      EXPECT_NE(method.at(key), "") << method;
  }
  for (const char* name : {"cnn", "trad_lstm_2", "pre_gru_fc6", "sih_gru_conv"})
    EXPECT_TRUE(names.contains(name)) << name;
  std::set<std::string> contracts;
  const auto everywhere = call({"list", "methods", "--json"}).object();
  for (const auto& method : everywhere.at("methods")) contracts.insert(method.at("contract"));
  EXPECT_TRUE(contracts.contains("generator") && contracts.contains("translator"))
      << "rows that any study may need";
  const auto unknown = call({"list", "methods", "prern"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, testing::HasSubstr("did you mean 'prernn'"));
}

TEST_F(CommandLine, ListsStudiesDatasetsAndMetrics) {
  EXPECT_EQ(call({"list", "studies", "--json"}).object().at("studies").at(0).at("name"), "toy");
  EXPECT_GE(call({"list", "datasets", "--json"}).object().at("datasets").size(), 4u);
  EXPECT_EQ(call({"list", "metrics", "--json"}).object().at("metrics").at(0).at("name"), "auc");
}

TEST_F(CommandLine, NumbersOfAJsonAnswerComeWithTheirUnitSlow) {
  run_toys(R"(["good", "better"])");
  const auto store = cells_in(results);
  for (auto record : store.all()) {
    record.metrics.at(0).unit = "points";
    store.write(record);
  }
  const auto is_in_points = [](const json& list) {
    ASSERT_FALSE(list.empty());
    for (const auto& number : list) EXPECT_EQ(number.at("unit"), "points") << number;
  };
  const auto claim =
      call({"list", "claims", "toy", "--results", results, "--json"}).object().at("claims").at(0);
  is_in_points(claim.at("rows").at(0).at("effects"));
  is_in_points(claim.at("rows").at(0).at("comparisons"));
  call({"check", results, "--against", reference(), "--update", "--reason", "first"});
  is_in_points(call({"check", results, "--against", reference(), "--json"}).object().at("judged"));
  for (auto record : store.all()) {
    record.metrics.at(0).value += 1;
    store.write(record);
  }
  const auto second = call(
      {"check", results, "--against", reference(), "--update", "--reason", "second", "--json"});
  is_in_points(second.object().at("moved"));
  const auto metrics = call({"list", "metrics", "--json"}).object().at("metrics");
  const auto psnr = std::ranges::find(
      metrics, "psnr", [](const json& metric) { return metric.at("name").get<std::string>(); });
  EXPECT_EQ(psnr->at("unit"), "dB");
}

TEST_F(CommandLine, ReportIsWrittenBesideTheRecordsAndCheckSeesAChangeSlow) {
  run_toys(R"(["good", "better"])");
  EXPECT_EQ(call({"report", results}).status, 0);
  EXPECT_TRUE(fs::exists(results / "index.html"));
  EXPECT_EQ(call({"report", results, "--check"}).status, 0);
  std::ofstream(results / "tables" / "scores.md", std::ios::app) << "tampered\n";
  const auto changed = call({"report", results, "--check", "--json"});
  EXPECT_EQ(changed.status, 1);
  EXPECT_EQ(changed.object().at("reports").at(0).at("differences").at(0).at("file"),
            "tables/scores.md");
}

TEST_F(CommandLine, PackedResultsAreReadLikeTheRunsAndABrokenLineCostsItsRecordAloneSlow) {
  run_toys(R"(["good", "better"])");
  mark_as_committed(results);
  const fs::path packed = folder.path() / "packed";
  ASSERT_EQ(call({"report", results, "--pack", packed}).status, 0);
  EXPECT_EQ(call({"report", packed, "--check"}).status, 0);
  EXPECT_EQ(
      call({"check", results, "--against", reference(), "--update", "--reason", "first"}).status,
      0);
  EXPECT_EQ(call({"check", packed, "--against", reference()}).status, 0);
  const std::vector<std::string> compare = {"--methods", "good,better", "--json"};
  EXPECT_EQ(call({"compare", results, compare[0], compare[1], compare[2]}).out,
            call({"compare", packed, compare[0], compare[1], compare[2]}).out);
  EXPECT_EQ(call({"list", "claims", "toy", "--results", results}).out,
            call({"list", "claims", "toy", "--results", packed}).out);
  const auto claims = [&](const fs::path& from) {
    return call({"list", "claims", "toy", "--results", from, "--json"}).object().at("claims");
  };
  EXPECT_EQ(claims(results), claims(packed)) << "and what was registered travels too";
  EXPECT_EQ(call({"report", results, "--pack", results}).status, 2) << "cells/ lies there";
  const fs::path further = folder.path() / "further";  // a run goes on with packed records
  fs::copy(packed, further, fs::copy_options::recursive);
  const auto more = call({"run", "toy", "--set", R"(methods=["good", "better"])", "--seeds", "5",
                          "--out", further, "--json"});
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(more.object().at("skipped"), 9);
  EXPECT_EQ(more.object().at("done"), 6);
  EXPECT_EQ(call({"report", further}).status, 0);
  EXPECT_EQ(claims(further).at(0).at("rows").at(0).at("n"), 5);
  EXPECT_EQ(call({"run", "toy", "--set", R"(methods=["good", "better"])", "--seeds", "5", "--redo",
                  "*/seed0", "--out", further})
                .status,
            0);
  mark_as_committed(further);
  EXPECT_EQ(call({"report", further, "--pack", folder.path() / "again"}).status, 0)
      << "both forms are packed as one";
  EXPECT_EQ(call({"report", results, "--pack", packed, "--check"}).status, 2);

  const auto main = packed / "records" / "main.jsonl.gz";
  write_file(main, decompress(read_file(main), main.string(), "").substr(1));
  const std::string where = "records/main.jsonl.gz, line 1: not complete JSON";
  const auto report = call({"report", packed, "--check", "--json"});
  EXPECT_EQ(report.status, 1);
  EXPECT_THAT(report.object().at("reports").at(0).at("unreadable").at(0).get<std::string>(),
              HasSubstr(where));
  const auto check = call({"check", packed, "--against", reference()});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out, HasSubstr(where));
  EXPECT_THAT(call({"compare", packed, "--methods", "good,better"}).out,
              AllOf(HasSubstr(where), HasSubstr("n 2")));
  EXPECT_THAT(call({"list", "claims", "toy", "--results", packed}).out, HasSubstr(where));
}

// A stranger's folder may have any text for a name: it would rule the terminal, and a spreadsheet
// would run it.
TEST_F(CommandLine, RecordsWhoseNamesAreNoNamesAreUnreadableAndTheirTextIsNotObeyedSlow) {
  ASSERT_EQ(run_toys("[\"good\",\"better\"]").status, 0);
  const auto cell = results / "cells/main/toys/good/seed0";
  const auto record = json::parse(read_file(cell / "record.json"));
  for (const std::string bad :
       {"=cmd|calc", "+1+1", "@SUM(A1)", "<img src=x>", "red\x1b[31m", "a\rFAIL", "-x", ""}) {
    SCOPED_TRACE(json(bad).dump());
    for (const auto* key : {"method", "metric"}) {
      auto changed = record;
      if (std::string(key) == "method")
        changed["method"] = bad;
      else
        changed["metrics"][0]["name"] = bad;
      write_file(cell / "record.json", changed.dump());
      for (const auto& answer : {call({"compare", results, "--methods", "good,better"}),
                                 call({"report", results, "--check"})}) {
        EXPECT_EQ(answer.out.find_first_of("\x1b\r"), std::string::npos) << answer.out;
        EXPECT_EQ(answer.err.find_first_of("\x1b\r"), std::string::npos) << answer.err;
      }
      EXPECT_THAT(call({"compare", results, "--methods", "good,better"}).out,
                  HasSubstr("cannot be the name of a"));
    }
  }
}

TEST_F(CommandLine, AnErrorDoesNotPrintALabelOf50MegabytesSlow) {
  const auto large = file("large.csv", "item,label\na," + std::string(50'000'000, 'x') + "\n");
  const auto answer = call({"metric", "accuracy", "--predictions", large, "--truth", large});
  EXPECT_EQ(answer.status, 2);
  EXPECT_LT(answer.err.size(), 2000u);
  EXPECT_THAT(answer.err,
              AllOf(HasSubstr("large.csv"), HasSubstr("line 2"), HasSubstr("not integers")));
}

TEST_F(CommandLine, CheckPassesOnTheSameRecordsAndFailsOnAWorseOneByNameSlow) {
  run_toys(R"(["good", "better"])");
  EXPECT_EQ(call({"check", results, "--against", reference()}).status, 2) << "no reference yet";
  EXPECT_EQ(call({"check", results, "--against", reference(), "--update"}).status, 2)
      << "an update needs a reason";
  EXPECT_EQ(
      call({"check", results, "--against", reference(), "--update", "--reason", "first"}).status,
      0);
  EXPECT_EQ(call({"check", results, "--against", reference()}).status, 0);
  for (int seed = 0; seed < 3; ++seed) {
    auto record = cells_in(results).find({"toy", "main", "toys", "better", seed}).value();
    record.metrics.at(0).value -= 100;
    cells_in(results).write(record);
  }
  const auto worse = call({"check", results, "--against", reference(), "--junit",
                           folder.path() / "junit.xml", "--json"});
  EXPECT_EQ(worse.status, 1);
  EXPECT_FALSE(worse.object().at("passed").get<bool>());
  EXPECT_EQ(worse.object().at("failed"), 1);
  EXPECT_EQ(worse.object().at("failed_scores"), 1) << "the whole table fell with it";
  EXPECT_EQ(worse.object().at("scores").at(0).at("outcome"), "fell");
  EXPECT_THAT(read_file(folder.path() / "junit.xml"),
              AllOf(HasSubstr("failures=\"2\""), HasSubstr("score"), HasSubstr("all cells")));
  const auto updated = call({"check", results, "--against", reference(), "--update", "--reason",
                             "worse on purpose", "--json"});
  EXPECT_EQ(updated.object().at("moved").size(), 1u);
}

TEST_F(CommandLine, CheckCountsAtItsEndAndUpdatesAPartWithoutLosingTheRestSlow) {
  run_toys(R"(["good", "better"])");
  const auto update = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"check",    results,    "--against", reference(),
                                   "--update", "--reason", "again"};
    words.insert(words.end(), more.begin(), more.end());
    return call(words);
  };
  ASSERT_EQ(update({}).status, 0);
  const auto passed = call({"check", results, "--against", reference()});
  const auto last = [](const std::string& text) {
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  };
  EXPECT_THAT(last(passed.out),
              AllOf(StartsWith("passed: 0 of 3 quantities failed"),
                    HasSubstr("3 guarded, 0 unknown to the reference"),
                    HasSubstr("9 of 9 values are those of this platform's reference")));
  for (int seed = 0; seed < 3; ++seed) {
    auto record = cells_in(results).find({"toy", "main", "toys", "better", seed}).value();
    record.metrics.at(0).value = 1;
    cells_in(results).write(record);
  }
  const auto equal = call({"check", results, "--against", reference()});
  EXPECT_EQ(equal.status, 1);
  EXPECT_THAT(equal.out, HasSubstr("FAIL main/toys/better score: all 3 seeds have the value 1"));
  EXPECT_THAT(last(equal.out), StartsWith("FAILED: "));
  fs::remove_all(fs::path(results) / "cells" / "main" / "toys" / "good");
  const auto refused = update({});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("would lose 1 of 3 quantities"),
                                 HasSubstr("--drop 'main/toys/good *'")));
  EXPECT_THAT(update({"--only", "*/better"}).out,
              HasSubstr("3 quantities, 1 of this run and 2 outside --only, unchanged"));
  EXPECT_EQ(update({"--drop", "main/toys/good *"}).status, 0);
}

TEST_F(CommandLine, ComparePairsTheSeedsAndNamesTheBetterMethodSlow) {
  run_toys(R"(["good", "better"])");
  const auto answer = call({"compare", results, "--methods", "good,better", "--json"});
  ASSERT_EQ(answer.status, 0);
  const auto pair = answer.object().at("comparisons").at(0);
  EXPECT_EQ(pair.at("n"), 3);
  EXPECT_NEAR(pair.at("difference").get<double>(), -1, 0.02);
  EXPECT_LT(pair.at("interval").at(1).get<double>(), 0);
  EXPECT_LT(pair.at("p_holm").get<double>(), 0.05);
  EXPECT_EQ(pair.at("verdict"), "better is better");
  EXPECT_THAT(call({"compare", results, "--methods", "good,bettr"}).err,
              HasSubstr("did you mean 'better'"));
  EXPECT_EQ(pair.at("seeds_needed"), 2);
  EXPECT_TRUE(pair.at("fewer_seeds").is_null());
  EXPECT_EQ(call({"compare", results, "--methods", "good"}).status, 2);
  EXPECT_EQ(call({"compare", folder.path() / "none", "--methods", "good,better"}).status, 2);
}

TEST_F(CommandLine, CompareTakesAPatternAndMarksWhoHasFewerSeedsSlow) {
  run_toys(R"(["good", "better"])");
  file("mine.csv", "0.5");
  const auto run = call({"run", "toy", "--device", "cpu", "--out", results, "--set",
                         R"(methods=["good", "better"])", "--seeds", "3", "--predictions",
                         "mine=" + (folder.path() / "mine.csv").string(), "--json"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.object().at("notes").at(0).get<std::string>(),
              HasSubstr("mine has 1 of 3 seeds"));
  const auto object = call({"compare", results, "--methods", "mine,*", "--json"}).object();
  ASSERT_EQ(object.at("comparisons").size(), 2u);
  EXPECT_EQ(object.at("comparisons").at(0).at("fewer_seeds"), "mine");
  EXPECT_EQ(object.at("comparisons").at(0).at("verdict"), "inconclusive: one seed");
  EXPECT_TRUE(object.at("comparisons").at(0).at("seeds_needed").is_null());
  EXPECT_THAT(call({"compare", results, "--methods", "mine,b*"}).out,
              HasSubstr("† mine has fewer seeds: 1 against 3"));
  EXPECT_EQ(call({"run", "toy", "--out", results, "--predictions", "mine"}).status, 2);
  EXPECT_EQ(call({"run", "toy", "--out", results, "--method-file",
                  "good=" + (folder.path() / "mine.csv").string()})
                .status,
            2);
}

// Results of others are continued without a second run of their methods: the copy has their
// settings and seeds, and only the new method runs.
TEST_F(CommandLine, ARunFromOtherResultsCopiesThemAndRunsTheExternalMethodAloneSlow) {
  run_toys(R"(["good", "better"])");
  const auto mine = "mine=" + file("mine.csv", "0.5"), copy = (folder.path() / "copy").string();
  const std::vector<std::string> words{"run", "toy",   "--from", results, "--predictions",
                                       mine,  "--out", copy,     "--json"};
  auto dry = words;
  dry.emplace_back("--dry-run");
  EXPECT_EQ(call(dry).status, 0);
  EXPECT_FALSE(std::filesystem::exists(copy));
  auto refused = words;
  refused.insert(refused.end(), {"--set", "scale=2"});
  EXPECT_THAT(call(refused).err,
              AllOf(HasSubstr("--from"), HasSubstr("scale 1.0 -> 2.0"),
                    HasSubstr("leave these out of --set"), Not(HasSubstr("remove"))));
  refused = words;
  refused.insert(refused.end(), {"--profile", "slow"});
  EXPECT_THAT(call(refused).err, AllOf(HasSubstr("--profile slow"), HasSubstr("of profile smoke")));
  EXPECT_FALSE(std::filesystem::exists(copy)) << "what is refused copies nothing";
  const auto run = call(words);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(read_description(copy).settings, read_description(results).settings) << "seeds, too";
  EXPECT_EQ(cells_in(copy).all().size(), cells_in(results).all().size() + 1);
  EXPECT_EQ(call(words).status, 0) << "again";
  EXPECT_EQ(call({"compare", copy, "--methods", "mine,*"}).status, 0);
  EXPECT_THAT(call({"run", "toy", "--from", results}).err, HasSubstr("--out"));
  EXPECT_THAT(call({"run", "prernn", "--from", results, "--out", copy}).err,
              HasSubstr("holds results of toy"));
  EXPECT_THAT(call({"run", "toy", "--from", results, "--out", folder.path()}).err,
              HasSubstr("is not empty"));
  // A profile of one's own is no name of the study's, and a setting that the study no longer has
  // changes nothing.
  auto description = read_description(results);
  description.profile = "own";
  description.settings["gone"] = 1;
  const auto own = folder.path() / "own";
  write_description(own, description);
  const auto from_own = call({"run", "toy", "--from", own, "--predictions", mine, "--out",
                              folder.path() / "of_own", "--json"});
  EXPECT_EQ(from_own.status, 0) << from_own.err;
  EXPECT_EQ(read_description(folder.path() / "of_own").profile, "own");
  // The device is that of the results: without a GPU it is missing, with one it is another than
  // that of the records.
  description = read_description(results);
  description.device = "cuda";
  write_description(results, description);
  EXPECT_THAT(
      call({"run", "toy", "--from", results, "--out", folder.path() / "other", "--dry-run"}).err,
      HasSubstr("cuda"));
}

TEST_F(CommandLine, DataExportWritesOnePartOfAStudysClipsWithoutTestLabelsSlow) {
  const auto out = folder.path() / "export";
  const std::vector<std::string> common{"data",
                                        "export",
                                        "prernn/faces_in_motion",
                                        "--seed",
                                        "1",
                                        "--set",
                                        "stills.count=24",
                                        "--set",
                                        "clips.training=4",
                                        "--set",
                                        "clips.validation=4",
                                        "--set",
                                        "clips.test=4",
                                        "--set",
                                        "camera.frames=2"};
  auto words = common;
  words.insert(words.end(), {"--split", "test", "--out", out, "--json"});
  const auto answer = call(words);
  ASSERT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.object().at("test"), 8);
  EXPECT_EQ(answer.object().at("train"), 0);
  EXPECT_FALSE(answer.object().at("test_labels").get<bool>());
  EXPECT_THAT(read_file(out / "test.csv"), StartsWith("item\nseed1/clip00000/000\n"));
  EXPECT_TRUE(fs::exists(out / "test" / "images" / "seed1" / "clip00003" / "001.png"));
  EXPECT_FALSE(fs::exists(out / "train.csv"));
  EXPECT_TRUE(fs::exists(out / "SHA256SUMS"));
  EXPECT_THAT(read_file(out / "README.md"), AllOf(HasSubstr("prernn/faces_in_motion, seed 1"),
                                                  HasSubstr("item,x0,y0"), HasSubstr("--set")));
  words = common;
  words.insert(words.end(), {"--test-labels", "--out", folder.path() / "all"});
  ASSERT_EQ(call(words).status, 0);
  EXPECT_THAT(read_file(folder.path() / "all" / "test.csv"), StartsWith("item,x0,y0,"));
  EXPECT_TRUE(fs::exists(folder.path() / "all" / "train.csv"));
  words = common;
  words.insert(words.end(), {"--split", "tset", "--out", folder.path() / "none"});
  EXPECT_THAT(call(words).err, HasSubstr("did you mean 'test'"));
  EXPECT_EQ(call({"data", "export", "toy/toys", "--out", folder.path() / "none"}).status, 2);
  EXPECT_EQ(call({"data", "export", "faces_300w", "--out", folder.path() / "none"}).status, 2)
      << "--data is missing";
}

/// Landmark rows of one golden case as a CSV file's text.
std::string landmarks_csv(const json& frames) {
  std::string text = "item";
  for (int k = 0; k < 68; ++k) text += ",x" + std::to_string(k) + ",y" + std::to_string(k);
  int frame = 0;
  for (const auto& points : frames) {
    text += "\nframe" + std::to_string(frame++);
    for (const auto& value : points) text += "," + value.dump();
  }
  return text + "\n";
}

TEST_F(CommandLine, MetricAucAgreesWithTheGoldenFileAndHasItsKeys) {
  const auto golden = fixture_json("landmarks.json").at("cases").at(0);
  const auto predictions = file("p.csv", landmarks_csv(golden.at("prediction"))),
             truth = file("t.csv", landmarks_csv(golden.at("truth")));
  const std::string limit = golden.at("limit").dump();
  const auto object = call({"metric", "auc", "--predictions", predictions, "--truth", truth,
                            "--limit", limit, "--json"})
                          .object();
  ASSERT_EQ(object.size(), 5u);
  EXPECT_EQ(object.at("unit"), "");
  EXPECT_NEAR(object.at("auc").get<double>(), golden.at("auc_box_diagonal").get<double>(), 1e-6);
  EXPECT_EQ(object.at("n"), golden.at("truth").size());
  EXPECT_THAT(object.at("protocol").get<std::string>(), StartsWith("auc@"));
  EXPECT_TRUE(object.at("failure_rate").is_number());
  const auto eyes = call({"metric", "mean_error", "--predictions", predictions, "--truth", truth,
                          "--length", "inter-ocular", "--json"})
                        .object();
  EXPECT_GT(eyes.at("mean_error").get<double>(), 0);
}

TEST_F(CommandLine, MetricAccuracyPairsByItemAndNamesWhatIsMissing) {
  const auto predictions = file("p.csv", "item,label\nb,1\na,0\nc,2\n"),
             truth = file("t.csv", "item,label\na,0\nb,2\nc,2\n");
  const auto object =
      call({"metric", "accuracy", "--predictions", predictions, "--truth", truth, "--json"})
          .object();
  EXPECT_NEAR(object.at("accuracy").get<double>(), 2.0 / 3, 1e-12);
  EXPECT_EQ(object.at("n"), 3);
  const auto confusion =
      call({"metric", "confusion", "--predictions", predictions, "--truth", truth, "--json"})
          .object()
          .at("confusion");
  EXPECT_EQ(confusion, json({{1, 0, 0}, {0, 0, 0}, {0, 1, 1}}));
  const auto missing = call({"metric", "accuracy", "--predictions",
                             file("q.csv", "item,label\na,0\n"), "--truth", truth});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, AllOf(HasSubstr("q.csv against"), HasSubstr("b"), HasSubstr("c")));
  // One label must not ask for a matrix of its own size squared.
  for (const std::string label : {"20000", "1000000000", "9223372036854775807", "-5"}) {
    const auto wide =
        call({"metric", "confusion", "--predictions",
              file("w.csv", "item,label\na," + label + "\nb,0\nc,0\n"), "--truth", truth});
    EXPECT_EQ(wide.status, 2) << label;
    EXPECT_THAT(wide.err, AllOf(HasSubstr("w.csv"), HasSubstr("label " + label))) << label;
  }
}

TEST_F(CommandLine, DataMakesASetWithTheThreePartsAndVerifyNamesDamageSlow) {
  const auto made = call({"data", "make", "synthetic_head", "--out", folder.path() / "heads",
                          "--count", "12", "--size", "32", "--people", "6", "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const auto object = made.object();
  EXPECT_EQ(object.at("train").get<int>() + object.at("validation").get<int>() +
                object.at("test").get<int>(),
            12);
  EXPECT_TRUE(fs::exists(folder.path() / "heads" / "SHA256SUMS"));
  ASSERT_EQ(call({"data", "make", "landscapes", "--out", folder.path() / "hills", "--count", "12",
                  "--size", "16"})
                .status,
            0);
  EXPECT_EQ(read_file(folder.path() / "hills" / "classes.csv"), "label,name\n0,day\n1,night\n");
  fs::create_directories(folder.path() / "data" / "faces_300w");
  file("data/faces_300w/a.png", "no image");
  file("data/faces_300w/a.pts", "version: 1\n");
  const auto damaged = call({"data", "verify", "--data", folder.path() / "data", "--json"});
  EXPECT_EQ(damaged.status, 1);
  EXPECT_FALSE(damaged.object().at("datasets").at(0).at("whole").get<bool>());
  EXPECT_EQ(call({"data", "verify", "--data", folder.path() / "heads"}).status, 2)
      << "no known set there";
}

TEST_F(CommandLine, WeightsShowAndConvertKeepTheTensors) {
  const auto file = fixture("weights/plain_zip.pth");
  const auto shown = call({"weights", "show", file, "--json"}).object().at("tensors");
  ASSERT_FALSE(shown.empty());
  for (const char* key : {"name", "dtype", "shape", "sha256"})
    EXPECT_TRUE(shown.at(0).contains(key)) << key;
  const auto converted = folder.path() / "plain.safetensors";
  EXPECT_EQ(call({"weights", "convert", file, "--out", converted}).status, 0);
  EXPECT_EQ(call({"weights", "show", converted, "--json"}).object().at("tensors"), shown);
  EXPECT_EQ(call({"weights", "show", folder.path() / "none.pth"}).status, 2);
  const std::string header = R"({"a\u001b[2J\nb":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
  const auto named = this->file("named.safetensors", std::string{static_cast<char>(header.size())} +
                                                         std::string(7, '\0') + header);
  EXPECT_THAT(call({"weights", "show", named}).out, StartsWith("a\\x1b[2J\\x0ab U8 [0]"));
}

TEST_F(CommandLine, TrackFiltersACsvOfMeasurementsAndSaysWithWhichNoise) {
  const auto poses =
      file("poses.csv", "sequence,frame,pitch,yaw,roll\na,1,10,0,0\na,2,12,1,\na,4,12,1,2\n");
  const auto out = (folder.path() / "out.csv").string();
  const auto answer =
      call({"track", "--method", "kalman", "--measurements", poses, "--set",
            "model=constant_position", "--set", "q=0.5", "--set", "r=4", "--out", out, "--json"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_EQ(answer.object().at("noise").at("yaw").at("q").get<double>(), 0.5);
  const auto table = read_csv(out);
  ASSERT_EQ(table.rows.size(), 3U);
  const auto number = [&](std::size_t row, const char* column) {
    return csv_number(table, row, table.column(column));
  };
  // By hand: P = 4, then 4.5 before the second measurement and 4.5 * 4 / 8.5 behind it.
  EXPECT_DOUBLE_EQ(number(0, "pitch"), 10);
  EXPECT_DOUBLE_EQ(number(0, "pitch_sd"), 2);
  EXPECT_NEAR(number(1, "pitch"), 10 + 2 * 4.5 / 8.5, 1e-12);
  EXPECT_NEAR(number(1, "pitch_sd"), std::sqrt(4.5 * 4 / 8.5), 1e-12);
  // Frame 3 is missing: one more step of q before frame 4. The roll of frame 2 was not measured.
  EXPECT_NEAR(number(1, "roll_sd"), std::sqrt(4.5), 1e-12);
  const double before = 4.5 * 4 / 8.5 + 1;
  EXPECT_NEAR(number(2, "pitch_sd"), std::sqrt(before * 4 / (before + 4)), 1e-12);
  call({"track", "--method", "kalman", "--measurements", poses, "--set", "q=0.5", "--set", "r=4",
        "--set", "gap=restart", "--out", out});
  EXPECT_DOUBLE_EQ(csv_number(read_csv(out), 2, 2), 12);
}

TEST_F(CommandLine, TrackSaysWhatItCannotDo) {
  const auto poses = file("poses.csv", "sequence,frame,pitch,yaw,roll\na,1,10,0,0\n");
  const auto track = [&](const std::string& method, const std::string& set) {
    return call({"track", "--method", method, "--measurements", poses, "--set", set, "--out",
                 folder.path() / "out.csv"});
  };
  EXPECT_THAT(track("kalmann", "r=1").err, HasSubstr("did you mean 'kalman'"));
  EXPECT_THAT(track("kalman", "r=1").err, HasSubstr("only one is set"));
  EXPECT_THAT(track("kalman", "gap=skip").err, HasSubstr("predict or restart"));
  EXPECT_THAT(track("kalman", "model=still").err, HasSubstr("constant_velocity"));
  EXPECT_THAT(track("kalman", "seed=1").err,
              AllOf(HasSubstr("poses.csv"), HasSubstr("pitch"), HasSubstr("three measurements")));
  const auto no_yaw =
      file("no_yaw.csv", "sequence,frame,pitch,yaw,roll\na,1,1,,1\na,2,2,,1\na,3,4,,2\na,4,3,,1\n");
  EXPECT_THAT(call({"track", "--method", "kalman", "--measurements", no_yaw, "--out",
                    folder.path() / "out.csv"})
                  .err,
              AllOf(HasSubstr("no_yaw.csv"), HasSubstr("yaw"), HasSubstr("--set q=")));
  const auto turning = file(
      "turning.csv", "sequence,frame,pitch,yaw,roll\na,1,0,178,0\na,2,0,179.5,0\na,3,0,-179,0\n");
  const auto turned = call({"track", "--method", "kalman", "--measurements", turning, "--set",
                            "q=1", "--set", "r=1", "--out", folder.path() / "out.csv"});
  EXPECT_THAT(turned.out,
              HasSubstr("1 steps of more than 180 degrees were taken the shorter way round"));
  // the filter's yaw stays at the half turn, and is one of [-180, 180], as those given
  const auto last = read_csv(folder.path() / "out.csv");
  EXPECT_GT(std::abs(csv_number(last, 2, last.column("yaw"))), 178);
  EXPECT_LE(std::abs(csv_number(last, 2, last.column("yaw"))), 180);
  EXPECT_EQ(track("kalman", "speed=1").status, 2);
}

}  // namespace
}  // namespace reprise::reproduce
