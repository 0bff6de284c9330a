// Texts and badges of claims, for pages and for claims.md.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "records/claims/claims.h"
#include "reports/html.h"

namespace reprise::reports {

struct PageContent;

/// Title of the columns with intervals. records::claim_level (5 %) lies outside on each side.
inline constexpr auto interval_title = "90 % interval";

/// Formats an effect with sign and three significant digits: "+0.0123"; "0" for 0.
std::string effect_text(double effect);
/// Formats a p-value: "0.031"; "<0.001" below that.
std::string p_text(double p);
/// Formats an interval of an effect. Returns "" for an interval without width, such as that of a
/// count or of a single seed.
std::string interval_text(double low, double high);
/// Formats an interval like interval_text(), and adds the unrounded values.
Html interval_html(double low, double high);

/// Explains a verdict in one line.
std::string_view verdict_meaning(records::Verdict verdict);
/// Returns a verdict as a coloured word with a symbol, so that it can be read without the colour.
Html badge(records::Verdict verdict);
/// Returns the name of the colour of a verdict in the style sheet: "yes", "open".
std::string badge_colour(records::Verdict verdict);
/// Returns the HTML anchor of a claim: letters, digits and "-", such as "claim-1-error".
std::string claim_anchor(const std::string& id);
/// Counts the document's claims by verdict, and then our own questions: "6 claims: 6 reproduced; 4
/// questions of our own". "" without claims.
std::string verdict_counts_text(std::span<const records::ClaimVerdict> claims);

/// Replaces the ids of methods, data sets and metrics in the reason of a verdict by their names.
/// Does not change commands in it.
std::string replace_ids(const PageContent& content, const std::string& text);
/// Explains the verdict of a claim. Returns the explanation that the study's authors wrote, or else
/// the reason of NotRun, NotComparable and NotTestable. Empty for other verdicts.
Html explanation_html(const PageContent& content, const records::ClaimVerdict& claim);

}  // namespace reprise::reports
