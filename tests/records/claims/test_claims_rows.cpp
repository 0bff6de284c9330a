// The form of a claims file: claims with rows, for_each, lists, requirements by id; and what is
// refused.
#include <algorithm>
#include <set>

#include "records/claims/claims_file.h"
#include "tests/damage.h"
#include "tests/records/claims/claim_text.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string written_out = R"toml(
[[claim]]
id = "1"
statement = "recurrent layers have the lowest error"
source = "document, column 7"
[[claim.row]]
id = "clean"
kind = "better"
metric = "error_clean"
table = "pose"
methods = "fc_(rnn|gru)"
than = ["cnn", "post_$1"]
[[claim.row]]
id = "blur"
kind = "better"
metric = "error_blur"
table = "pose"
methods = "fc_(rnn|gru)"
than = ["cnn", "post_$1"]
[[claim.row]]
id = "fog"
kind = "better"
metric = "error_fog"
table = "pose"
methods = "fc_(rnn|gru)"
than = ["cnn", "post_$1"]

[[claim]]
id = "2"
statement = "in both kinds the first half is as good as the second"
source = "document, column 8"
[[claim.row]]
id = "halves clean"
kind = "similar"
margin = 0.5
metric = "error_clean"
than_metric = "half_clean"
table = "pose"
methods = "fc_gru"
than = "$&"
[[claim.row]]
id = "halves blur"
kind = "similar"
margin = 0.5
metric = "error_blur"
than_metric = "half_blur"
table = "pose"
methods = "fc_gru"
than = "$&"
)toml";

const std::string written_once = R"toml(
[lists]
halves = [
  { row = "clean", metric = "error_clean", other = "half_clean" },
  { row = "blur", metric = "error_blur", other = "half_blur" },
]

[[claim]]
id = "1"
statement = "recurrent layers have the lowest error"
source = "document, column 7"
[[claim.row]]
for_each = { kind = ["clean", "blur", "fog"] }
kind = "better"
metric = "error_{kind}"
table = "pose"
methods = "fc_(rnn|gru)"
than = ["cnn", "post_$1"]

[[claim]]
id = "2"
statement = "in both kinds the first half is as good as the second"
source = "document, column 8"
[[claim.row]]
id = "halves"
for_each = "halves"
kind = "similar"
margin = 0.5
metric = "{metric}"
than_metric = "{other}"
table = "pose"
methods = "fc_gru"
than = "$&"
)toml";

/// Five seeds of five methods in two kinds: clear gains when clean, mixed ones when blurred,
/// nothing in fog.
void fill(const Store& store) {
  const std::vector<double> noise{0.05, -0.1, 0.02, 0.08, -0.03, 0.11, -0.07};
  std::size_t next = 0;
  for (const auto& [method, clean, blur] :
       {std::tuple{"cnn", 5.0, 7.0}, std::tuple{"post_rnn", 4.8, 6.9},
        std::tuple{"post_gru", 4.9, 6.0}, std::tuple{"fc_rnn", 4.2, 6.8},
        std::tuple{"fc_gru", 4.1, 6.4}})
    for (std::int64_t seed = 0; seed < 5; ++seed) {
      Record record = make(
          {.method = method, .seed = seed, .table = "pose", .direction = Direction::LowerIsBetter});
      const Metric metric = record.metrics.at(0);
      record.metrics.clear();
      for (const auto& [name, value] : {std::pair{"error_clean", clean},
                                        {"error_blur", blur},
                                        {"half_clean", clean},
                                        {"half_blur", blur}}) {
        record.metrics.push_back(metric);
        record.metrics.back().name = name;
        record.metrics.back().value = value + noise[next++ % noise.size()];
      }
      store.write(record);
    }
}

void expect_same(const Comparison& a, const Comparison& b) {
  EXPECT_EQ(std::tie(a.method, a.than, a.dataset, a.metric, a.n),
            std::tie(b.method, b.than, b.dataset, b.metric, b.n));
  EXPECT_EQ(std::tie(a.effect, a.low, a.high), std::tie(b.effect, b.low, b.high)) << a.method;
  EXPECT_EQ(std::tie(a.p, a.p_against, a.p_against_holm),
            std::tie(b.p, b.p_against, b.p_against_holm))
      << a.method;
}

TEST(ClaimsOfRows, VerdictsAreThoseOfEverythingWrittenOutSlow) {
  const TemporaryFolder folder;
  const Store store(folder.path());
  fill(store);
  const auto before = judge(written_out, "claims.toml", store),
             after = judge(written_once, "claims.toml", store);
  std::vector<Verdict> verdicts;
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    const Judgement &a = before[i], &b = after[i];
    verdicts.push_back(b.verdict);
    EXPECT_EQ(std::tie(b.claim_id, b.row, b.id, b.statement, b.source),
              std::tie(a.claim_id, a.row, a.id, a.statement, a.source));
    EXPECT_EQ(std::tie(b.verdict, b.reason), std::tie(a.verdict, a.reason)) << a.id;
    EXPECT_EQ(std::tie(b.n, b.p, b.p_against, b.needed), std::tie(a.n, a.p, a.p_against, a.needed))
        << a.id;
    EXPECT_EQ(b.effects.size(), a.effects.size()) << a.id;
    ASSERT_EQ(b.comparisons.size(), a.comparisons.size()) << a.id;
    for (std::size_t k = 0; k < a.comparisons.size(); ++k)
      expect_same(b.comparisons[k], a.comparisons[k]);
  }
  EXPECT_THAT(verdicts, ElementsAre(Verdict::Reproduced, Verdict::Contradicted, Verdict::NotRun,
                                    Verdict::Reproduced, Verdict::Reproduced));
}

TEST(ClaimsOfRows, RowsOfAClaimShareWhatItSays) {
  const TemporaryFolder folder;
  const auto judgements = judge(written_once, "claims.toml", Store(folder.path()));
  const auto claims = claim_verdicts(judgements);
  ASSERT_EQ(claims.size(), 2U);
  ASSERT_EQ(claims[0].rows.size(), 3U);
  const Judgement& blur = claims[0].rows[1];
  EXPECT_EQ(std::tie(blur.claim_id, blur.row, blur.id), std::make_tuple("1", "blur", "1, blur"));
  EXPECT_EQ(blur.statement, "recurrent layers have the lowest error");
  EXPECT_EQ(row_statement(blur), "recurrent layers have the lowest error (blur)");
  ASSERT_EQ(claims[1].rows.size(), 2U);
  EXPECT_EQ(claims[1].rows[0].id, "2, halves clean");
}

/// The tests of a file's rows, as "row: metric than".
std::vector<std::string> tests_in(const std::string& toml) {
  std::vector<std::string> tests;
  for (const auto& row : read_claims(toml, "claims.toml"))
    for (const auto& test : row.tests)
      tests.push_back(row.row + ": " + test.metric + " " + test.than);
  return tests;
}

const std::string claim_head = "[[claim]]\nid = \"1\"\nstatement = \"s\"\nsource = \"d\"\n",
                  row_head = "[[claim.row]]\n";
const std::string better_row = "kind = \"better\"\ntable = \"t\"\nmethods = \"a{1,2}\"\n";
const std::string than_x = "than = \"x\"\n";

/// Only row, "all", with these keys in addition.
std::string named_row(const std::string& keys) {
  return claim_head + row_head + "id = \"all\"\n" + better_row + keys;
}

TEST(ClaimsOfRows, ListsGiveEveryCombinationWithTheFirstOtherMethodFirst) {
  EXPECT_THAT(tests_in(named_row("than = [\"x\", \"$&\"]\nmetric = [\"m\", \"n\"]\n")),
              ElementsAre("all: m x", "all: n x", "all: m $&", "all: n $&"));
  EXPECT_THAT(
      tests_in(replaced(named_row(than_x + "metric = [\"c\", \"d\"]\n"), "better", "sooner")),
      ElementsAre("all: c x", "all: d x"));
}

TEST(ClaimsOfRows, SeveralNamesGiveEveryCombinationInTheOrderOfTheFile) {
  const std::string body = "for_each = { what = [\"m\", \"n\"], how = [\"1\", \"2\"] }\n" +
                           better_row + than_x + "metric = \"{what}_{how}\"\n";
  EXPECT_THAT(tests_in(claim_head + row_head + body),
              ElementsAre("m 1: m_1 x", "m 2: m_2 x", "n 1: n_1 x", "n 2: n_2 x"));
  EXPECT_THAT(tests_in(claim_head + row_head + "id = \"faces,\"\n" + body).front(),
              "faces, m 1: m_1 x")
      << "the row's id first";
}

TEST(ClaimsOfRows, ARequirementKnowsTheValuesOfTheRowThatNeedsIt) {
  const std::string requirement =
      "[[requirement]]\nid = \"works\"\nstatement = \"{what} works {how}\"\nfor_each = { how = [\"1\", \"{what}\"] }\nmethods = \"b\"\n"
      "metric = \"{what}_{how}\"\nat_least = 0\n";
  const std::string row = row_head + "for_each = { what = [\"m\", \"n\"] }\nneeds = [\"works\"]\n" +
                          better_row + than_x + "metric = \"{what}\"\n";
  std::vector<std::string> required;
  for (const auto& read : read_claims(requirement + claim_head + row, "claims.toml"))
    for (const auto& test : read.requirements)
      required.push_back(read.row + ": " + test.metric + ", " + test.statement);
  EXPECT_THAT(required, ElementsAre("m: m_1, m works 1", "m: m_m, m works m", "n: n_1, n works 1",
                                    "n: n_n, n works n"));
  EXPECT_THAT(
      [&] { read_claims(replaced(requirement, "how = [", "what = [") + claim_head + row, "f"); },
      ThrowsUsageError(HasSubstr(
          "claim \"1\", row 1 (m), requirement \"works\": the name 'what' of for_each is one of the row's for_each")));
}

// Values that belong together are listed once; several rows and what they need are repeated over
// the list.
TEST(ClaimsOfRows, AListGivesEachRowItsValuesAndItsName) {
  const std::string lists = R"toml(
[lists]
sets = [{ row = "hands, depth", table = "g", part = "depth" }, { row = "walks", table = "a", part = "flow" }]
[[requirement]]
id = "room"
statement = "room"
table = "{table}"
methods = "cnn"
metric = "room_{part}"
at_least = 0.1
)toml";
  const std::string body = row_head + "needs = [\"room\"]\nfor_each = \"sets\"\n" +
                           replaced(better_row, "\"t\"", "\"{table}\"") + than_x;
  const auto rows =
      read_claims(lists + claim_head + body + "metric = \"m_{part}\"\n", "claims.toml");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "1, hands, depth");
  EXPECT_EQ(std::tie(rows[1].tests.at(0).table, rows[1].tests.at(0).metric),
            std::make_tuple("a", "m_flow"));
  EXPECT_EQ(std::tie(rows[1].requirements.at(0).table, rows[1].requirements.at(0).metric),
            std::make_tuple("a", "room_flow"));
  const std::string other =
      row_head + "for_each = \"other\"\n" + better_row + than_x + "metric = \"m\"\n";
  EXPECT_THAT([&] { read_claims("[lists]\nsets = [{ row = \"r\" }]\n" + claim_head + other, "f"); },
              ThrowsUsageError(AllOf(HasSubstr("no such list"), HasSubstr("known: sets"))));
  EXPECT_THAT(
      [&] { read_claims("[lists]\nother = [{ table = \"g\" }]\n" + claim_head + other, "f"); },
      ThrowsUsageError(AllOf(HasSubstr("entry 1 of lists.other"), HasSubstr("'row' is missing"))));
  EXPECT_THAT(
      [&] {
        read_claims("[lists]\nsets = [\"g\"]\n" + named_row(than_x + "metric = \"m\"\n"), "f");
      },
      ThrowsUsageError(HasSubstr("lists.sets must be a list of tables")));
  EXPECT_THAT([&] { read_claims("lists = 3\n" + named_row(than_x + "metric = \"m\"\n"), "f"); },
              ThrowsUsageError(HasSubstr("'lists' must be written as [lists]")));
}

TEST(ClaimsOfRows, AListGoesWithOtherNames) {
  const std::string lists =
      "[lists]\nsets = [{ row = \"depth\", part = \"d\" }, { row = \"flow\", part = \"f\" }]\n";
  EXPECT_THAT(
      tests_in(lists + claim_head + row_head +
               "for_each = { rows = \"sets\", cell = [\"a\", \"b\"] }\n" + better_row + than_x +
               "metric = \"m_{part}_{cell}\"\n"),
      ElementsAre("depth a: m_d_a x", "depth b: m_d_b x", "flow a: m_f_a x", "flow b: m_f_b x"));
}

TEST(ClaimsOfRows, AListThatHasANameOfItsForEachIsRefused) {
  const std::string lists =
      "[lists]\nsets = [{ row = \"depth\", part = \"d\" }, { row = \"flow\", part = \"f\" }]\n";
  for (const std::string each :
       {"{ rows = \"sets\", part = [\"a\"] }", "{ part = [\"a\"], rows = \"sets\" }"})
    EXPECT_THAT([text = lists + claim_head + row_head + "for_each = " + each + "\n" + better_row +
                        than_x + "metric = \"m_{part}\"\n"] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr("'part'")))
        << "{part} has two values: " << each;
}

TEST(ClaimsOfRows, ValuesStandInEveryTextOfARowAndBracesThatCountAreLeftAlone) {
  const auto rows = read_claims(claim_head + R"toml([[claim.row]]
id = "of {data}:"
for_each = { data = ["faces", "bursts"] }
kind = "better"
table = "t_{data}"
than_table = "u_{data}"
dataset = "{data}[0-9]{2}"
methods = "{data}_(a{1,2})"
than = "{data}_$1"
metric = "m_{data}"
than_metric = "n_{data}"
)toml",
                                "claims.toml");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1].row, "of bursts: bursts");
  const auto& test = rows[1].tests.at(0);
  EXPECT_EQ(std::tie(test.table, test.than_table, test.metric, test.than_metric),
            std::make_tuple("t_bursts", "u_bursts", "m_bursts", "n_bursts"));
  EXPECT_TRUE(std::regex_match("bursts07", test.dataset));
  EXPECT_EQ(std::regex_replace("bursts_aa", test.methods, test.than), "bursts_aa");
}

TEST(ClaimsOfRows, WhatCannotBeMeantIsRefusedWithItsClaimRowAndKey) {
  const std::string metric = "metric = \"{k}\"\n", each = "for_each = { k = [\"m\", \"n\"] }\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {"id = \"r\"\n" + better_row + than_x + metric, "'metric' holds {k}", "known: none here"},
      {each + better_row + than_x + "metric = \"{kk}\"\n", "'metric' holds {kk}", "known: {k}"},
      {each + better_row + than_x + "metric = \"m\"\n", "'k' of for_each is never used", "{k}"},
      {"for_each = { k = [] }\n" + better_row + than_x + metric,
       "for_each: the key 'k' is an empty list", "at least one"},
      {"for_each = { k = [\"m\", \"m\"] }\n" + better_row + than_x + metric,
       "for_each: the key 'k' lists 'm' twice", ""},
      {"for_each = { k = [\"m\", 1] }\n" + better_row + than_x + metric, "for_each: the key 'k'",
       "list of texts"},
      {"for_each = { k = [\"m\", \"\"] }\n" + better_row + than_x + metric, "for_each: the key 'k'",
       "empty text"},
      {"for_each = { \"a b\" = [\"m\"] }\n" + better_row + than_x + metric, "'a b' of for_each",
       "letters, digits"},
      {"for_each = {}\n" + better_row + than_x + metric, "'for_each' must be", "name ="},
      {"for_each = [\"m\"]\n" + better_row + than_x + metric, "'for_each' must be", "name ="},
      {"id = \"r\"\n" + better_row + "than = []\nmetric = \"m\"\n", "'than' is an empty list",
       "at least one"},
      {"id = \"r\"\n" + better_row + "than = [\"x\", \"x\"]\nmetric = \"m\"\n",
       "'than' lists 'x' twice", ""},
      {each + better_row + than_x + "metric = [\"m\", \"{k}\"]\n",
       "(m): the key 'metric' lists 'm' twice", ""},
      {"id = \"r\"\n" + better_row + than_x + "metric = [\"m\", 2]\n",
       "'metric' must be a text or a list of texts", ""},
      {"id = \"r\"\n" + better_row + than_x + "metric = \"m\"\ndataset = [\"d\"]\n",
       "'dataset' must be a text", ""},
      {better_row + than_x + "metric = \"m\"\n",
       "the key 'id' is missing, and no for_each names the row", ""},
      {"id = \"\"\n" + better_row + than_x + "metric = \"m\"\n",
       "the key 'id' is missing, and no for_each names the row", ""}};
  for (const auto& [body, what, expected] : cases)
    EXPECT_THAT([text = claim_head + row_head + body] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr("claims.toml: claim \"1\", row 1"), HasSubstr(what),
                                 HasSubstr(expected)))
        << body;
}

TEST(ClaimsOfRows, KeysOfAClaimThatAreNotKnownAreRefused) {
  const std::string rows = row_head + "id = \"r\"\n" + better_row + than_x + "metric = \"m\"\n";
  for (const std::string key :
       {"for_each = { k = [\"m\"] }\n", "level = 0.05\n", "further = true\n", "post_hoc = true\n"})
    EXPECT_THAT([text = claim_head + key + rows] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr("claims.toml: claim \"1\": the key"),
                                 HasSubstr("is not known here; known: at_least, at_most, because")))
        << key;
  EXPECT_THAT([&] { read_claims("[rows]\na = 1\n" + claim_head + rows, "claims.toml"); },
              ThrowsUsageError(HasSubstr("'rows' is not known")));
}

// What all rows of a claim share stands once, in the claim.
TEST(ClaimsOfRows, ARowTakesFromItsClaimWhatItDoesNotSayItself) {
  const auto rows = read_claims(claim_head + R"toml(kind = "similar"
methods = "a"
than = "x"
metric = ["m", "n"]
table = "t"
than_table = "u"
than_metric = "of x"
dataset = "d"
margin = 0.5
row = [
  { id = "as the claim" },
  { id = "own", kind = "better", methods = "b", than = ["y", "z"], metric = "o", table = "v", dataset = "e", margin = 0.25, at_least = 1 },
]
)toml",
                                "claims.toml");
  ASSERT_EQ(rows.size(), 2U);
  ASSERT_EQ(rows[0].tests.size(), 2U);
  const auto &shared = rows[0].tests[1], &own = rows[1].tests.at(1);
  EXPECT_EQ(shared.kind, ClaimKind::Similar);
  EXPECT_EQ(
      std::tie(shared.than, shared.metric, shared.table, shared.than_table, shared.than_metric),
      std::make_tuple("x", "n", "t", "u", "of x"));
  EXPECT_TRUE(std::regex_match("a", shared.methods) && std::regex_match("d", shared.dataset));
  EXPECT_EQ(shared.margin, 0.5);
  EXPECT_EQ(own.kind, ClaimKind::Better);
  EXPECT_EQ(std::tie(own.than, own.metric, own.table, own.than_table),
            std::make_tuple("z", "o", "v", "u"));
  EXPECT_TRUE(std::regex_match("b", own.methods) && std::regex_match("e", own.dataset));
  EXPECT_EQ(own.at_least, 1.0);
  EXPECT_FALSE(own.margin) << "where an amount must be exceeded, a margin has no part";
}

TEST(ClaimsOfRows, AForEachOfARowFillsWhatItsClaimGives) {
  const std::string shared = claim_head + better_row + than_x + "metric = \"{k}\"\n",
                    each = "for_each = { k = [\"m\", \"n\"] }\n";
  EXPECT_THAT(tests_in(shared + row_head + each), ElementsAre("m: m x", "n: n x"));
  EXPECT_THAT([&] { read_claims(shared + row_head + "id = \"r\"\n", "f"); },
              ThrowsUsageError(HasSubstr("'metric' holds {k}")));
  EXPECT_THAT([&] { read_claims(shared + row_head + each + "metric = \"o\"\n", "f"); },
              ThrowsUsageError(HasSubstr("'k' of for_each is never used")))
      << "the row has a metric that does not use it";
}

TEST(ClaimsOfRows, RowsOfAClaimAndClaimsHaveDifferentIds) {
  const auto row = [](const std::string& keys) { return row_head + keys + better_row + than_x; };
  const std::string a = row("id = \"a\"\nmetric = \"m\"\n"),
                    each = row("for_each = { k = [\"a\", \"b\"] }\nmetric = \"{k}\"\n");
  const std::string second = replaced(claim_head, "\"1\"", "\"2\"");
  EXPECT_EQ(read_claims(claim_head + a + second + each, "f").size(), 3U)
      << "in two claims the same is allowed";
  for (const auto& rows : {a + a, a + each, each + a})
    EXPECT_THAT([text = claim_head + rows] { read_claims(text, "claims.toml"); },
                ThrowsUsageError(HasSubstr("claim \"1\", row 2"),
                                 HasSubstr("another row of the claim is called \"a\" too")));
  EXPECT_THAT([&] { read_claims(claim_head + a + claim_head + each, "f"); },
              ThrowsUsageError(HasSubstr("two claims have the id \"1\"")));
}

// Pages link to rows by this id.
TEST(ClaimsOfRows, TheIdOfARowIsUniqueInTheFile) {
  const auto row = [](const std::string& id) {
    return row_head + "id = \"" + id + "\"\nmetric = \"m\"\n" + better_row + than_x;
  };
  const std::string text =
      claim_head + row("a, b") + replaced(claim_head, "\"1\"", "\"1, a\"") + row("b");
  std::vector<std::string> ids;
  try {
    for (const auto& read : read_claims(text, "claims.toml")) ids.push_back(read.id);
  } catch (const UsageError&) {
  }
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size())
      << "two rows are called \"1, a, b\"";
}

TEST(ClaimsOfRows, WhatRowsShareMayNotNameOne) {
  const std::string text = claim_head + row_head + "for_each = { k = [\"m\"] }\n" + better_row +
                           than_x + "metric = \"{k}\"\n";
  EXPECT_THAT([&] { read_claims(replaced(text, "\"s\"", "\"of {k}\""), "f"); },
              ThrowsUsageError(HasSubstr(
                  "claim \"1\": the key 'statement' holds {k}, which no for_each gives values")));
}

TEST(ClaimsOfRows, AClaimHasRowsOrSaysWhyItIsNotTested) {
  const std::string row = row_head + "id = \"r\"\n" + better_row + than_x + "metric = \"m\"\n",
                    because = "because = \"needs 3D CNNs\"\n";
  EXPECT_EQ(read_claims(claim_head + because, "f").at(0).because, "needs 3D CNNs");
  EXPECT_THAT([&] { read_claims(claim_head, "f"); },
              ThrowsUsageError(HasSubstr("neither a [[claim.row]] nor 'because'")));
  EXPECT_THAT([&] { read_claims(claim_head + because + row, "f"); },
              ThrowsUsageError(HasSubstr("both rows and 'because'")));
  EXPECT_THAT([&] { read_claims(claim_head + because + "needs = [\"it\"]\n", "f"); },
              ThrowsUsageError(HasSubstr("'needs', but no row")));
  EXPECT_THAT([&] { read_claims(claim_head + "row = []\n", "f"); },
              ThrowsUsageError(HasSubstr("[[claim.row]]")));
}

TEST(ClaimsOfRows, AClaimMayBeOursAndARowMayBeAFurtherOne) {
  const std::string row = better_row + than_x + "metric = \"m\"\n";
  const auto rows = read_claims(claim_head + "own = true\n" + row_head + "id = \"a\"\n" + row +
                                    row_head + "id = \"b\"\nfurther = true\n" + row,
                                "f");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].own && rows[1].own);
  EXPECT_FALSE(rows[0].further);
  EXPECT_TRUE(rows[1].further);
  EXPECT_FALSE(read_claims(claim_head + row_head + "id = \"a\"\n" + row, "f").at(0).own);
}

TEST(ClaimsOfRows, DamagedListsAreReadOrRefusedSlow) {
  const TemporaryFolder folder;
  const auto reading = [](const auto& path) { read_claims(read_file(path), path.string()); };
  EXPECT_GE(read_damaged_copies(folder.path() / "claims.toml", written_once, reading), 75);
}

}  // namespace
}  // namespace reprise::records
