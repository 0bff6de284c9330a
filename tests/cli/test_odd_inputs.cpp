// What a user may give that no study has in mind: names that are not UTF-8 or too long, loops,
// pipes, a standard error that takes nothing. Each is named with a fix, and none is called a fault
// of the program.
#include <sys/stat.h>

#include "experiments/run/results.h"
#include "tests/cli/command_line.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct OddInputs : CommandLine {
  void expect_refused(const std::vector<std::string>& words, const std::string& name,
                      const std::string& reason) const {
    const auto answer = call(words);
    EXPECT_EQ(answer.status, 2) << words.front();
    EXPECT_THAT(answer.err, AllOf(HasSubstr(name), HasSubstr(reason), HasSubstr("fix:"),
                                  Not(HasSubstr("fault of the program"))));
  }
  std::vector<std::string> run_into(const std::string& out,
                                    const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"run",     "toy",   "--device", "cpu",   "--jobs",
                                   "2",       "--out", out,        "--set", "methods=[\"good\"]",
                                   "--seeds", "2",     "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_F(OddInputs, AStandardErrorThatTakesNothingCostsTheWordsAloneSlow) {
  const auto answer = folder.path() / "answer";
  for (const std::string errors : {"2> /dev/full", "2>&-"}) {
    const auto call = [&](const std::vector<std::string>& words) {
      return call_in_shell(words, "> " + in_shell(answer) + " " + errors);
    };
    const auto out = (folder.path() / std::to_string(errors.size())).string();
    EXPECT_EQ(call(run_into(out)), 0) << errors;
    EXPECT_EQ(nlohmann::json::parse(read_file(answer)).at("done"), 4) << errors;
    EXPECT_EQ(call({"run", "tyo", "--json"}), 2) << errors;
    EXPECT_THAT(nlohmann::json::parse(read_file(answer)).at("error").get<std::string>(),
                HasSubstr("tyo"))
        << errors;
    EXPECT_EQ(call({"report", out}), 0) << errors;
  }
}

TEST_F(OddInputs, NamesThatAreNotUtf8WorkSlow) {
  const auto out = (folder.path() / "re\xffsults").string(),
             data = (folder.path() / "data").string();
  fs::create_directories(folder.path() / "data" / "se\xfft");
  const auto run = call(run_into(out, {"--data", data}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.object().at("done"), 4);
  EXPECT_TRUE(
      fs::exists(fs::path(out) / "cells" / "main" / "toys" / "good" / "seed1" / "record.json"));
  const auto again = call(run_into(out, {"--data", data}));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.object().at("skipped"), 4);
  EXPECT_EQ(call({"report", out, "--json"}).status, 0);
  EXPECT_EQ(call({"report", out, "--check"}).status, 0);
  EXPECT_EQ(call({"list", "claims", "toy", "--results", out, "--json"}).status, 0);
  expect_refused(run_into(out, {"--set", "scale=\xff"}), "scale", "expected");
}

TEST_F(OddInputs, ANameThatIsTooLongAndALoopAreNamedWithTheSystemsReason) {
  const auto name = (folder.path() / std::string(300, 'x')).string(),
             loop = (folder.path() / "loop").string();
  fs::create_symlink("loop", loop);
  for (const auto& [path, reason] : {std::pair(name, "File name too long"),
                                     std::pair(loop, "Too many levels of symbolic links")}) {
    expect_refused(run_into(path), path, reason);
    expect_refused(run_into((folder.path() / "out").string(), {"--data", path}), path, reason);
    expect_refused({"report", path}, path, reason);
    expect_refused({"compare", path, "--methods", "a,b"}, path, reason);
  }
}

TEST_F(OddInputs, APipeIsRefusedWhereAFileIsReadSlow) {
  ASSERT_EQ(call(run_into(results.string())).status, 0);
  const auto pipe = (folder.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refused({"check", results, "--against", pipe}, pipe, "not a regular file");
  expect_refused({"metric", "auc", "--predictions", pipe, "--truth", pipe}, pipe,
                 "not a regular file");
  expect_refused(
      {"track", "--method", "kalman", "--measurements", pipe, "--out", folder.path() / "out.csv"},
      pipe, "not a regular file");
  expect_refused({"run", "toy", "--out", folder.path() / "other", "--predictions", "mine=" + pipe},
                 pipe, "");
}

TEST_F(OddInputs, WhatAnErrorIsAboutIsNamedByItsFileSlow) {
  const auto huge = file("huge.csv", "sequence,frame,pitch,yaw,roll\na,1,1e308,0,0\n"),
             zero = file("zero.csv", "sequence,frame,pitch,yaw,roll\na,1,-1e308,0,0\n");
  const auto shorter = file("short.csv", "sequence,frame,pitch,yaw,roll\na,1,10,0,0\na,2,10,0,0\n");
  expect_refused({"track", "--method", "kalman", "--measurements", shorter, "--out",
                  folder.path() / "out.csv"},
                 shorter, "three measurements");
  for (const char* limit : {"inf", "nan", "0"})
    expect_refused({"metric", "auc", "--predictions", huge, "--truth", zero, "--limit", limit},
                   "--limit", "finite number above 0");
  std::string header = "item", values = "\na", far = "\na";
  for (int k = 0; k < 68; ++k) {
    header += ",x" + std::to_string(k) + ",y" + std::to_string(k);
    values += "," + std::to_string(k) + "," + std::to_string(k % 7);
    far += ",1e308,-1e308";
  }
  const auto predictions = file("p.csv", header + far + "\n"),
             truth = file("t.csv", header + values + "\n");
  expect_refused({"metric", "mean_error", "--predictions", predictions, "--truth", truth},
                 predictions, "not finite");

  ASSERT_EQ(call(run_into(results.string(), {"--set", "methods=[\"good\", \"better\"]"})).status,
            0);
  const auto reference = (folder.path() / "reference.json").string();
  ASSERT_EQ(
      call({"check", results, "--against", reference, "--update", "--reason", "first"}).status, 0);
  auto record = cells_in(results).find({"toy", "main", "toys", "good", 0}).value();
  record.metrics.at(0).protocol = "another";
  cells_in(results).write(record);
  for (const auto& answer : {call({"compare", results, "--methods", "good,better"}),
                             call({"check", results, "--against", reference})}) {
    EXPECT_EQ(answer.status, 3);
    EXPECT_THAT(answer.err, AllOf(HasSubstr(results.string()), HasSubstr("two protocols")));
  }
}

}  // namespace
}  // namespace reprise::reproduce
