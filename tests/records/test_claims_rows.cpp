// What claims.toml says once of several things alike: lists of than and metric, and for_each.
#include <algorithm>

#include "records/claims.h"
#include "records/claims_file.h"
#include "tests/damage.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// As a study wrote it before: everything of everything.
const std::string written_out = R"toml(
[[claim]]
id = "1 clean"
says = "recurrent layers have the lowest error (clean)"
source = "document, column 7"
[[claim.test]]
kind = "better"
metric = "error_clean"
table = "pose"
methods = "fc_(rnn|gru)"
than = "cnn"
comparisons = 2
[[claim.test]]
kind = "better"
metric = "error_clean"
table = "pose"
methods = "fc_(rnn|gru)"
than = "post_$1"
comparisons = 2

[[claim]]
id = "1 blur"
says = "recurrent layers have the lowest error (blur)"
source = "document, column 7"
[[claim.test]]
kind = "better"
metric = "error_blur"
table = "pose"
methods = "fc_(rnn|gru)"
than = "cnn"
comparisons = 2
[[claim.test]]
kind = "better"
metric = "error_blur"
table = "pose"
methods = "fc_(rnn|gru)"
than = "post_$1"
comparisons = 2

[[claim]]
id = "1 fog"
says = "recurrent layers have the lowest error (fog)"
source = "document, column 7"
[[claim.test]]
kind = "better"
metric = "error_fog"
optional = true
table = "pose"
methods = "fc_(rnn|gru)"
than = "cnn"
comparisons = 2
[[claim.test]]
kind = "better"
metric = "error_fog"
optional = true
table = "pose"
methods = "fc_(rnn|gru)"
than = "post_$1"
comparisons = 2

[[claim]]
id = "2"
says = "in both kinds the first half is as good as the second"
source = "document, column 8"
[[claim.test]]
kind = "similar"
margin = 0.5
metric = "error_clean"
than_metric = "half_clean"
table = "pose"
methods = "fc_gru"
than = "$&"
[[claim.test]]
kind = "similar"
margin = 0.5
metric = "error_blur"
than_metric = "half_blur"
table = "pose"
methods = "fc_gru"
than = "$&"
)toml";

const std::string written_once = R"toml(
[[claim]]
id = "1"
says = "recurrent layers have the lowest error"
source = "document, column 7"
for_each = { kind = ["clean", "blur", "fog"] }
kind = "better"
metric = "error_{kind}"
optional = ["fog"]
table = "pose"
methods = "fc_(rnn|gru)"
than = ["cnn", "post_$1"]
comparisons = 2

[[claim]]
id = "2"
says = "in both kinds the first half is as good as the second"
source = "document, column 8"
[[claim.test]]
for_each = { kind = ["clean", "blur"] }
kind = "similar"
margin = 0.5
metric = "error_{kind}"
than_metric = "half_{kind}"
table = "pose"
methods = "fc_gru"
than = "$&"
)toml";

/// Five seeds of five methods in two kinds: clear gains when clean, mixed ones when blurred, nothing in fog.
void fill(const Store& store) {
  const std::vector<double> noise{0.05, -0.1, 0.02, 0.08, -0.03, 0.11, -0.07};
  std::size_t next = 0;
  for (const auto& [method, clean, blur] : {std::tuple{"cnn", 5.0, 7.0}, std::tuple{"post_rnn", 4.8, 6.9}, std::tuple{"post_gru", 4.9, 6.0},
                                            std::tuple{"fc_rnn", 4.2, 6.8}, std::tuple{"fc_gru", 4.1, 6.4}})
    for (std::int64_t seed = 0; seed < 5; ++seed) {
      Record record = make({.method = method, .seed = seed, .table = "pose", .direction = Direction::LowerIsBetter});
      const Metric metric = record.metrics.at(0);
      record.metrics.clear();
      for (const auto& [name, value] :
           {std::pair{"error_clean", clean}, {"error_blur", blur}, {"half_clean", clean}, {"half_blur", blur}}) {
        record.metrics.push_back(metric);
        record.metrics.back().name = name;
        record.metrics.back().value = value + noise[next++ % noise.size()];
      }
      store.write(record);
    }
}

void expect_same(const Comparison& a, const Comparison& b) {
  EXPECT_EQ(std::tie(a.method, a.than, a.dataset, a.metric, a.n), std::tie(b.method, b.than, b.dataset, b.metric, b.n));
  EXPECT_EQ(std::tie(a.effect, a.low, a.high), std::tie(b.effect, b.low, b.high)) << a.method;
  EXPECT_EQ(std::tie(a.p, a.p_holm, a.p_against, a.p_against_holm), std::tie(b.p, b.p_holm, b.p_against, b.p_against_holm)) << a.method;
}

TEST(ClaimsOfRows, VerdictsAreThoseOfEverythingWrittenOut) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  fill(store);
  const auto before = judge(written_out, "claims.toml", store), after = judge(written_once, "claims.toml", store);
  std::vector<Verdict> verdicts;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Judgement &a = before[i], &b = after[i];
    verdicts.push_back(b.verdict);
    EXPECT_EQ(b.id, a.id);
    EXPECT_EQ(says_of_row(b), a.says);
    EXPECT_EQ(std::tie(b.source, b.verdict, b.reason), std::tie(a.source, a.verdict, a.reason)) << a.id;
    EXPECT_EQ(std::tie(b.n, b.p, b.p_against, b.needed), std::tie(a.n, a.p, a.p_against, a.needed)) << a.id;
    EXPECT_EQ(b.effects.size(), a.effects.size()) << a.id;
    ASSERT_EQ(b.comparisons.size(), a.comparisons.size()) << a.id;
    for (std::size_t k = 0; k < a.comparisons.size(); ++k) expect_same(b.comparisons[k], a.comparisons[k]);
  }
  EXPECT_THAT(verdicts, ElementsAre(Verdict::Reproduced, Verdict::Contradicted, Verdict::NotRun, Verdict::Reproduced));
}

TEST(ClaimsOfRows, RowsOfAClaimShareWhatItSays) {
  const TemporaryFolder folder;
  const auto judgements = judge(written_once, "claims.toml", Store(folder.path()));
  const auto claims = claims_of(judgements);
  ASSERT_EQ(claims.size(), 2U);
  ASSERT_EQ(claims[0].size(), 3U);
  EXPECT_EQ(claims[0][1].claim_id, "1");
  EXPECT_EQ(claims[0][1].row, "blur");
  EXPECT_EQ(claims[0][1].id, "1 blur");
  EXPECT_EQ(claims[0][1].says, "recurrent layers have the lowest error");
  ASSERT_EQ(claims[1].size(), 1U);
  EXPECT_EQ(claims[1][0].row, "");
  EXPECT_EQ(claims[1][0].id, "2");
}

/// The tests of a file's only claim, or of its rows, as "metric than".
std::vector<std::string> read(const std::string& toml) {
  std::vector<std::string> tests;
  for (const auto& claim : read_claims(toml, "claims.toml"))
    for (const auto& test : claim.tests)
      tests.push_back((claim.row.empty() ? "" : claim.row + ": ") + test.metric + " " + test.than + (test.optional ? " optional" : ""));
  return tests;
}

const std::string head = "[[claim]]\nid = \"1\"\nsays = \"s\"\nsource = \"d\"\n";
const std::string better_test = "kind = \"better\"\ntable = \"t\"\nmethods = \"a{1,2}\"\n";

TEST(ClaimsOfRows, ListsGiveEveryCombinationWithTheFirstOtherMethodFirst) {
  EXPECT_THAT(read(head + better_test + "than = [\"x\", \"$&\"]\nmetric = [\"m\", \"n\"]\n"), ElementsAre("m x", "n x", "m $&", "n $&"));
  EXPECT_THAT(read(head + "kind = \"sooner\"\ntable = \"t\"\nmethods = \"a\"\nthan = \"x\"\ncurve = [\"c\", \"d\"]\n"),
              ElementsAre("c x", "d x"));
}

TEST(ClaimsOfRows, SeveralNamesGiveEveryCombinationInTheOrderOfTheFile) {
  const std::string body = better_test + "than = \"x\"\nmetric = \"{what}_{how}\"\n";
  EXPECT_THAT(read(head + "for_each = { what = [\"m\", \"n\"], how = [\"1\", \"2\"] }\n" + body),
              ElementsAre("m 1: m_1 x", "m 2: m_2 x", "n 1: n_1 x", "n 2: n_2 x"));
}

TEST(ClaimsOfRows, AForEachOfATestKnowsTheValuesOfItsClaim) {
  EXPECT_THAT(read(head + "for_each = { what = [\"m\", \"n\"] }\n[[claim.test]]\nfor_each = { how = [\"1\", \"{what}\"] }\n" + better_test +
                   "than = \"x\"\nmetric = \"{what}_{how}\"\noptional = [\"1\"]\n"),
              ElementsAre("m: m_1 x optional", "m: m_m x", "n: n_1 x optional", "n: n_n x"));
}

// Values that belong together are listed once, and several claims and what they need are repeated over the list.
TEST(ClaimsOfRows, AListOfRowsGivesEachItsValuesAndItsName) {
  const std::string rows = R"toml(
[rows]
sets = [{ row = "hands, depth", table = "g", part = "depth" }, { row = "walks", table = "a", part = "flow" }]
[[requirement]]
name = "room"
says = "room"
table = "{table}"
methods = "cnn"
metric = "room_{part}"
at_least = 0.1
)toml";
  const std::string body =
      "needs = [\"room\"]\nfor_each = \"sets\"\nkind = \"better\"\ntable = \"{table}\"\nmethods = \"a\"\nthan = \"x\"\n";
  const auto claims = read_claims(rows + head + body + "metric = \"m_{part}\"\noptional = [\"walks\"]\n", "claims.toml");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].id, "1 hands, depth");
  EXPECT_EQ(std::tie(claims[1].tests.at(0).table, claims[1].tests.at(0).metric), std::make_tuple("a", "m_flow"));
  EXPECT_EQ(std::tie(claims[1].requirements.at(0).table, claims[1].requirements.at(0).metric), std::make_tuple("a", "room_flow"));
  EXPECT_TRUE(claims[1].tests.at(0).optional);
  EXPECT_FALSE(claims[0].tests.at(0).optional);
  EXPECT_THAT([&] { read_claims(rows + head + "for_each = \"other\"\n" + better_test + "than = \"x\"\nmetric = \"m\"\n", "f"); },
              ThrowsUsageError(AllOf(HasSubstr("no such list"), HasSubstr("known: sets"))));
  EXPECT_THAT(
      [&] {
        read_claims(
            "[rows]\nsets = [{ table = \"g\" }]\n" + head + "for_each = \"sets\"\n" + better_test + "than = \"x\"\nmetric = \"m\"\n", "f");
      },
      ThrowsUsageError(AllOf(HasSubstr("entry 1 of rows.sets"), HasSubstr("'row' is missing"))));
  EXPECT_THAT([&] { read_claims("[rows]\nsets = [\"g\"]\n" + head + better_test + "than = \"x\"\nmetric = \"m\"\n", "f"); },
              ThrowsUsageError(HasSubstr("must be a list of tables")));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ClaimsOfRows, AListOfRowsGoesWithOtherListsAndARowMayLeaveSeedsOut) {
  const std::string rows = "[rows]\nsets = [{ row = \"depth\", part = \"d\" }, { row = \"flow\", part = \"f\" }]\n";
  const std::string more = replaced(rows, " }]", " }, { row = \"flow without seed 3\", part = \"f\", without_seeds = \"3, 14\" }]");
  const auto body = [&](const std::string& repeat) {
    return head + "for_each = " + repeat + "\n" + better_test + "than = \"x\"\nmetric = \"m_{part}_{cell}\"\n";
  };
  const auto claims = read_claims(more + body("{ rows = \"sets\", cell = [\"a\", \"b\"] }"), "f");
  ASSERT_EQ(claims.size(), 6U);
  EXPECT_EQ(claims[1].id, "1 depth b");
  EXPECT_EQ(claims[3].tests.at(0).metric, "m_f_b");
  EXPECT_THAT(claims[5].without_seeds, ElementsAre(3, 14));
  EXPECT_TRUE(claims[3].without_seeds.empty());
  EXPECT_NE(claims[5].definition, claims[3].definition);
  EXPECT_EQ(read_claims(rows + body("{ rows = \"sets\", cell = [\"a\", \"b\"] }"), "f").at(3).definition, claims[3].definition);
  EXPECT_THAT([&] { read_claims(replaced(more, "3, 14", "the third") + body("{ rows = \"sets\", cell = [\"a\"] }"), "f"); },
              ThrowsUsageError(HasSubstr("'without_seeds'")));
}

TEST(ClaimsOfRows, ValuesStandInEveryTextOfATestAndBracesThatCountAreLeftAlone) {
  const auto claims = read_claims(head + R"toml(family = "of {data}"
for_each = { data = ["faces", "bursts"] }
[[claim.test]]
kind = "better"
table = "t_{data}"
than_table = "u_{data}"
dataset = "{data}[0-9]{2}"
methods = "{data}_(a{1,2})"
than = "{data}_$1"
metric = "m_{data}"
than_metric = "n_{data}"
[[claim.test]]
kind = "parameters"
left = { table = "t_{data}", dataset = "{data}", method = "{data}_a", count = "all_{data}" }
right = 5
fraction = 1
tolerance = 0.1
[[claim.test]]
kind = "none"
because = "no {data}"
)toml",
                                  "claims.toml");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[1].family, "of bursts");
  const auto& test = claims[1].tests.at(0);
  EXPECT_EQ(std::tie(test.table, test.than_table, test.metric, test.than_metric),
            std::make_tuple("t_bursts", "u_bursts", "m_bursts", "n_bursts"));
  EXPECT_TRUE(std::regex_match("bursts07", test.dataset));
  EXPECT_EQ(std::regex_replace("bursts_aa", test.methods, test.than), "bursts_aa");
  const auto& count = claims[1].tests.at(1).left;
  EXPECT_EQ(std::tie(count.table, count.dataset, count.method, count.count),
            std::make_tuple("t_bursts", "bursts", "bursts_a", "all_bursts"));
  EXPECT_EQ(claims[1].tests.at(2).because, "no bursts");
}

TEST(ClaimsOfRows, RowsAreFamiliesOfTheirOwnUnlessOneIsNamed) {
  const auto families = [](const std::string& family) {
    const auto claims =
        read_claims(head + family + "for_each = { k = [\"m\", \"n\"] }\n" + better_test + "than = \"x\"\nmetric = \"{k}\"\n", "f");
    return std::vector{claims.at(0).family, claims.at(1).family};
  };
  EXPECT_NE(families("").at(0), families("").at(1));
  EXPECT_THAT(families("family = \"both\"\n"), ElementsAre("both", "both"));
}

TEST(ClaimsOfRows, WhatCannotBeMeantIsRefusedWithItsClaimAndKey) {
  const std::string than = "than = \"x\"\n", metric = "metric = \"{k}\"\n", each = "for_each = { k = [\"m\", \"n\"] }\n";
  const std::string table = "[[claim.test]]\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {better_test + than + metric, "'metric' holds {k}", "known: none here"},
      {each + better_test + than + "metric = \"{kk}\"\n", "'metric' holds {kk}", "known: {k}"},
      {each + better_test + than + "metric = \"m\"\n", "'k' of for_each is never used", "{k}"},
      {each + table + better_test + than + metric + table + "for_each = { j = [\"1\"] }\n" + better_test + than + metric, "test 2", "'j'"},
      {each + table + each + better_test + than + metric, "(m), test 1: the name 'k'", "already"},
      {"for_each = { k = [] }\n" + better_test + than + metric, "for_each: the key 'k' is an empty list", "at least one"},
      {"for_each = { k = [\"m\", \"m\"] }\n" + better_test + than + metric, "for_each: the key 'k' lists 'm' twice", ""},
      {"for_each = { k = [\"m\", 1] }\n" + better_test + than + metric, "for_each: the key 'k'", "list of texts"},
      {"for_each = { k = [\"m\", \"\"] }\n" + better_test + than + metric, "for_each: the key 'k'", "empty text"},
      {"for_each = { \"a b\" = [\"m\"] }\n" + better_test + than + metric, "'a b' of for_each", "letters, digits"},
      {"for_each = {}\n" + better_test + than + metric, "'for_each' must be", "name ="},
      {"for_each = [\"m\"]\n" + better_test + than + metric, "'for_each' must be", "name ="},
      {better_test + "than = []\nmetric = \"m\"\n", "'than' is an empty list", "at least one"},
      {better_test + "than = [\"x\", \"x\"]\nmetric = \"m\"\n", "'than' lists 'x' twice", ""},
      {each + better_test + than + "metric = [\"m\", \"{k}\"]\n", "(m): the key 'metric' lists 'm' twice", ""},
      {better_test + than + "metric = [\"m\", 2]\n", "'metric' must be a text or a list of texts", ""},
      {better_test + "than = \"x\"\nmetric = \"m\"\ndataset = [\"d\"]\n", "'dataset' must be a text", ""},
      {each + better_test + than + metric + "optional = [\"o\"]\n", "'optional' lists 'o'", "known: m, n"},
      {better_test + than + "metric = \"m\"\noptional = [\"o\"]\n", "'optional' lists 'o'", "there is no for_each"}};
  for (const auto& [body, what, expected] : cases)
    EXPECT_THAT([text = head + body] { read(text); },
                ThrowsUsageError(HasSubstr("claims.toml: claim \"1\""), HasSubstr(what), HasSubstr(expected)))
        << body;
}

TEST(ClaimsOfRows, IdsDifferAlsoBetweenRowsAndClaims) {
  const auto claim = [](const std::string& id, const std::string& values) {
    return "[[claim]]\nid = \"" + id + "\"\nsays = \"s\"\nsource = \"d\"\n" +
           (values.empty() ? "metric = \"m\"\n" : "metric = \"{k}\"\nfor_each = { k = [" + values + "] }\n") + better_test +
           "than = \"x\"\n";
  };
  EXPECT_EQ(read(claim("1", "\"m\", \"n\"") + claim("2", "\"m\", \"n\"")).size(), 4U);
  for (const auto& [first, second] : {std::pair{claim("1", "\"m\""), claim("1", "\"n\"")}, std::pair{claim("1", "\"m\""), claim("1 m", "")},
                                      std::pair{claim("1 m", ""), claim("1", "\"m\"")}, std::pair{claim("1", "\"m\""), claim("1", "")}})
    EXPECT_THAT([text = first + second] { read(text); }, ThrowsUsageError(HasSubstr("two claims have the id \"1")));
}

TEST(ClaimsOfRows, WhatRowsShareMayNotNameOne) {
  std::string text = head + "for_each = { k = [\"m\"] }\n" + better_test + "than = \"x\"\nmetric = \"{k}\"\n";
  text.replace(text.find("\"s\""), 3, "\"of {k}\"");
  EXPECT_THAT([&] { read(text); }, ThrowsUsageError(HasSubstr("'says' holds {k}"), HasSubstr("share")));
}

TEST(ClaimsOfRows, DamagedListsAreReadOrRefused) {
  const TemporaryFolder folder;
  const auto reading = [](const auto& path) { read_claims(read_file(path), path.string()); };
  EXPECT_GE(read_damaged_copies(folder.path() / "claims.toml", written_once, reading), 75);
}

}  // namespace
}  // namespace reprise::records
