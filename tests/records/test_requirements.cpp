// What claims require of chosen values, and which of several values a requirement tells.
#include "records/claims.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string claim_of_two = R"toml(
[[claim]]
id = "1"
says = "mine is better"
source = "document, table 1"
kind = "better"
methods = "mine"
than = "base"
metric = "auc"
table = "table1"
[[claim.requires]]
says = "it is so"
table = "table1"
)toml";

class Requirements : public testing::Test {
 protected:
  void add(const std::string& method, const std::vector<double>& values, const std::vector<double>& rates = {}) {
    auto seeds = make_seeds({.method = method}, values);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      seeds[i].options["search.rates"] = {1e-3, 1e-2, 1e-1};
      if (!rates.empty()) seeds[i].metrics.push_back({.name = "rate", .value = rates[i]});
      store_.write(seeds[i]);
    }
  }
  Judgement judged(const std::string& keys) const { return judge(claim_of_two + keys, "claims.toml", store_).at(0); }

 private:
  TemporaryFolder folder_;
  Store store_{folder_.path()};
};

TEST_F(Requirements, AChosenValueOnTheEdgeOfItsGridMakesAClaimNotTestable) {
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-2, 1e-2});
  add("mine", {0.6, 0.61, 0.62}, {1e-2, 1e-2, 1e-2});
  const std::string inside = "methods = \"mine|base\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  EXPECT_EQ(judged(inside).verdict, Verdict::Reproduced);
  add("base", {0.5, 0.5, 0.51}, {1e-2, 1e-1, 1e-2});
  const auto judgement = judged(inside);
  EXPECT_EQ(judgement.verdict, Verdict::NotTestable) << "in one seed is enough";
  EXPECT_THAT(judgement.reason, AllOf(HasSubstr("rate has 0.1 of base"), HasSubstr("inside search.rates"), HasSubstr("1 of 2 have")));
  EXPECT_THAT(judged("methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.other\"\n").reason, HasSubstr("no finished cell"));
}

TEST_F(Requirements, InsideStandsAlone) {
  const std::string inside = "methods = \"mine\"\nmetric = \"rate\"\ninside = \"search.rates\"\n";
  for (const auto* more : {"at_least = 0.1\n", "at_most = 0.1\n", "than = \"base\"\n"})
    EXPECT_THAT([&] { judged(inside + more); }, ThrowsUsageError(HasSubstr("'inside'")));
}

TEST_F(Requirements, ItTellsTheOneThatDecides) {
  add("base", {0.5, 0.5, 0.5});
  add("mine", {0.6, 0.6, 0.6});
  add("third", {0.55, 0.55, 0.55});
  const std::string gains = "methods = \"mine|third\"\nmetric = \"auc\"\nthan = \"base\"\nat_least = 0.2\n";
  EXPECT_THAT(judged(gains + "any = true\n").reason, HasSubstr("a gain of 0.1 of mine over base")) << "the nearest";
  EXPECT_THAT(judged(gains).reason, HasSubstr("a gain of 0.05 of third over base")) << "the farthest";
}

}  // namespace
}  // namespace reprise::records
