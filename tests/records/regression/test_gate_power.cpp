// What the project's own gates find, and how often they err: measured on the stored references, and
// shown in docs/check.md.
//
// Known platform: the reference's own values, made worse by hand. Elsewhere: of the two platforms
// whose values a reference holds each in turn is the run, judged by a reference that holds the
// other one alone.
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
  const Reference reference =
      read_reference(fixture("../accuracy/" + std::string(headline.study) + "_ci.json"));

  bool is_headline(const Quantity& quantity) const {
    return quantity.table == headline.table && quantity.metric == headline.metric;
  }

  /// The values of a platform of the reference.
  static const std::vector<double>& values_on(std::size_t platform, const ReferenceEntry& entry) {
    return platform == 0 ? entry.sample.values : entry.others.at(platform - 1);
  }

  /// The reference with the values of one platform alone.
  Reference knowing(std::size_t platform) const {
    Reference one = reference;
    one.arithmetics = {reference.arithmetics.at(platform)};
    for (auto& [quantity, entry] : one.entries) {
      entry.sample.values = values_on(platform, entry);
      entry.sample.mean = statistics::mean(entry.sample.values);
      entry.others.clear();
    }
    return one;
  }

  /// What a platform gave, its headline worse by a fraction `fall`: of one method, or of all where
  /// `method` is "".
  Samples damaged(std::size_t platform, const std::string& method, double fall) const {
    Samples samples;
    for (const auto& [quantity, entry] : reference.entries) {
      Sample sample = entry.sample;
      sample.values = values_on(platform, entry);
      if (is_headline(quantity) && (method.empty() || quantity.method == method))
        for (auto& value : sample.values)
          value *= sample.direction == Direction::LowerIsBetter ? 1 + fall : 1 - fall;
      sample.mean = statistics::mean(sample.values);
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

  /// Of both platforms and all methods the fraction in which the check of the other platform's run
  /// fails.
  double found_elsewhere(double fall) const {
    int found = 0, tries = 0;
    for (const std::size_t known : {0, 1})
      for (const auto& method : methods()) {
        ++tries;
        found += !judge(knowing(known), damaged(1 - known, method, fall)).passes();
      }
    return static_cast<double>(found) / tries;
  }

  /// By the same arithmetic nothing is left to chance.
  bool found_here(double fall, const std::string& method) const {
    return !judge(reference, damaged(0, method, fall), reference.arithmetics.front()).passes();
  }
};

TEST_P(GatePower, IsWhatTheDocumentSaysSlow) {
  double here = 0;
  for (const auto& method : methods()) here += found_here(0.002, method);
  here /= static_cast<double>(methods().size());
  const double two = found_elsewhere(0.02), five = found_elsewhere(0.05),
               ten = found_elsewhere(0.1);
  const auto row = fmt::format("| {} | {} | {} | {} | {:.0f} % | {:.0f} % | {:.0f} % | {:.0f} % |",
                               headline.study, headline.table, headline.metric, methods().size(),
                               100 * here, 100 * two, 100 * five, 100 * ten);
  EXPECT_NE(read_file(fixture("../../docs/check.md")).find(row), std::string::npos)
      << "docs/check.md does not show what is measured: " << row;
  EXPECT_EQ(reference.arithmetics.size(), 2U);
  EXPECT_EQ(here, 1) << row;
  EXPECT_GE(five, 0.7) << row;
  EXPECT_EQ(found_elsewhere(0), 0) << "a false alarm";
  EXPECT_TRUE(judge(reference, damaged(0, "", 0), reference.arithmetics.front()).passes());
}

INSTANTIATE_TEST_SUITE_P(Studies, GatePower,
                         testing::Values(Headline{"prernn", "table1", "auc"},
                                         Headline{"prernn", "gestures_fc", "accuracy"},
                                         Headline{"dynamic_face", "pose", "error_gaps"},
                                         Headline{"langevin", "inversion", "psnr_on_2"},
                                         Headline{"langevin", "churn", "energy_end"},
                                         Headline{"mocogan", "generated", "acd"},
                                         Headline{"unit", "digits", "accuracy_source"},
                                         Headline{"unit", "map", "cycle"}));

}  // namespace
}  // namespace reprise::records
