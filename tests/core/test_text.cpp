#include <cstdlib>
#include <limits>

#include "core/environment.h"
#include "core/replace.h"
#include "core/text.h"
#include "core/version.h"
#include "tests/support.h"

namespace reprise {
namespace {

using testing::MatchesRegex;

TEST(Text, AShellTakesAQuotedWordLetterByLetter) {
  EXPECT_EQ(shell_quote("clips.test=300"), "clips.test=300");
  EXPECT_EQ(shell_quote("table1/*"), "'table1/*'");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a'; rm -rf ~; '"), "'a'\\''; rm -rf ~; '\\'''");
}

TEST(Glob, MatchesWholeStringsWithStarsAndQuestionMarks) {
  EXPECT_TRUE(matches_glob("table1/faces/pre_gru_fc6/seed3", "table1/*/pre_*/seed?"));
  EXPECT_TRUE(matches_glob("", "*"));
  EXPECT_TRUE(matches_glob("abcabc", "*abc"));
  EXPECT_TRUE(matches_glob("a*b", "a*b"));
  EXPECT_FALSE(matches_glob("table1/faces", "table1"));
  EXPECT_FALSE(matches_glob("ab", "?"));
  EXPECT_FALSE(matches_glob("", "?"));
}

TEST(Glob, ManyStarsDoNotTakeExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "*a";
  EXPECT_FALSE(matches_glob(std::string(2000, 'a') + "b", pattern));
}

TEST(MarkupEntity, StandsForTheFourCharactersAndNoOther) {
  EXPECT_EQ(markup_entity('&'), "&amp;");
  EXPECT_EQ(markup_entity('<'), "&lt;");
  EXPECT_EQ(markup_entity('>'), "&gt;");
  EXPECT_EQ(markup_entity('"'), "&quot;");
  for (const char other : {'a', ' ', '\'', ';', '\n', '\0'}) EXPECT_EQ(markup_entity(other), "");
}

TEST(FirstFew, CountsWhatItLeavesOut) {
  EXPECT_EQ(first_few({"a", "b"}), "a, b");
  EXPECT_EQ(first_few({"a", "b", "c", "d", "e"}), "a, b, c, d, e");
  EXPECT_EQ(first_few({"a", "b", "c", "d", "e", "f", "g"}), "a, b, c, d, e and 2 more");
  EXPECT_EQ(first_few({}), "");
}

TEST(Nearest, FindsTypingMistakesAndNothingFarAway) {
  const std::vector<std::string> known{"landmarks", "epochs", "seed"};
  EXPECT_EQ(find_nearest("landmraks", known), "landmarks");
  EXPECT_EQ(find_nearest("epoch", known), "epochs");
  EXPECT_EQ(find_nearest("temperature", known), "");
  EXPECT_EQ(find_nearest("ab", {"cd"}), "");
}

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e-6), "1e-06");
  EXPECT_EQ(number_text(100000), "100000");
  EXPECT_EQ(number_text(-2), "-2");
  for (const double value : {0.1 + 0.2, 1.0 / 3, 5e-324, std::numeric_limits<double>::max()})
    EXPECT_EQ(std::strtod(number_text(value).c_str(), nullptr), value);
}

TEST(Error, HasAProblemAndAFix) {
  const Error error("the file is empty", "make it anew");
  EXPECT_STREQ(error.what(), "the file is empty\n  fix: make it anew");
  EXPECT_EQ(error.problem(), "the file is empty");
  EXPECT_EQ(error.fix(), "make it anew");
}

TEST(MachineFacts, AreWhatAnyLinuxMachineHas) {
  EXPECT_THAT(compiler(), MatchesRegex("(clang|gcc) [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_FALSE(cpu_model().empty());
  EXPECT_GE(cores(), 1);
  EXPECT_GT(memory_bytes(), 64 << 20);
}

TEST(UtcNow, IsATimeWithDateAndZone) {
  EXPECT_THAT(utc_now(), MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST(ProjectVersion, HasThreeNumbers) {
  EXPECT_THAT(project_version(), MatchesRegex("[0-9]+[.][0-9]+[.][0-9]+"));
}

std::string git(const std::filesystem::path& tree, const std::string& arguments) {
  return "git -C \"" + tree.string() + "\" -c user.name=a -c user.email=a@b " + arguments +
         " >/dev/null 2>&1";
}

TEST(SourceState, KnowsCommitAndDirtFromACheckoutAndNothingElsewhere) {
  const TemporaryFolder folder;
  const auto tree = folder.path() / "it's a tree";
  write_file(tree / "inner" / "file", "x");
  EXPECT_EQ(source_state(tree).commit, "");
  ASSERT_EQ(std::system((git(tree, "init") + " && " + git(tree, "add .") + " && " +
                         git(tree, "commit -m first"))
                            .c_str()),
            0);
  const auto clean = source_state(tree);
  EXPECT_THAT(clean.commit, MatchesRegex("[0-9a-f]+"));
  EXPECT_EQ(clean.commit.size(), 40u);
  EXPECT_FALSE(clean.dirty);
  // A folder inside some other project's checkout must not take that project's commit for its own.
  EXPECT_EQ(source_state(tree / "inner").commit, "");
  write_file(tree / "inner" / "new", "x");
  EXPECT_TRUE(source_state(tree).dirty);
}

TEST(Replace, PutsTextInThePlaceOfEachOccurrence) {
  EXPECT_EQ(replace_all("{a}-{a}", "{a}", "{a}{a}"), "{a}{a}-{a}{a}")
      << "what was put in is not looked through again";
  const std::regex name(R"(\{([a-z]+)\})");
  EXPECT_EQ(replace_matches("of {x}, {y}.", name,
                            [](const auto& found) { return "<" + found[1].str() + ">"; }),
            "of <x>, <y>.");
  EXPECT_EQ(replace_matches("{3} stays", name, [](const auto&) { return ""; }), "{3} stays");
}

}  // namespace
}  // namespace reprise
