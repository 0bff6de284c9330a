// The page of a study: one HTML file that needs no network and no script.
#pragma once
#include <string>
#include <vector>

#include "records/claims.h"
#include "reports/figures.h"
#include "reports/gallery.h"
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
};

std::string page(const PageContent& content);

// The parts of the page.
Html summary_section(const PageContent& content);
Html claims_section(const PageContent& content);
Html cells_section(const PageContent& content);
/// Records, curves and pictures that could not be read: each by file and line. Empty when all could.
Html unreadable_section(const PageContent& content);

/// "reproduced" as a coloured word with a sign, so that colour is not all that tells verdicts apart.
Html badge(records::Verdict verdict);
std::string claims_markdown(const std::vector<records::Judgement>& claims);

/// "+0.0123", three significant digits and the sign; "0" for 0.
std::string effect_text(double effect);
/// "0.031"; "<0.001" below.
std::string p_text(double p);
/// "48 s", "12 min 5 s", "3 h 20 min".
std::string duration_text(double seconds);

}  // namespace reprise::reports
