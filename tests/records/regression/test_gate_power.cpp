// What the project's own gates find, in percent, and how often they err: measured on the stored references, and shown in docs/check.md.
//
// Known arithmetic: the reference's own values, made worse by hand. Unknown: each of its rounded runs in turn plays another machine's,
// judged by a reference that lacks it.
#include <fmt/format.h>

#include <set>

#include "records/regression/check.h"
#include "statistics/statistics.h"
#include "tests/support.h"

namespace reprise::records {
namespace {

struct Headline {
  const char *study, *table, *metric;
};

class GatePower : public testing::TestWithParam<Headline> {
 protected:
  const Headline headline = GetParam();
  const Reference reference = read_reference(fixture("../accuracy/" + std::string(headline.study) + "_gate.json"));

  std::size_t patterns() const { return reference.entries.begin()->second.rounded.size(); }

  bool is_headline(const Quantity& quantity) const { return quantity.table == headline.table && quantity.metric == headline.metric; }

  /// The reference without a pattern of rounding.
  Reference without(std::size_t pattern) const {
    Reference rest = reference;
    for (auto& [quantity, entry] : rest.entries)
      if (pattern < entry.rounded.size()) entry.rounded.erase(entry.rounded.begin() + static_cast<std::ptrdiff_t>(pattern));
    return rest;
  }

  /// What a run gave, its headline worse by a fraction `fall`: of one method, or of all where `method` is "". Pattern patterns(): the
  /// reference's own run.
  Samples damaged(std::size_t pattern, const std::string& method, double fall) const {
    Samples samples;
    for (const auto& [quantity, entry] : reference.entries) {
      Sample sample = entry.sample;
      if (pattern < entry.rounded.size()) sample.values = entry.rounded[pattern];
      if (sample.values.empty()) continue;
      if (is_headline(quantity) && (method.empty() || quantity.method == method))
        for (auto& value : sample.values) value *= sample.direction == Direction::LowerIsBetter ? 1 + fall : 1 - fall;
      sample.mean = mean(sample.values);
      samples[quantity] = sample;
    }
    return samples;
  }

  std::set<std::string> methods() const {
    std::set<std::string> names;
    for (const auto& [quantity, entry] : reference.entries)
      if (is_headline(quantity)) names.insert(quantity.method);
    return names;
  }

  /// Of all rounded runs (and methods, where it is one that falls) the fraction in which the check fails.
  double found_elsewhere(double fall, bool one) const {
    int found = 0, tries = 0;
    for (std::size_t pattern = 0; pattern < patterns(); ++pattern) {
      const auto rest = without(pattern);
      for (const auto& method : one ? methods() : std::set<std::string>{""}) {
        ++tries;
        found += !judge(rest, damaged(pattern, method, fall)).passed();
      }
    }
    return static_cast<double>(found) / tries;
  }

  /// By the same arithmetic nothing is left to chance.
  bool found_here(double fall, const std::string& method) const {
    return !judge(reference, damaged(patterns(), method, fall), reference.arithmetics.front()).passed();
  }
};

/// The smallest of the given falls that is found 9 times of 10; the last one where none is.
double smallest(const std::vector<double>& falls, const std::function<double(double)>& fraction) {
  for (const double fall : falls)
    if (fraction(fall) >= 0.9) return fall;
  return falls.back();
}

TEST_P(GatePower, IsWhatTheDocumentSaysSlow) {
  const std::vector<double> falls{0.001, 0.002, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.10, 0.15, 0.20, 1.0};
  const double alarms = found_elsewhere(0, /*one=*/false);
  const double one_here = smallest(falls, [&](double fall) {
    double found = 0;
    for (const auto& method : methods()) found += found_here(fall, method);
    return found / static_cast<double>(methods().size());
  });
  const double all_here = smallest(falls, [&](double fall) { return found_here(fall, "") ? 1.0 : 0.0; });
  const double one = smallest(falls, [&](double fall) { return found_elsewhere(fall, /*one=*/true); });
  const double all = smallest(falls, [&](double fall) { return found_elsewhere(fall, /*one=*/false); });
  const auto row = fmt::format("| {} | {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % | {:.0f} of {} |", headline.study,
                               headline.table, headline.metric, methods().size(), 100 * one_here, 100 * all_here, 100 * one, 100 * all,
                               alarms * static_cast<double>(patterns()), patterns());
  EXPECT_NE(read_file(fixture("../../docs/check.md")).find(row), std::string::npos)
      << "docs/check.md does not show what is measured: " << row;
  EXPECT_GE(patterns(), 3U);
  EXPECT_LE(one_here, 0.002) << row;
  EXPECT_LE(all_here, 0.001) << row;
  EXPECT_LE(one, 0.05) << row;
  EXPECT_LE(all, 0.03) << row;
  EXPECT_TRUE(judge(reference, damaged(patterns(), "", 0), reference.arithmetics.front()).passed());
}

INSTANTIATE_TEST_SUITE_P(Studies, GatePower,
                         testing::Values(Headline{"prernn", "table1", "auc"}, Headline{"prernn", "gestures_fc", "accuracy"},
                                         Headline{"dynamic_face", "pose", "error_gaps"}, Headline{"langevin", "inversion", "psnr_on_2"},
                                         Headline{"langevin", "churn", "energy_end"}, Headline{"mocogan", "generated", "acd"},
                                         Headline{"unit", "digits", "accuracy_source"}, Headline{"unit", "map", "cycle"}));

}  // namespace
}  // namespace reprise::records
