#include <cmath>
#include <limits>

#include "core/exact_json.h"
#include "core/json.h"
#include "tests/support.h"

namespace reprise {
namespace {

using nlohmann::json;
using testing::HasSubstr;

auto parsing(const std::string& text) {
  return [text] { parse_json(text, "some.json", "fetch it again"); };
}

TEST(Json, IsTheValueThatTheTextSays) {
  const json value = {{"null", nullptr},   {"yes", true},
                      {"whole", -7},       {"large", std::uint64_t{1} << 63},
                      {"half", 0.5},       {"text", "\u00e9\n\""},
                      {"none", {{}}},      {"list", {1, {2, {{"three", 3}}}, json::array()}},
                      {"", json::object()}};
  EXPECT_EQ(parse_json(json_text(value), "", ""), value);
  EXPECT_EQ(parse_json(json_text(value, 1) + "\n", "", ""), value);
  for (const char* scalar : {"1", "\"a\"", "null", " [] "})
    EXPECT_EQ(parse_json(scalar, "", ""), json::parse(scalar));
}

TEST(Json, OfManyLevelsIsRefusedBeforeItIsBuilt) {
  for (const std::string begin : {"[", "{\"a\":"}) {
    std::string deep, closed;
    for (int level = 0; level < 100000; ++level) deep += begin;
    EXPECT_THAT(parsing(deep),
                ThrowsUsageError(HasSubstr("some.json"),
                                 HasSubstr("more than 100 nested lists and objects")));
    for (int level = 0; level < 100000; ++level) closed += begin == "[" ? "]" : "}";
    EXPECT_THAT(parsing(deep + "1" + closed),
                ThrowsUsageError(HasSubstr("more than 100 nested lists and objects")));
  }
  EXPECT_EQ(parse_json(std::string(100, '[') + std::string(100, ']'), "", "").size(), 1U);
}

TEST(Json, AKeyThatStandsTwiceIsRefused) {
  EXPECT_THAT(parsing(R"({"status": "failed", "other": {"status": 1}, "status": "done"})"),
              ThrowsUsageError(HasSubstr("some.json"), HasSubstr("\"status\" is given twice"),
                               HasSubstr("fix: fetch it again")));
  EXPECT_EQ(parse_json(R"([{"a": 1}, {"a": 1}])", "", "").size(), 2U);
}

TEST(Json, NothingFollowsTheValueNotEvenBehindANulByte) {
  EXPECT_THAT(parsing("{} {}"), ThrowsUsageError(HasSubstr("some.json: not complete JSON")));
  EXPECT_THAT(parsing(std::string("{}\0 what follows", 16)),
              ThrowsUsageError(HasSubstr("some.json"), HasSubstr("NUL")));
  EXPECT_THAT(parsing(""), ThrowsUsageError(HasSubstr("not complete JSON: character 1")));
}

TEST(Json, WhatIsNotUtf8IsRefusedToBeReadAndReplacedToBeShown) {
  EXPECT_THAT(parsing("[\"\xff\"]"), ThrowsUsageError(HasSubstr("some.json"), HasSubstr("UTF-8")));
  EXPECT_EQ(json_text("a\xff"), "\"a\uFFFD\"");
  EXPECT_EQ(utf8("a\xff/b"), "a\uFFFD/b");
  EXPECT_EQ(utf8("\u00e9\"\n\\"), "\u00e9\"\n\\");
}

TEST(Json, TheMessageSaysWhereTheTextBreaksAndHidesWhatStandsThere) {
  EXPECT_THAT(
      parsing("{\"a\": 1,\n \"b\": secret}"),
      ThrowsUsageError(HasSubstr("some.json: not complete JSON: line 2, character 7: syntax error"),
                       testing::Not(HasSubstr("secret"))));
  EXPECT_THAT(parsing("[1e999]"),
              ThrowsUsageError(HasSubstr("character 6: a number that is too large")));
}

TEST(ExactJson, KeepsEveryNumberAndWritesTheOthersAsUsual) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  const json state = {{"curve", {0.1, inf, -inf, -0.0}},
                      {"deep", {{"at", inf}}},
                      {"text", "inf"},
                      {"object", {{"number", "7"}}}};
  EXPECT_EQ(parse_exact_json(exact_json_text(state), "", ""), state);
  const auto none = json::array({std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(parse_exact_json(exact_json_text(none), "", "").at(0).get<double>()));
  const json finite = {{"a", {1, 0.5, "x"}}, {"b", nullptr}};
  EXPECT_EQ(exact_json_text(finite), json_text(finite));
  EXPECT_THAT([] { parse_exact_json("[1,", "a state", "start again"); },
              ThrowsUsageError(HasSubstr("a state")));
}

}  // namespace
}  // namespace reprise
