// What tests of the check share.
#pragma once
#include "core/error.h"
#include "records/regression/check.h"
#include "tests/records/made.h"

namespace reprise::records {

inline const QuantityCheck& find(const CheckResult& result, const std::string& method) {
  for (const auto& judged : result.judged)
    if (judged.quantity.method == method) return judged;
  throw Error("no " + method + " was judged", "look at the test");
}

inline std::vector<Record> both(std::vector<Record> a, const std::vector<Record>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline const std::vector<double> usual{0.60, 0.61, 0.62};  ///< of three seeds

}  // namespace reprise::records
