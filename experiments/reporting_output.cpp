// Verdicts and unreadable files as text for the terminal and as JSON.
#include <fmt/format.h>

#include "core/text.h"
#include "experiments/reporting.h"

namespace reprise::reproduce {

using nlohmann::json;

namespace {

json effects_json(const records::Judgement& claim) {
  json list = json::array();
  for (const auto& effect : claim.effects)
    if (effect.n > 0)
      list.push_back({{"table", effect.table},
                      {"metric", effect.metric},
                      {"than", effect.than},
                      {"unit", effect.unit},
                      {"effect", effect.effect},
                      {"interval", json::array({effect.low, effect.high})},
                      {"n", effect.n},
                      {"comparisons", effect.comparisons}});
  return list;
}

json comparisons_json(const records::Judgement& claim) {
  json list = json::array();
  for (const auto& c : claim.comparisons)
    list.push_back({{"table", c.table},
                    {"method", c.method},
                    {"than", c.than},
                    {"dataset", c.dataset},
                    {"metric", c.metric},
                    {"unit", c.unit},
                    {"n", c.n},
                    {"effect", c.effect},
                    {"interval", json::array({c.low, c.high})},
                    {"p", c.p},
                    {"p_against", c.p_against},
                    {"p_against_holm", c.p_against_holm},
                    {"resamples", records::resampling_text(c.resampling)},
                    {"seeds_needed", c.needed ? json(*c.needed) : json()}});
  return list;
}

json requirements_json(const records::Judgement& claim) {
  json list = json::array();
  for (const auto& requirement : claim.requirements)
    list.push_back({{"statement", requirement.statement},
                    {"holds", requirement.holds},
                    {"post_hoc", requirement.post_hoc},
                    {"measured", requirement.measured}});
  return list;
}

/// Effects of a row, short enough for a terminal: "auc +0.012 [+0.003, +0.021], error -0.4 [...];
/// n 5".
std::string effects_text(const records::Judgement& claim) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> effects;
  if (claim.ratio) effects.push_back(fmt::format("ratio {:.4g}", *claim.ratio));
  for (const auto& effect : claim.effects)
    if (effect.n > 0)
      effects.push_back(fmt::format("{} {:+.3g} [{:+.3g}, {:+.3g}]",
                                    records::effect_name(claim, effect), effect.effect, effect.low,
                                    effect.high));
  std::string text = first_few(effects, shown);
  const bool is_tested = !claim.comparisons.empty() && claim.n > 1;  // a ratio is exact
  if (claim.verdict == records::Verdict::Contradicted && is_tested)
    text += fmt::format("; against, p = {:.2g}", claim.p_against);
  if (claim.verdict == records::Verdict::Reproduced && is_tested)
    text += fmt::format("; p = {:.2g}", claim.p);
  if (claim.n > 0) text += fmt::format("; n {}", claim.n);
  if (claim.needed) text += fmt::format("; {} seeds would decide", *claim.needed);
  if (claim.preregistration == records::Preregistration::PostHoc) text += "; post hoc";
  return text.empty() || claim.verdict == records::Verdict::NotTestable ? claim.reason : text;
}

}  // namespace

json claims_json(const std::vector<records::Judgement>& judgements) {
  json list = json::array();
  for (const auto& claim : records::claim_verdicts(judgements)) {
    json rows = json::array();
    for (const auto& row : claim.rows)
      rows.push_back({{"id", row.id},
                      {"row", row.row},
                      {"further", row.further},
                      {"verdict", records::verdict_text(row.verdict)},
                      {"reason", row.reason},
                      {"n", row.n},
                      {"ratio", row.ratio ? json(*row.ratio) : json()},
                      {"effects", effects_json(row)},
                      {"p", row.p},
                      {"p_against", row.p_against},
                      {"preregistered", records::preregistration_text(row.preregistration)},
                      {"registered_at", row.commit},
                      {"seeds_excluded", row.excluded_seeds},
                      {"towards", row.towards},
                      {"seeds_needed", row.needed ? json(*row.needed) : json()},
                      {"hours_needed", row.needed ? json(row.hours) : json()},
                      {"requires", requirements_json(row)},
                      {"comparisons", comparisons_json(row)}});
    list.push_back({{"id", claim.id},
                    {"statement", claim.statement},
                    {"source", claim.source},
                    {"own", claim.own},
                    {"verdict", records::verdict_text(claim.verdict)},
                    {"reason", claim.reason},
                    {"preregistered", records::preregistration_text(claim.preregistration)},
                    {"rows", rows}});
  }
  return list;
}

std::string claims_text(const std::vector<records::Judgement>& judgements) {
  std::string text;
  for (const auto& claim : records::claim_verdicts(judgements)) {
    text += fmt::format("  {:<5} {:<14} {}\n", claim.id, records::verdict_text(claim.verdict),
                        claim.statement);
    for (const auto& row : claim.rows)
      text += fmt::format("        {:<14} {}{}\n", records::verdict_text(row.verdict),
                          row.row.empty() ? "" : row.row + ": ", effects_text(row));
  }
  return text;
}

std::string verdicts_text(const ReportResult& report) {
  if (!report.evidence)
    return "  this profile is a smoke test and judges nothing; verdicts: the profile small, results\n";
  std::string text = claims_text(report.claims);
  for (const auto& stale : report.stale) text += "  not borne out: " + stale + "\n";
  return text;
}

std::string unreadable_text(const std::vector<Error>& unreadable) {
  std::string text;
  for (const auto& error : unreadable)
    text += fmt::format("unreadable: {}\n  fix: {}\n", error.problem(), error.fix());
  return text;
}

json unreadable_json(const std::vector<Error>& unreadable) {
  json list = json::array();
  for (const auto& error : unreadable) list.push_back(error.problem());
  return list;
}

}  // namespace reprise::reproduce
