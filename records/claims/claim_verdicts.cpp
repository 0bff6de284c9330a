// Verdicts of claims from those of their rows, and the texts of verdicts.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/text.h"
#include "records/claims/claims.h"

namespace reprise::records {
namespace {

/// "2 of 3 rows reproduced, 1 contradicted"
std::string rows_text(const std::vector<const Judgement*>& rows) {
  std::map<Verdict, int> verdicts;
  for (const auto* row : rows) ++verdicts[row->verdict];
  std::vector<std::string> parts;
  for (const auto& [verdict, count] : verdicts)
    parts.push_back(parts.empty()
                        ? fmt::format("{} of {} rows {}", count, rows.size(), verdict_text(verdict))
                        : fmt::format("{} {}", count, verdict_text(verdict)));
  return join(parts, ", ");
}

/// The verdict that all rows have. Of rows that disagree: in part where one is reproduced, else
/// contradicted where one is, else undecided.
Verdict common_verdict(const std::vector<const Judgement*>& rows) {
  std::set<Verdict> all, decided;
  for (const auto* row : rows) {
    all.insert(row->verdict);
    if (row->verdict != Verdict::NotRun && row->verdict != Verdict::NotTestable)
      decided.insert(row->verdict);
  }
  // Rows that could not be judged have no part where others were judged.
  if (decided.size() == 1) return *decided.begin();
  if (decided.contains(Verdict::Reproduced)) return Verdict::InPart;
  for (const auto verdict : {Verdict::Contradicted, Verdict::NotComparable})
    if (decided.contains(verdict)) return verdict;
  if (!decided.empty()) return Verdict::Undecided;
  return all.contains(Verdict::NotTestable) ? Verdict::NotTestable : Verdict::NotRun;
}

Preregistration common_preregistration(const std::vector<const Judgement*>& rows) {
  std::set<Preregistration> found;
  for (const auto* row : rows) {
    // Nothing is registered of counts, and a row without a verdict has no part in that of its
    // claim.
    if ((row->ratio && row->preregistration == Preregistration::Unknown) || row->n == 0 ||
        row->verdict == Verdict::NotTestable)
      continue;
    found.insert(row->preregistration);
  }
  if (found.contains(Preregistration::PostHoc)) return Preregistration::PostHoc;
  return found == std::set{Preregistration::Before} ? Preregistration::Before
                                                    : Preregistration::Unknown;
}

}  // namespace

std::string_view verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::Reproduced:
      return "reproduced";
    case Verdict::InPart:
      return "in part";
    case Verdict::Contradicted:
      return "contradicted";
    case Verdict::NoEffect:
      return "no effect";
    case Verdict::Undecided:
      return "undecided";
    case Verdict::NotTestable:
      return "not testable";
    case Verdict::NotComparable:
      return "not comparable";
    case Verdict::NotRun:
      break;
  }
  return "not run";
}

std::string_view preregistration_text(Preregistration preregistration) {
  switch (preregistration) {
    case Preregistration::Before:
      return "before";
    case Preregistration::PostHoc:
      return "post hoc";
    case Preregistration::Unknown:
      break;
  }
  return "unknown";
}

std::string_view resampling_text(Resampling resampling) {
  switch (resampling) {
    case Resampling::Data:
      return "data";
    case Resampling::Split:
      return "split";
    case Resampling::Weights:
      break;
  }
  return "weights";
}

std::vector<const Judgement*> ClaimVerdict::counted_rows() const {
  std::vector<const Judgement*> counted;
  for (const auto& row : rows)
    if (!row.further) counted.push_back(&row);
  return counted;
}

std::vector<ClaimVerdict> claim_verdicts(std::span<const Judgement> judgements) {
  std::vector<ClaimVerdict> claims;
  for (std::size_t begin = 0, end = 0; begin < judgements.size(); begin = end) {
    // The rows of a claim are adjacent.
    while (end < judgements.size() && judgements[end].claim_id == judgements[begin].claim_id) ++end;
    const auto& first = judgements[begin];
    ClaimVerdict claim{.id = first.claim_id,
                       .statement = first.statement,
                       .source = first.source,
                       .own = first.own};
    claim.rows = judgements.subspan(begin, end - begin);
    // A claim with only `further` rows is judged on these.
    auto rows = claim.counted_rows();
    if (rows.empty())
      for (const auto& row : claim.rows) rows.push_back(&row);
    claim.verdict = common_verdict(rows);
    claim.reason = rows.size() == 1 ? rows.front()->reason : rows_text(rows);
    claim.preregistration = common_preregistration(rows);
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::string effect_name(const Judgement& judgement, const Effect& effect,
                        const std::function<std::string(const std::string&)>& word) {
  const bool tables = std::ranges::any_of(judgement.effects, [&](const Effect& other) {
    return other.metric == effect.metric && other.table != effect.table;
  });
  return word(effect.metric + (tables ? " in " + effect.table : "")) +
         (effect.than.empty() ? "" : " against " + word(effect.than));
}

std::string row_statement(const Judgement& judgement) {
  return judgement.row.empty() ? judgement.statement
                               : fmt::format("{} ({})", judgement.statement, judgement.row);
}

}  // namespace reprise::records
