// Commands that errors, help texts and documents print: each exists, with its options.
// docs/langevin.md, "On your own files": its commands generate and sample make pictures with
// contrast from the priors of docs/examples. With 12 rounds, because all rounds take minutes.
#include <torch/torch.h>

#include <algorithm>
#include <iomanip>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "core/text.h"
#include "datasets/formats/images.h"
#include "reproduce/studies.h"
#include "tests/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const fs::path project_root = fixture("../..");

/// Lists the files that print commands or show them: sources, study files and documents.
std::vector<fs::path> files_with_commands() {
  std::vector<fs::path> files;
  for (const auto* name : {"README.md", "CONTRIBUTING.md"}) files.push_back(project_root / name);
  for (const auto& file : fs::directory_iterator(project_root / "docs"))
    if (file.path().extension() == ".md") files.push_back(file);
  for (const auto* layer : {"records", "training", "datasets", "models", "baselines", "reports",
                            "experiments", "reproduce", "tools", "cli", "examples"})
    for (const auto& file : fs::recursive_directory_iterator(project_root / layer))
      if (std::set<fs::path>{".cpp", ".h", ".toml"}.contains(file.path().extension()))
        files.push_back(file);
  return files;
}

/// A command in a text: "run", or "data export", and the rest of its line.
struct ShownCommand {
  std::string first, second, rest;
};

std::vector<ShownCommand> commands_in(const fs::path& file) {
  constexpr std::size_t most = 600;  // characters of a command that are read
  // Adjacent string literals, and lines of a shell command that a backslash continues, are one.
  static const std::regex seam(R"("\s*\n\s*"|\\\n)");
  // A backslash begins the end of a line inside a string literal.
  static const std::regex shown(R"(^reprise ([a-z]+)(?: ([a-z]+))?([^\n\\`";<]*))");
  const auto text = read_file(file);
  std::vector<ShownCommand> commands;
  for (auto at = text.find("reprise "); at != std::string::npos;
       at = text.find("reprise ", at + 1)) {
    const auto line = std::regex_replace(text.substr(at, most), seam, "");
    std::smatch found;
    if (std::regex_search(line, found, shown))
      commands.push_back({.first = found[1], .second = found[2], .rest = found[3]});
  }
  return commands;
}

// A fix that names a command or an option of an earlier version would send its reader astray.
TEST(PrintedCommands, EachExistsWithItsOptions) {
  // Words after "reprise" that are no commands: sentences, and first lines of files.
  const std::set<std::string> prose{"again",   "in",    "rebuilds", "reproduces",
                                    "mocogan", "prior", "unit"};
  const std::set<std::string> of_wrapper{"test", "bench"};
  std::map<std::string, std::string> help;  // command -> its --help-all; "" if there is none
  const auto help_of = [&](const Words& command) -> const std::string& {
    const auto [at, is_new] = help.try_emplace(join(command, " "));
    auto words = command;
    words.emplace_back("--help-all");
    if (is_new)
      if (const auto answer = call(words); answer.status == 0) at->second = answer.out;
    return at->second;
  };
  std::size_t commands = 0;
  for (const auto& file : files_with_commands())
    for (const auto& [first, second, rest] : commands_in(file)) {
      if (prose.contains(first) || of_wrapper.contains(first)) continue;
      SCOPED_TRACE(file.string() + ": reprise " + first + " " + second + rest);
      ++commands;
      auto text = help_of({first});
      ASSERT_NE(text, "") << "no such command";
      if (text.find("\nCommands:\n") != std::string::npos && !second.empty()) {
        text = help_of({first, second});
        EXPECT_NE(text, "") << "no such command";
      }
      static const std::regex option("--[a-z][a-z-]*");
      for (std::sregex_iterator at(rest.begin(), rest.end(), option), end; at != end; ++at)
        EXPECT_THAT(text, testing::HasSubstr(at->str())) << "no such option";
    }
  EXPECT_GT(commands, 150U) << "hardly any command was found";
}

// A fix whose command is complete, without words to fill in, plans at least one cell.
TEST(PrintedCommands, RunsOfFixesPlanCells) {
  std::size_t runs = 0;
  for (const auto& file : files_with_commands()) {
    if (file.extension() != ".cpp") continue;
    for (const auto& [first, second, rest] : commands_in(file)) {
      const bool is_run = first == "run" && rest.find("--only '") == 1;
      if (!is_run || rest.find('{') != std::string::npos) continue;
      SCOPED_TRACE(file.string() + ": reprise run " + second + rest);
      const auto begin = rest.find('\'') + 1;
      const auto glob = rest.substr(begin, rest.find('\'', begin) - begin);
      if (glob.empty()) continue;  // completed with a cell when it is printed
      const auto answer = call({"run", second, "--only", glob, "--dry-run", "--json"}, studies());
      ASSERT_EQ(answer.status, 0) << answer.err;
      EXPECT_GT(answer.object().at("planned").get<int>(), 0);
      ++runs;
    }
  }
  EXPECT_GE(runs, 3U);
}

/// The page's commands with this verb, in words; $P is where the priors are.
std::vector<Words> printed(const std::string& verb) {
  std::vector<Words> commands;
  std::istringstream page(read_file(fixture("../../docs/langevin.md")));
  for (std::string line; std::getline(page, line);) {
    const auto begin = line.find("./reprise " + verb + " --");
    if (begin != 4) continue;
    std::istringstream text(line.substr(begin));
    Words words;
    for (std::string word; text >> std::quoted(word);) {
      if (word.starts_with("$P/"))
        word = (fixture("../../docs/examples") / word.substr(3)).string();
      words.push_back(word);
    }
    commands.emplace_back(words.begin() + 1, words.end());
  }
  return commands;
}

/// Runs a command; its --out lies in `folder`.
Answer run_in(const fs::path& folder, Words words) {
  const auto out = std::find(words.begin(), words.end(), "--out");
  if (out == words.end() || out + 1 == words.end())
    throw std::runtime_error("a command without --out");
  out[1] = (folder / out[1]).string();
  words.emplace_back("--json");
  return call(words);
}

TEST(SlowPrintedCommands, WhatIsGeneratedHasTheContrastOfTheDataAndShowsItsLabelSlow) {
  const TemporaryFolder folder;
  std::set<std::string> forms;
  for (const auto& command : printed("generate")) {
    SCOPED_TRACE(join(command, " "));
    ASSERT_THAT(command, testing::Not(testing::Contains("--rounds")));
    auto words = command;
    words.insert(words.end(), {"--rounds", "12"});
    const auto answer = run_in(folder.path(), words);
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto made = answer.object();
    forms.insert(made.at("representation").get<std::string>());
    EXPECT_TRUE(fs::exists(made.at("file").get<std::string>()));
    EXPECT_TRUE(made.at("warnings").empty()) << made.at("warnings").dump();
    EXPECT_GT(made.at("contrast").get<double>(), 0.5);
  }
  EXPECT_EQ(forms, (std::set<std::string>{"panorama", "nerf", "video", "audio"}));
}

TEST(SlowPrintedCommands, SamplesAreNoBlanks) {
  const TemporaryFolder folder;
  const auto commands = printed("sample");
  ASSERT_FALSE(commands.empty());
  for (const auto& command : commands) {
    SCOPED_TRACE(join(command, " "));
    const auto answer = run_in(folder.path(), command);
    ASSERT_EQ(answer.status, 0) << answer.err;
    const auto out = std::find(command.begin(), command.end(), "--out")[1];
    EXPECT_GT(datasets::read_image(folder.path() / out).to(at::kDouble).std().item<double>(), 40)
        << "grey levels";
  }
}

}  // namespace
}  // namespace reprise::reproduce
