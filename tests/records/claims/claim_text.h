// Claims files of one claim with one row, and a results folder for their tests to fill.
#pragma once
#include <string>
#include <vector>

#include "records/claims/claims.h"
#include "tests/records/made.h"
#include "tests/support.h"

namespace reprise::records {

/// A claims file of one claim with one row: area under the curve in table 1. `keys`: the row's
/// others.
inline std::string one_claim(const std::string& keys) {
  return R"toml(
[[claim]]
id = "1"
statement = "mine is better"
source = "document, table 1"
[[claim.row]]
id = "faces"
metric = "auc"
table = "table1"
)toml" + keys;
}

inline const std::string mine_is_better =
    one_claim("kind = \"better\"\nmethods = \"mine.*\"\nthan = \"base\"\n");

/// The text with the first `from` replaced, which it must hold.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

/// A results folder that tests fill.
struct ResultsToJudge : testing::Test {
  TemporaryFolder folder_;
  Store store_{folder_.path()};

  void add(const std::vector<Record>& records) const {
    for (const auto& record : records) store_.write(record);
  }
  void add(const std::string& method, const std::vector<double>& values) const {
    add(make_seeds({.method = method}, values));
  }
  std::vector<Judgement> judged(const std::string& toml) const {
    return judge(toml, "claims.toml", store_);
  }
  Judgement only(const std::string& toml) const { return judged(toml).at(0); }
};

}  // namespace reprise::records
