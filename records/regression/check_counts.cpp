// The result of a check in words and counts, the same for every output.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/text.h"
#include "records/regression/check.h"

namespace reprise::records {
namespace {

/// Size of a change for sorting; infinite for a failure without a number, which comes first.
double change_size(const QuantityCheck& judged) {
  const bool no_number = judged.outcome == Outcome::Missing || judged.outcome == Outcome::Failed ||
                         judged.outcome == Outcome::ProtocolChanged;
  return no_number ? std::numeric_limits<double>::infinity() : std::abs(judged.percent);
}

/// "1 quantity", "12 quantities"
std::string count_text(int count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

/// Lists what bands decided: "by the changes of the same seeds (12 quantities)"; nothing if all was
/// compared value by value.
std::vector<std::string> band_texts(const Counts& counts) {
  std::vector<std::string> texts;
  if (counts.by_constants > 0)
    texts.push_back(fmt::format("as constants of the set-up ({})",
                                count_text(counts.by_constants, "quantity", "quantities")));
  if (counts.by_seeds > 0)
    texts.push_back(fmt::format("by the changes of the same seeds ({})",
                                count_text(counts.by_seeds, "quantity", "quantities")));
  return texts;
}

/// "A (59 cells), B (1 cell: table1/faces/cnn/seed3)"
std::string platforms_text(const CheckResult& result) {
  std::vector<std::string> texts;
  for (const auto& [platform, cells] : result.platforms) {
    // Few cells of another platform are named; they are the ones to run again.
    constexpr std::size_t few = 3;
    texts.push_back(fmt::format("{} ({}{})", platform.empty() ? "none recorded" : platform,
                                count_text(static_cast<int>(cells.size()), "cell", "cells"),
                                cells.size() <= few ? ": " + join(cells, ", ") : ""));
  }
  return join(texts, "; ");
}

/// One line per cell with values that are not those of its platform, where the reference knows it:
/// what the bands let pass.
std::vector<std::string> cell_notes(const CheckResult& result) {
  struct Cell {
    int values = 0, own_values = 0, changed = 0;
    bool known = false;
    const QuantityCheck* largest = nullptr;
  };
  std::map<MethodKey, Cell> cells;
  for (const auto& judged : result.judged) {
    auto& cell = cells[{judged.quantity.table, judged.quantity.dataset, judged.quantity.method}];
    cell.values += judged.values;
    cell.own_values += judged.own_values;
    cell.known = cell.known || judged.known_platform;
    if (judged.outcome != Outcome::Changed) continue;
    ++cell.changed;
    if (cell.largest == nullptr || std::abs(judged.percent) > std::abs(cell.largest->percent))
      cell.largest = &judged;
  }
  std::vector<std::string> notes;
  for (const auto& [key, cell] : cells) {
    // Nothing to note where every value is the stored one, or none is stored.
    if (!cell.known || cell.own_values == cell.values) continue;
    notes.push_back(fmt::format("{}/{}/{}: {} of {} values are those of this platform's reference",
                                key.table, key.dataset, key.method, cell.own_values, cell.values));
    if (cell.largest != nullptr)
      notes.back() +=
          fmt::format("; {} changed within the band, most of all {}",
                      count_text(cell.changed, "quantity", "quantities"), cell.largest->message);
  }
  return notes;
}

struct Line {
  double size = 0;
  std::string message;
};

}  // namespace

std::string ScoreCheck::text() const {
  return method.empty() ? table + ", all cells,"
                        : fmt::format("{}/{}/{}, all metrics,", table, dataset, method);
}

std::string_view outcome_text(Outcome outcome) {
  switch (outcome) {
    case Outcome::Same:
      return "same";
    case Outcome::Rose:
      return "rose";
    case Outcome::Moved:
      return "moved";
    case Outcome::Changed:
      return "changed";
    case Outcome::Added:
      return "added";
    case Outcome::Absent:
      return "absent";
    case Outcome::Fell:
      return "fell";
    case Outcome::Differs:
      return "differs";
    case Outcome::Missing:
      return "missing";
    case Outcome::Failed:
      return "failed";
    case Outcome::ProtocolChanged:
      break;
  }
  return "protocol changed";
}

// The order of the enumeration: from Fell on, outcomes fail.
bool fails(Outcome outcome) { return outcome >= Outcome::Fell; }

bool CheckResult::passes() const {
  return unreadable.empty() &&
         std::none_of(judged.begin(), judged.end(),
                      [](const QuantityCheck& one) { return fails(one.outcome); }) &&
         std::none_of(scores.begin(), scores.end(),
                      [](const ScoreCheck& one) { return fails(one.outcome); });
}

int CheckResult::count(Outcome outcome) const {
  return static_cast<int>(
      std::count_if(judged.begin(), judged.end(),
                    [&](const QuantityCheck& one) { return one.outcome == outcome; }));
}

Counts count_outcomes(const CheckResult& result) {
  Counts counts{.quantities = static_cast<int>(result.judged.size()),
                .scores = static_cast<int>(result.scores.size())};
  for (const auto& judged : result.judged) {
    counts.failed += fails(judged.outcome);
    counts.guarded += judged.guarded;
    counts.unknown += judged.outcome == Outcome::Added;
    counts.values += judged.values;
    counts.own_values += judged.own_values;
    // Without values there was no comparison, so no basis counts.
    if (judged.values == 0) continue;
    counts.by_values += judged.basis == CheckBasis::Values && judged.own_platform;
    counts.by_constants += judged.basis == CheckBasis::Values && !judged.own_platform;
    counts.by_seeds += judged.basis == CheckBasis::Seeds;
  }
  for (const auto& score : result.scores) counts.failed_scores += fails(score.outcome);
  return counts;
}

std::string counts_text(const Counts& counts) {
  return fmt::format(
      "{} guarded, {} unknown to the reference; {} of {} values are those of this platform's reference",
      counts.guarded, counts.unknown, counts.own_values, counts.values);
}

std::string basis_text(const CheckResult& result) {
  const Counts counts = count_outcomes(result);
  auto bases = band_texts(counts);
  if (counts.by_values > 0)
    bases.insert(
        bases.begin(),
        fmt::format("value by value ({})", count_text(counts.by_values, "quantity", "quantities")));
  if (bases.empty()) bases.push_back("without any value to compare");
  std::string platform;
  if (result.platforms.size() > 1)
    platform = fmt::format("the records are of {} platforms: {}", result.platforms.size(),
                           platforms_text(result));
  else if (result.arithmetic.empty())
    platform = "the records do not state their platform";
  else if (result.known_arithmetic)
    platform = fmt::format("the reference knows this platform ({})", result.arithmetic);
  else
    platform = fmt::format("the reference does not know this platform ({}); --remember adds it",
                           result.arithmetic);
  // With one basis for all quantities, their number adds nothing.
  if (counts.by_values > 0 && bases.size() == 1) bases.front() = "value by value";
  return fmt::format("{}: {}", join(bases, ", "), platform);
}

bool is_worse(const QuantityCheck& a, const QuantityCheck& b) {
  const auto rank = [](const QuantityCheck& one) {
    return std::tuple(!fails(one.outcome), !one.worse && !fails(one.outcome), -change_size(one));
  };
  return rank(a) < rank(b);
}

std::vector<std::string> report_lines(const CheckResult& result) {
  std::vector<Line> notes, failures;
  for (const auto& problem : result.unreadable)
    failures.push_back({std::numeric_limits<double>::infinity(), "cannot be read: " + problem});
  for (const auto& judged : result.judged) {
    if (fails(judged.outcome))
      failures.push_back({change_size(judged), judged.message});
    else if (judged.outcome != Outcome::Same && judged.outcome != Outcome::Changed)
      notes.push_back({change_size(judged), judged.message});
  }
  for (const auto& score : result.scores) {
    if (score.outcome == Outcome::Same) continue;
    (fails(score.outcome) ? failures : notes).push_back({std::abs(score.percent), score.message});
  }
  for (const auto& note : cell_notes(result)) notes.push_back({0, note});
  std::vector<std::string> lines;
  for (auto* list : {&notes, &failures}) {
    // The largest change first; equal ones stay in the order of quantities.
    std::stable_sort(list->begin(), list->end(),
                     [](const Line& a, const Line& b) { return a.size > b.size; });
    for (const auto& line : *list)
      lines.push_back((list == &notes ? "note " : "FAIL ") + line.message);
  }
  return lines;
}

}  // namespace reprise::records
