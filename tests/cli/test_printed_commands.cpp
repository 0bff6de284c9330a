// docs/langevin.md, "On your own files": what it prints of generate and sample makes, with the
// priors of docs/examples, something that can be seen. In 12 rounds: all of them take minutes.
#include <torch/torch.h>

#include <algorithm>
#include <iomanip>
#include <set>
#include <sstream>

#include "core/text.h"
#include "datasets/formats/images.h"
#include "tests/cli/answer.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

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

/// Runs one, with what it writes in the folder.
Answer run_in(const fs::path& folder, Words words) {
  const auto out = std::find(words.begin(), words.end(), "--out");
  if (out == words.end() || out + 1 == words.end())
    throw std::runtime_error("a command without --out");
  out[1] = (folder / out[1]).string();
  words.emplace_back("--json");
  return call(words);
}

TEST(SlowPrintedCommands, WhatIsGeneratedHasTheContrastOfTheDataAndShowsItsLabel) {
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
