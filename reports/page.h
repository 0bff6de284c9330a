// The page of a study: one HTML file that needs no network and no script.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "records/claims.h"
#include "reports/figures.h"
#include "reports/findings.h"
#include "reports/gallery.h"
#include "reports/glossary.h"
#include "reports/html.h"
#include "reports/measured.h"
#include "reports/published.h"
#include "reports/tables.h"
#include "reports/view.h"

namespace reprise::reports {

struct ShownFigure {
  Drawing drawing;
  std::string svg;  ///< "" when there is no data
};

/// Everything a page is made of, already computed.
struct PageContent {
  const StudyView& view;
  const Measured& measured;
  const Published& published;
  std::vector<records::Judgement> claims;
  std::vector<Grid> tables;
  std::vector<ShownFigure> figures;
  std::vector<std::vector<ShownPicture>> galleries;  ///< as view.galleries
  const Findings& findings;
  std::optional<SaidFinding> answer;  ///< as findings.answer; none where `found` has none
  std::vector<SaidFinding> found;     ///< as findings.findings; none on a page that is no evidence, or of another profile than theirs
  std::map<std::string, SaidFinding> messages;  ///< figure -> what it shows, as findings.messages; none where `found` has none
  std::string forest;                           ///< SVG; "" where nothing can be drawn
};

std::string page(const PageContent& content);

/// Whether the sentences of findings.toml are of these records: a page that judges claims, of the profile that they name.
inline bool speaks_of(const Findings& findings, const StudyView& view) { return view.evidence && findings.profile == view.profile; }

// The parts of the page.
Html findings_section(const PageContent& content);
/// With the words that no group uses.
Html setting_section(const PageContent& content, const Glossary& words);
/// Groups of claims, each with its verdicts, what shows it, and its words.
Html claims_section(const PageContent& content, const std::vector<Glossary>& words);
/// A table with its files, how to read it and how to make it again; figures and galleries likewise.
Html table_article(const PageContent& content, const Grid& grid);
Html figure_article(const PageContent& content, const ShownFigure& shown);
Html gallery_article(const PageContent& content, std::size_t index);
Html cells_section(const PageContent& content);
/// Records, curves and pictures that could not be read: each by file and line. Empty when all could.
Html unreadable_section(const PageContent& content);

/// "reproduced" as a coloured word with a sign, so that colour is not all that tells verdicts apart.
Html badge(records::Verdict verdict);
/// "claim-1-error": letters, digits and - alone.
std::string claim_anchor(const std::string& id);
std::string claims_markdown(const std::vector<records::Judgement>& claims);

/// "+0.0123", three significant digits and the sign; "0" for 0.
std::string effect_text(double effect);
/// "0.031"; "<0.001" below.
std::string p_text(double p);
/// The confidence of a claim's intervals, "90 % interval": each side leaves out the level that its test has.
std::string confidence_text(const records::Judgement& claim);
/// "48 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace reprise::reports
