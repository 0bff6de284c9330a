// Texts and marks of claims that both pages and claims.md share.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "records/claims/claims.h"
#include "reports/html.h"

namespace reprise::reports {

struct PageContent;

/// Title of the columns with intervals; each side leaves out records::claim_level.
inline constexpr auto interval_title = "90 % interval";

/// Formats an effect with sign and three significant digits: "+0.0123"; "0" for 0.
std::string effect_text(double effect);
/// Formats a p-value: "0.031"; "<0.001" below that.
std::string p_text(double p);
/// Formats an interval of an effect; "" without a width, as of counts and single seeds.
std::string interval_text(double low, double high);
/// Formats an interval as interval_text() does, with the full values.
Html interval_html(double low, double high);

/// Explains a verdict in one line.
std::string_view verdict_meaning(records::Verdict verdict);
/// Returns a verdict as a coloured word with a sign, so that colour alone carries no meaning.
Html badge(records::Verdict verdict);
/// Returns the name of the colour of a verdict in the style sheet: "yes", "open".
std::string badge_colour(records::Verdict verdict);
/// Returns an anchor of letters, digits and -: "claim-1-error".
std::string claim_anchor(const std::string& id);
/// Counts the claims by verdict, and our own questions in all: "6 claims: 6 reproduced; 4 questions
/// of our own". "" without claims.
std::string verdict_counts_text(std::span<const records::ClaimVerdict> claims);

/// Replaces the ids of methods, data sets and metrics in a reason by their names. A command stays
/// as it is typed.
std::string replace_ids(const PageContent& content, const std::string& text);
/// Explains why the claim has its verdict: the study's sentence; for a claim that was not run or
/// compared, the reason of its verdict.
Html explanation_html(const PageContent& content, const records::ClaimVerdict& claim);

}  // namespace reprise::reports
