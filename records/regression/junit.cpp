// The result of a check as JUnit XML.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/text.h"
#include "records/regression/check.h"

namespace reprise::records {
namespace {

std::string escape_xml(std::string_view text) {
  std::string xml;
  for (const char c : text) {
    if (const auto entity = markup_entity(c); !entity.empty())
      xml += entity;
    else  // XML 1.0 has no way to write the other control characters.
      xml += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return xml;
}

struct Case {
  std::string class_name, name, message;
  Outcome outcome = Outcome::Same;
};

std::string case_xml(const Case& one) {
  const std::string head = fmt::format("    <testcase classname=\"{}\" name=\"{}\"",
                                       escape_xml(one.class_name), escape_xml(one.name));
  if (fails(one.outcome))
    return fmt::format("{}>\n      <failure type=\"{}\" message=\"{}\"/>\n    </testcase>\n", head,
                       outcome_text(one.outcome), escape_xml(one.message));
  return fmt::format("{}>\n      <system-out>{}</system-out>\n    </testcase>\n", head,
                     escape_xml(one.message));
}

std::size_t failures(const std::vector<Case>& cases) {
  return static_cast<std::size_t>(std::count_if(
      cases.begin(), cases.end(), [](const Case& one) { return fails(one.outcome); }));
}

/// Lists test cases by table: its quantities, then its scores.
std::map<std::string, std::vector<Case>> list_cases(const CheckResult& result) {
  std::map<std::string, std::vector<Case>> tables;
  for (const auto& judged : result.judged) {
    const auto& [table, dataset, method, metric] = judged.quantity;
    tables[table].push_back(
        {table + "." + dataset + "." + method, metric, judged.message, judged.outcome});
  }
  for (const auto& score : result.scores) {
    // A score of a whole table has no method (ScoreCheck).
    const bool whole = score.method.empty();
    tables[score.table].push_back(
        {whole ? score.table : score.table + "." + score.dataset + "." + score.method,
         whole ? "all cells" : "all metrics", score.message, score.outcome});
  }
  return tables;
}

}  // namespace

std::string junit_xml(const CheckResult& result) {
  const auto tables = list_cases(result);
  std::size_t tests = 0, failed = 0;
  std::string suites;
  if (const auto broken = result.unreadable.size(); broken > 0) {
    tests += broken;
    failed += broken;
    suites += fmt::format("  <testsuite name=\"records\" tests=\"{}\" failures=\"{}\">\n", broken,
                          broken);
    for (const auto& problem : result.unreadable)
      suites += fmt::format(
          "    <testcase classname=\"records\" name=\"{}\">\n      <failure type=\"unreadable\" message=\"{}\"/>\n    </testcase>\n",
          escape_xml(problem.substr(0, problem.find(": "))), escape_xml(problem));
    suites += "  </testsuite>\n";
  }
  for (const auto& [table, cases] : tables) {
    tests += cases.size();
    failed += failures(cases);
    suites += fmt::format("  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
                          escape_xml(table), cases.size(), failures(cases));
    for (const auto& one : cases) suites += case_xml(one);
    suites += "  </testsuite>\n";
  }
  const Counts counts = count_outcomes(result);
  // An empty suite carries the counts: JUnit has no properties of all suites together.
  const std::pair<const char*, int> properties[] = {
      {"guarded", counts.guarded},
      {"unknown to the reference", counts.unknown},
      {"values", counts.values},
      {"values of this platform's reference", counts.own_values}};
  suites += "  <testsuite name=\"check\" tests=\"0\" failures=\"0\">\n    <properties>\n";
  for (const auto& [name, value] : properties)
    suites += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", escape_xml(name), value);
  suites +=
      fmt::format("    </properties>\n    <system-out>judged {}</system-out>\n  </testsuite>\n",
                  escape_xml(basis_text(result)));
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}</testsuites>\n",
      escape_xml(result.study + " (" + result.profile + ")"), tests, failed, suites);
}

}  // namespace reprise::records
