#include "reports/published.h"
#include "tests/damage.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::HasSubstr;

std::string figure(const std::string& change = "", const std::string& value = "value = 0.769",
                   const std::string& tag = "seed") {
  return "[[figure]]\ntable = \"table1\"\nrow = \"LSTM\"\ncolumn = \"Pre fc6\"\n" + value +
         "\ntag = \"" + tag + "\"\nsource = \"document, table 1\"\nprotocol = \"300-VW\"\n" +
         change;
}

TEST(Published, FindsAFigureByTableRowAndColumn) {
  const Published published(figure(), "published.toml");
  const auto* found = published.find("table1", "LSTM", "Pre fc6");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->value, 0.769);
  EXPECT_EQ(found->tag, Tag::Seed);
  EXPECT_EQ(found->source, "document, table 1");
  EXPECT_EQ(found->protocol, "300-VW");
  EXPECT_EQ(published.find("table1", "LSTM", "Pre fc7"), nullptr);
}

TEST(Published, ReadsEveryTagAndNoOther) {
  for (const auto tag : {Tag::Seed, Tag::Copy, Tag::Quoted, Tag::Unverified})
    EXPECT_EQ(Published(figure("", "value = 1", std::string(tag_text(tag))), "p").all().at(0).tag,
              tag);
  EXPECT_THAT([] { Published(figure("", "value = 1", "m"), "published.toml"); },
              ThrowsUsageError(HasSubstr("published.toml, line 6"), HasSubstr("\"m\""),
                               HasSubstr("seed, C, C2, M, NR")));
}

TEST(Published, AFigureThatWasNotRecoveredHasNoValue) {
  EXPECT_EQ(Published(figure("", "", "NR"), "p").all().at(0).value, std::nullopt);
  EXPECT_THAT([] { Published(figure("", "value = 0.5", "NR"), "p"); },
              ThrowsUsageError(HasSubstr("NR")));
  EXPECT_THAT([] { Published(figure("", ""), "p"); }, ThrowsUsageError(HasSubstr("without value")));
}

TEST(Published, RefusesUnknownMissingAndMistypedKeysWithTheirLine) {
  EXPECT_THAT([] { Published(figure("remark = \"x\"\n"), "published.toml"); },
              ThrowsUsageError(HasSubstr("published.toml, line 9"), HasSubstr("\"remark\""),
                               HasSubstr("source, protocol, data")));
  EXPECT_THAT([] { Published("[[figure]]\ntable = \"t\"\n", "p"); },
              ThrowsUsageError(HasSubstr("row is missing")));
  EXPECT_THAT([] { Published(figure("", "value = \"0.7\""), "p"); },
              ThrowsUsageError(HasSubstr("line 5"), HasSubstr("number")));
  EXPECT_THAT([] { Published(figure("", "value = inf"), "p"); },
              ThrowsUsageError(HasSubstr("finite")));
  EXPECT_THAT([] { Published("[[figures]]\n", "p"); }, ThrowsUsageError(HasSubstr("\"figures\"")));
  EXPECT_THAT([] { Published("[[figure]\n", "p"); }, ThrowsUsageError(HasSubstr("p, line 1")));
}

TEST(Published, RefusesTwoFiguresForOnePlace) {
  EXPECT_THAT([] { Published(figure() + figure(), "p"); },
              ThrowsUsageError(HasSubstr("second figure"), HasSubstr("LSTM")));
}

// What a value was measured on decides whether it stands next to ours.
TEST(Published, ReadsTheDataOfAFigureByNameOrInItsPlace) {
  const std::string protocol =
      "[protocol.faces]\nset = \"300-VW\"\nsplit = \"category 3\"\nsize = 224\ncount = 64\n";
  const auto data =
      Published(figure("data = \"faces\"\n") + protocol, "p").all().at(0).data.value();
  EXPECT_EQ(data.set, "300-VW");
  EXPECT_EQ(data.split, "category 3");
  EXPECT_EQ(data.framing, "");
  EXPECT_EQ(data.size, 224);
  EXPECT_EQ(data.count, 64);
  EXPECT_EQ(Published(figure("data = { set = \"300-VW\" }\n"), "p").all().at(0).data.value().set,
            "300-VW");
  EXPECT_FALSE(Published(figure() + protocol, "p").all().at(0).data);
  EXPECT_THAT([&] { Published(figure("data = \"face\"\n") + protocol, "p"); },
              ThrowsUsageError(HasSubstr("[protocol.face]"), HasSubstr("the file has faces")));
  EXPECT_THAT([] { Published(figure("data = { split = \"x\" }\n"), "p"); },
              ThrowsUsageError(HasSubstr("set is missing")));
  EXPECT_THAT([] { Published(figure("data = { set = \"x\", size = 0.5 }\n"), "p"); },
              ThrowsUsageError(HasSubstr("size is not a count")));
  EXPECT_THAT([] { Published("[protocol.a]\nset = \"x\"\nseed = 3\n", "p"); },
              ThrowsUsageError(HasSubstr("\"seed\"")));
}

TEST(Published, OnlyTheSameSetIsTheSameData) {
  const DataProtocol all{.set = "faces", .split = "test", .framing = "box", .size = 64, .count = 8};
  EXPECT_TRUE(is_same_data(all, {.set = "faces"})) << "what one does not state is no difference";
  EXPECT_FALSE(is_same_data({}, {}));
  EXPECT_FALSE(is_same_data(all, {.set = "pets"}));
  EXPECT_FALSE(is_same_data(all, {.set = "faces", .split = "train"}));
  EXPECT_FALSE(is_same_data(all, {.set = "faces", .framing = "tight"}));
  EXPECT_FALSE(is_same_data(all, {.set = "faces", .count = 9}));
  EXPECT_EQ(data_text(all), "faces, test, box, 64 x 64 pixels, 8 items");
}

TEST(Published, AnyDamagedFileGivesFiguresOrOurErrorSlow) {
  const TemporaryFolder folder;
  const int refused =
      read_damaged_copies(folder.path() / "published.toml", figure(),
                          [](const auto& path) { Published(read_file(path), path.string()); });
  EXPECT_GE(refused, 100);
}

}  // namespace
}  // namespace reprise::reports
