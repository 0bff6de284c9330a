#include "experiments/settings.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise::reproduce {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Settings example() {
  return Settings(
      "seeds = 3\nrate = 0.5\nname = \"gru\"\nreal = true\nsplit = [0.5, 0.5]\n[cnn]\nwidths = [\"a\", \"b\"]\nepochs = 10\n",
      "example.toml");
}

TEST(Settings, TablesBecomeDottedKeys) {
  const auto settings = example();
  EXPECT_EQ(settings.integer("cnn.epochs"), 10);
  EXPECT_EQ(settings.number("rate"), 0.5);
  EXPECT_EQ(settings.number("seeds"), 3);
  EXPECT_TRUE(settings.flag("real"));
  EXPECT_EQ(settings.text("name"), "gru");
  EXPECT_THAT(settings.numbers("split"), ElementsAre(0.5, 0.5));
  EXPECT_THAT(settings.texts("cnn.widths"), ElementsAre("a", "b"));
}

TEST(Settings, SetKeepsTheTypeOfTheDefault) {
  auto settings = example();
  settings.set("seeds=5");
  settings.set("rate=2");
  settings.set("name=lstm");
  settings.set("real=false");
  settings.set("split=[1, 0.25]");
  settings.set("cnn.widths=[\"c\"]");
  EXPECT_EQ(settings.integer("seeds"), 5);
  EXPECT_TRUE(settings.all().at("rate").is_number_float());
  EXPECT_EQ(settings.text("name"), "lstm");
  EXPECT_FALSE(settings.flag("real"));
  EXPECT_THAT(settings.numbers("split"), ElementsAre(1, 0.25));
  EXPECT_THAT(settings.texts("cnn.widths"), ElementsAre("c"));
}

TEST(Settings, AValueOfAnotherTypeIsRefusedWithTheExpectedOne) {
  auto settings = example();
  EXPECT_THAT([&] { settings.set("seeds=2.5"); },
              ThrowsUsageError(HasSubstr("seeds=2.5"), HasSubstr("an integer")));
  EXPECT_NO_THROW(settings.set("cnn.widths=[\"a#b\"]"));
  EXPECT_THAT([&] { settings.set("seeds=5#0"); }, ThrowsUsageError(HasSubstr("seeds=5#0")));
  EXPECT_THAT([&] { settings.set("rate=fast"); }, ThrowsUsageError(HasSubstr("a number")));
  EXPECT_THAT([&] { settings.set("real=1"); }, ThrowsUsageError(HasSubstr("true or false")));
  EXPECT_THAT([&] { settings.set("split=[\"a\"]"); },
              ThrowsUsageError(HasSubstr("a list, each item a number")));
  EXPECT_THAT([&] { settings.set("split=0.5"); }, ThrowsUsageError(HasSubstr("a list")));
  EXPECT_THAT([&] { settings.set("seeds"); }, ThrowsUsageError(HasSubstr("key=value")));
}

TEST(Settings, ANumberMayLackTheZeroBeforeItsPoint) {
  auto settings = example();
  settings.set("rate=.1");
  EXPECT_EQ(settings.number("rate"), 0.1);
  settings.set("rate=-.25e1");
  EXPECT_EQ(settings.number("rate"), -2.5);
  settings.set("split=[.5,10.25, .25]");
  EXPECT_THAT(settings.numbers("split"), ElementsAre(0.5, 10.25, 0.25));
  settings.set("name=.1");
  EXPECT_EQ(settings.text("name"), ".1");
  settings.set("cnn.widths=[\".1\"]");
  EXPECT_THAT(settings.texts("cnn.widths"), ElementsAre(".1"));
}

TEST(Settings, ANumberThatIsNotFiniteAndTextThatHidesMoreAreRefused) {
  auto settings = example();
  const auto before = settings.all();
  for (const char* assignment :
       {"rate=nan", "rate=inf", "rate=-inf", "rate=1e999", "split=[nan, 0.5]", "seeds=1\njunk=2",
        "name=a\nb", "name=\xff", "rate=1\r"})
    EXPECT_THAT([&] { settings.set(assignment); },
                ThrowsUsageError(HasSubstr("--set"), HasSubstr("expected")))
        << assignment;
  EXPECT_EQ(settings.all(), before);
}

// One check, whatever a value comes from: the profile itself, a user's own file, --set, run.json.
TEST(Settings, AValueThatNoSettingHasIsRefusedWhereverItComesFrom) {
  const auto in_file = [](const std::string& line) {
    auto settings = example();
    settings.lay_over("base = \"smoke\"\n\n" + line, "mine.toml");
  };
  const auto in_profile = [](const std::string& line) {
    Settings("a = 1\n\n" + line, "mine.toml");
  };
  const auto line_3 = HasSubstr("mine.toml, line 3");
  for (const char* line : {"rate = nan", "rate = inf", "rate = -inf", "split = [0.5, nan]",
                           "name = \"a\\nb\"", "name = \"\\u001b[31m\"", "rate = 2026-11-28",
                           "split = [[1], [2]]", "split = [1, \"a\"]"}) {
    EXPECT_THAT([&] { in_file(line); }, ThrowsUsageError(line_3)) << line;
    EXPECT_THAT([&] { in_profile(line); }, ThrowsUsageError(line_3)) << line;
  }
  EXPECT_THAT([&] { in_file("rate = \"fast\""); },
              ThrowsUsageError(testing::AllOf(line_3, HasSubstr("expected a number"))));
  EXPECT_THAT([&] { in_file("real = 1"); },
              ThrowsUsageError(testing::AllOf(line_3, HasSubstr("expected true or false"))));
  const auto stored = [](const nlohmann::json& flat) {
    EXPECT_THAT([&] { Settings{flat}; }, ThrowsUsageError(HasSubstr("rate"))) << flat;
    auto settings = example();
    EXPECT_THAT([&] { settings.lay_over_stored(flat, "run.json"); },
                ThrowsUsageError(HasSubstr("run.json: rate")))
        << flat;
  };
  for (const nlohmann::json& value :
       {nlohmann::json(), nlohmann::json::object(), nlohmann::json{1, nullptr},
        nlohmann::json("a\nb"), nlohmann::json(std::uint64_t{1} << 63)})
    stored({{"rate", value}});
  auto settings = example();
  EXPECT_THAT(
      [&] {
        settings.lay_over_stored({{"rate", "fast"}}, "run.json");
      },
      ThrowsUsageError(HasSubstr("expected a number")));
  settings.lay_over_stored({{"rate", 2}, {"of_an_older_program", true}}, "run.json");
  EXPECT_EQ(settings.number("rate"), 2.0);
}

TEST(Settings, AnUnknownKeyListsTheKnownOnesNearestFirst) {
  auto settings = example();
  EXPECT_THAT(
      [&] { settings.set("cnn.epoch=3"); },
      ThrowsUsageError(HasSubstr("did you mean 'cnn.epochs'? Known: cnn.epochs, cnn.widths")));
  EXPECT_THAT([&] { settings.integer("none"); },
              ThrowsUsageError(HasSubstr("none"), HasSubstr("cnn.epochs")));
}

// The base profile states a range beside the default; every way to give another value is held to
// it.
struct SettingsWithRanges : testing::Test {
  static Settings base() {
    return Settings(
        "batch = { default = 16, min = 1 }\nrate = { default = 1e-3, above = 0, below = 1 }\nfraction = { default = 0.5, min = 0, max = 1 }\n"
        "source = { default = \"drawn\", one_of = [\"drawn\", \"mnist\"] }\n"
        "[search]\nrates = { default = [1e-3, 1e-2], above = 0, min_items = 1 }\nkinds = { default = [], one_of = [\"dark\", \"noise\"] }\n",
        "base.toml");
  }
  struct Refused {
    std::string key, value, expected;
  };
  static std::vector<Refused> refused() {
    return {{"batch", "0", "batch is 0, expected at least 1"},
            {"batch", "1.5", "expected an integer"},
            {"rate", "0.0", "rate is 0.0, expected more than 0"},
            {"rate", "1", "expected less than 1"},
            {"rate", "nan", "expected a finite number"},
            {"rate", "inf", "expected a finite number"},
            {"fraction", "1.01", "expected at most 1"},
            {"source", "\"svhn\"", "expected one of [\"drawn\",\"mnist\"]"},
            {"search.rates", "[]", "expected a list of at least 1 item"},
            {"search.rates", "[1e-3, -1e-3]", "expected each item more than 0"},
            {"search.kinds", "[\"dark\", \"light\"]", "expected each item one of"},
            {"search.kinds", "[3]", "expected each item one of"}};
  }
};

TEST_F(SettingsWithRanges, HaveTheDefaultsAndTakeWhatIsInTheRange) {
  auto settings = base();
  EXPECT_EQ(settings.integer("batch"), 16);
  EXPECT_THAT(settings.numbers("search.rates"), ElementsAre(1e-3, 1e-2));
  for (const auto* inside : {"batch=1", "rate=0.999", "fraction=0", "fraction=1", "source=mnist",
                             "search.rates=[1]", "search.kinds=[\"noise\"]"})
    EXPECT_NO_THROW(settings.set(inside)) << inside;
  EXPECT_EQ(Settings(settings.all()).all(), settings.all()) << "ranges are no settings";
}

TEST_F(SettingsWithRanges, RefuseWhatIsOutsideWhereverItComesFrom) {
  for (const auto& [key, value, expected] : refused()) {
    auto settings = base();
    EXPECT_THAT([&] { settings.set(key + "=" + value); },
                ThrowsUsageError(testing::AllOf(HasSubstr("--set"), HasSubstr(expected))));
    EXPECT_THAT(
        [&] { settings.lay_over("\n" + key + " = " + value, "mine.toml"); },
        ThrowsUsageError(testing::AllOf(HasSubstr("mine.toml, line 2"), HasSubstr(expected))));
    if (value != "nan" && value != "inf")  // JSON has neither
      EXPECT_THAT(
          [&] {
            settings.lay_over_stored({{key, nlohmann::json::parse(value)}}, "run.json");
          },
          ThrowsUsageError(testing::AllOf(HasSubstr("run.json"), HasSubstr(expected))));
    EXPECT_EQ(settings.all(), base().all()) << key;
  }
}

TEST_F(SettingsWithRanges, StateTheRangeOnceAndByPartsThatThereAre) {
  EXPECT_THAT(
      [] { base().lay_over("batch = { default = 2, min = 0 }", "mine.toml"); },
      ThrowsUsageError(HasSubstr("mine.toml, line 1: batch has a range"), HasSubstr("batch = 2")));
  EXPECT_THAT([] { Settings("a = { default = 2, minn = 0 }", "base.toml"); },
              ThrowsUsageError(HasSubstr("minn"), HasSubstr("did you mean 'min'")));
  EXPECT_THAT([] { Settings("a = { default = 2, min = 3 }", "base.toml"); },
              ThrowsUsageError(HasSubstr("a is 2, expected at least 3")));
  EXPECT_THAT([] { Settings("a = { default = 2, min = \"1\" }", "base.toml"); },
              ThrowsUsageError(HasSubstr("min of a")));
}

TEST(Settings, ReadingAsAnotherTypeNamesKeyAndType) {
  const auto settings = example();
  EXPECT_THAT([&] { settings.integer("rate"); },
              ThrowsUsageError(HasSubstr("rate is 0.5"), HasSubstr("an integer")));
  EXPECT_THAT([&] { settings.texts("split"); },
              ThrowsUsageError(HasSubstr("split"), HasSubstr("a list of strings")));
}

TEST(Settings, ProfilesAndCommandLinesMayUseOldKeys) {
  Settings settings(
      "purpose = { default = \"full_experiment\", one_of = [\"full_experiment\", \"smoke_test\"] }\n"
      "[evaluator]\nbatch = 16\nsteps = 10\n",
      "small.toml");
  settings.lay_over("purpose = \"wiring\"\n[judge]\nbatch = 8\n", "mine.toml");
  settings.set("judge.steps=5");
  EXPECT_EQ(settings.text("purpose"), "smoke_test");
  EXPECT_EQ(settings.integer("evaluator.batch"), 8);
  EXPECT_EQ(settings.integer("evaluator.steps"), 5);
  EXPECT_THROW(settings.set("judged.steps=5"), UsageError);
}

TEST(Settings, BrokenTomlNamesFileAndLine) {
  EXPECT_THAT([] { Settings("a = 1\nb = = 2\n", "bad.toml"); },
              ThrowsUsageError(HasSubstr("bad.toml, line 2")));
  EXPECT_THAT(
      [] { Settings("a = [1, \"x\"]\n", "bad.toml"); },
      ThrowsUsageError(testing::AllOf(HasSubstr("bad.toml, line 1: a"), HasSubstr("different kinds"))));
}

TEST(Settings, ARecordsOptionsGiveTheSameSettings) {
  const auto settings = example();
  EXPECT_EQ(Settings(settings.all()).all(), settings.all());
}

TEST(Settings, AnyDamagedFileGivesSettingsOrOurErrorSlow) {
  const TemporaryFolder folder;
  const std::string whole =
      "seeds = 3\nrate = 0.5\nname = \"gru\"\nreal = true\nsplit = [0.5, 0.5]\n[cnn]\nwidths = [\"a\", \"b\"]\nepochs = 10\n";
  const int refused = read_damaged_copies(
      folder.path() / "smoke.toml", whole,
      [](const auto& path) { Settings(read_file(path), path.string()).all().dump(); });
  EXPECT_GE(refused, 75);
}

}  // namespace
}  // namespace reprise::reproduce
