#include <algorithm>

#include "reports/findings.h"
#include "reports/forest.h"
#include "reports/page.h"
#include "tests/reports/toy_report.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view found = R"(profile = "quick"
document = "The document says that pre is better."
headline = "table1"
[[finding]]
says = "Pre gains {gain} {gain.interval} over {gain.n} seeds (p = {gain.p}); alone it reaches {level}."
gain = { claim = "1", is = "better", digits = 3, unit = " of AUC" }
level = { table = "table1", dataset = "faces", method = "pre", metric = "auc", digits = 1, times = 100, unit = " %" }
[[claims]]
title = "Pre against trad"
ids = "1"
figures = "curve"
galleries = "frames"
[words]
trad = "the traditional network"
auc = "area"
[short]
"1" = "pre gains"
[glossary]
AUC = "area under the curve"
)";

StudyView with(std::string_view findings) {
  auto view = toy_study();
  view.findings = findings;
  return view;
}

std::string changed(std::string_view from, std::string_view to) {
  std::string text(found);
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct FindingsOfRecords : testing::Test {
  FakeResults results;
  void SetUp() override { add_all(results); }
  std::string page(std::string_view findings) const { return render(with(findings), results.store()).at("index.html"); }
  std::vector<std::string> stale(std::string_view findings) const { return stale_findings(with(findings), results.store()); }
  records::Judgement judged() const { return records::judge(claims, "claims.toml", results.store()).at(0); }
};

// A sentence can never say another number than the records.
TEST_F(FindingsOfRecords, NumbersInASentenceAreThoseOfTheRecords) {
  const auto effect = judged().effects.at(0);
  const auto text = page(found);
  EXPECT_THAT(text, HasSubstr("Pre gains <b>" + number(effect.effect, fixed(effect.effect, 3)).bytes() + " of AUC</b>"));
  EXPECT_THAT(text,
              HasSubstr(number(effect.low, fixed(effect.low, 3)).bytes() + ", " + number(effect.high, fixed(effect.high, 3)).bytes()));
  EXPECT_THAT(text, AllOf(HasSubstr("over 3 seeds"), HasSubstr(">61.5</data> %</b>")));
  EXPECT_THAT(stale(found), IsEmpty());
}

// Prose that a new run contradicts must not go on standing there.
TEST_F(FindingsOfRecords, AComparisonThatTheRecordsDoNotBearOutIsNamedAndMarked) {
  const auto worse = changed("is = \"better\"", "is = \"worse\"");
  EXPECT_THAT(stale(worse), ElementsAre(AllOf(HasSubstr("findings.toml, line 6"), HasSubstr("gain is not worse"))));
  EXPECT_THAT(page(worse), HasSubstr("These records do not bear this out"));
  EXPECT_THAT(stale(changed("is = \"better\"", "is = \"undecided\"")), ElementsAre(HasSubstr("gain is not undecided")));
  EXPECT_THAT(stale(changed("digits = 3", "at_least = 0.2, digits = 3")), ElementsAre(HasSubstr("gain is not better")));
  EXPECT_THAT(stale(changed("digits = 1", "at_most = 61, digits = 1")), ElementsAre(HasSubstr("level is not within its bounds")));
}

TEST_F(FindingsOfRecords, WorseIsTheSizeOfWhatSpeaksAgainstTheClaim) {
  for (const auto& cell : toy_cells) add_toy(results, {cell.method == "pre" ? "trad" : "pre", cell.seed, cell.auc});
  const auto findings =
      changed("is = \"better\"", "is = \"worse\"") + "[[why]]\nclaim = \"1\"\nverdict = \"contradicted\"\nsays = \"so\"\n";
  EXPECT_THAT(stale(findings), IsEmpty());
  const auto effect = judged().effects.at(0);
  EXPECT_LT(effect.effect, 0);
  EXPECT_THAT(page(findings), HasSubstr("Pre gains <b>" + number(-effect.effect, fixed(-effect.effect, 3)).bytes()));
}

TEST_F(FindingsOfRecords, ASentenceWhoseCellsHaveNotRunWaits) {
  const auto text = page(changed("metric = \"auc\", digits = 1", "metric = \"later\", digits = 1"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Pre gains")), HasSubstr("1 finding waits for cells that have not run")));
}

// A verdict without a reason, and a reason for a verdict that is no longer given, are both noticed.
TEST_F(FindingsOfRecords, EveryVerdictButReproducedNeedsItsReason) {
  for (const auto& cell : toy_cells) add_toy(results, {cell.method == "pre" ? "trad" : "pre", cell.seed, cell.auc});
  const auto none = changed("gain = { claim = \"1\", is = \"better\"", "gain = { claim = \"1\", is = \"worse\"");
  EXPECT_THAT(stale(none), ElementsAre(AllOf(HasSubstr("claim 1 is contradicted"), HasSubstr("does not say why"))));
  const std::string why = "[[why]]\nclaim = \"1\"\nverdict = \"contradicted\"\nsays = \"Trad saw more.\"\n";
  EXPECT_THAT(stale(none + why), IsEmpty());
  EXPECT_THAT(page(none + why), HasSubstr("Trad saw more."));
  EXPECT_THAT(stale(none + why + "[[why]]\nclaim = \"1\"\nverdict = \"undecided\"\nsays = \"x\"\n"),
              ElementsAre(HasSubstr("no row of claim 1 is undecided any more")));
}

// What was not run says so itself.
TEST(StaleWhys, WhatWasNotRunMayHaveAReasonAndNeedsNone) {
  const records::Judgement not_run{.claim_id = "1", .id = "1", .verdict = records::Verdict::NotRun};
  EXPECT_THAT(stale_whys({}, {not_run}), IsEmpty());
  const Findings with_reason("[[why]]\nclaim = \"1\"\nverdict = \"not run\"\nsays = \"for its hours\"\n", "findings.toml");
  EXPECT_THAT(stale_whys(with_reason, {not_run}), IsEmpty());
  EXPECT_THAT(stale_whys(with_reason, {{.claim_id = "1", .id = "1", .verdict = records::Verdict::Reproduced}}),
              ElementsAre(HasSubstr("is not run any more")));
}

TEST_F(FindingsOfRecords, AreOfOneProfileAlone) {
  const auto other = changed("profile = \"quick\"", "profile = \"desk\"");
  EXPECT_THAT(page(other), AllOf(Not(HasSubstr("Pre gains")), HasSubstr("The document says that pre is better.")));
  EXPECT_THAT(
      stale(changed("profile = \"quick\"", "profile = \"desk\"") + "[[why]]\nclaim = \"1\"\nverdict = \"undecided\"\nsays = \"x\"\n"),
      IsEmpty());
}

TEST_F(FindingsOfRecords, TheHeadlineTheGroupAndItsExhibitsStandOnceInTheirPlaces) {
  const auto text = page(found);
  const std::vector<std::string> parts{"id=\"findings\"",       "id=\"forest\"",    "id=\"headline\"", "id=\"table-table1\"",
                                       "id=\"setting\"",        "Pre against trad", "id=\"claim-1\"",  "id=\"figure-box-curve\"",
                                       "id=\"gallery-frames\"", "id=\"notes\""};
  std::size_t at = 0;
  for (const auto& part : parts) {
    EXPECT_EQ(count(text, part == "Pre against trad" ? "<h3>" + part : part), 1U) << part;
    const auto place = text.find(part == "Pre against trad" ? "<h3>" + part : part);
    EXPECT_GE(place, at) << part;
    at = place;
  }
  EXPECT_THAT(text, AllOf(HasSubstr("<td>the traditional network</td>"), HasSubstr("<dt>AUC</dt>")));
}

TEST_F(FindingsOfRecords, NamesThatTheStudyDoesNotHaveAreErrors) {
  const auto refused = [&](std::string_view from, std::string_view to, const auto& message) {
    EXPECT_THAT([&] { page(changed(from, to)); }, ThrowsUsageError(message));
  };
  refused("ids = \"1\"", "ids = \"7\"", AllOf(HasSubstr("claim \"7\""), HasSubstr("it has 1")));
  refused("figures = \"curve\"", "figures = \"curves\"", AllOf(HasSubstr("figure \"curves\""), HasSubstr("curve")));
  refused("headline = \"table1\"", "headline = \"table2\"", HasSubstr("table \"table2\""));
  refused("claim = \"1\", is", "claim = \"9\", is", AllOf(HasSubstr("findings.toml, line 6"), HasSubstr("no claim \"9\"")));
}

// A figure's own words stand in place of the sentence that is read off it, under the same watch as any finding.
TEST_F(FindingsOfRecords, AFiguresMessageStandsInItsCaptionAndGoesStaleLikeAFinding) {
  const std::string message = std::string(found) +
                              "[[message]]\nfigure = \"curve\"\nsays = \"It ends at {level}.\"\n"
                              "level = { table = \"table1\", dataset = \"faces\", method = \"pre\", metric = \"auc\", digits = 1, "
                              "times = 100 }\n";
  EXPECT_THAT(page(found), Not(HasSubstr("It ends at")));
  EXPECT_THAT(page(message), HasSubstr("<figcaption><strong>It ends at <b>"));
  EXPECT_THAT(stale(message), IsEmpty());
  const auto other = message.substr(0, message.size() - 3) + ", at_most = 1 }\n";
  EXPECT_THAT(stale(other), ElementsAre(HasSubstr("level is not within its bounds")));
  EXPECT_THAT(page(other), HasSubstr("<figcaption><strong><span class=\"stale\">"));
  const auto unknown = [&] { page(std::string(found) + "[[message]]\nfigure = \"curves\"\nsays = \"It ends.\"\n"); };
  EXPECT_THAT(unknown, ThrowsUsageError(HasSubstr("figure \"curves\"")));
}

// What is said of data and networks is what the run had.
TEST_F(FindingsOfRecords, FactsTakeTheirNumbersFromTheRunsSettings) {
  const std::string text = std::string(found) + "[facts]\nheads = \"{heads.count} generated heads\"\n";
  auto view = with(text);
  view.settings = {{"heads.count", "40"}};
  EXPECT_THAT(render(view, results.store()).at("index.html"), HasSubstr("<dt>heads</dt><dd>40 generated heads</dd>"));
  view.settings.clear();
  EXPECT_THAT([&] { render(view, results.store()); }, ThrowsUsageError(HasSubstr("heads.count")));
}

TEST_F(FindingsOfRecords, ClaimsThatNoRunRegisteredAreSaidToBe) { EXPECT_THAT(page(found), HasSubstr("1 not registered before the run")); }

TEST(Findings, AFileThatCannotBeReadIsRefusedByLine) {
  const auto refused = [](const std::string& text, const auto& message) {
    EXPECT_THAT([&] { Findings(text, "findings.toml"); }, ThrowsUsageError(message)) << text;
  };
  refused("[[finding]\n", HasSubstr("findings.toml, line 1"));
  refused("finding = 3\n", HasSubstr("finding is not a list of tables"));
  refused("titel = \"x\"\n", AllOf(HasSubstr("\"titel\""), HasSubstr("headline")));
  refused("[[finding]]\nsays = \"{gain}\"\n", HasSubstr("names {gain}, which is no quantity"));
  refused("[[finding]]\nsays = \"x\"\nlevel = { table = \"t\", dataset = \"d\", method = \"m\", metric = \"q\" }\n",
          HasSubstr("does not name {level}"));
  refused("[[finding]]\nsays = \"{a}\"\na = 3\n", AllOf(HasSubstr("line 3"), HasSubstr("a is not a quantity")));
  refused("[[finding]]\nsays = \"{a}\"\na = { claim = \"1\" }\n", AllOf(HasSubstr("line 3"), HasSubstr("is is missing")));
  refused("[[finding]]\nsays = \"{a}\"\na = { claim = \"1\", is = \"good\" }\n", AllOf(HasSubstr("good"), HasSubstr("undecided")));
  refused("[[finding]]\nsays = \"{a}\"\na = { table = \"t\" }\n", HasSubstr("dataset is missing"));
  refused("[[message]]\nfigure = \"f\"\nsays = \"x\"\n[[message]]\nfigure = \"f\"\nsays = \"y\"\n",
          HasSubstr("second message of figure f"));
  refused("[[why]]\nclaim = \"1\"\nverdict = \"so so\"\nsays = \"x\"\n", AllOf(HasSubstr("line 3"), HasSubstr("not testable")));
}

// A page of networks of seconds must not be read as a result.
TEST_F(FindingsOfRecords, APageThatShowsTheWayGivesNoVerdicts) {
  auto view = with(found);
  view.evidence = false;
  view.evidence_page = "../desk/index.html";
  const auto files = render(view, results.store());
  const auto& text = files.at("index.html");
  EXPECT_THAT(text, AllOf(HasSubstr("It judges nothing."), HasSubstr("href=\"../desk/index.html\""), HasSubstr("pre beats trad"),
                          HasSubstr("id=\"table-table1\"")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("class=\"badge")), Not(HasSubstr("Pre gains")), Not(HasSubstr("id=\"forest\""))));
  EXPECT_FALSE(files.contains("figures/claims.svg"));
  EXPECT_THAT(stale_findings(view, results.store()), IsEmpty());
}

// A claim of two lists has rows as "gru recorded".
TEST_F(FindingsOfRecords, ARowOfSeveralValuesIsCalledByTheWordOfEachWhereAllHaveOne) {
  const Findings findings(changed("auc = \"area\"", R"(gru = "FC-GRU"
recorded = "recorded tracks"
"gru mixed" = "a mixture")"),
                          "findings.toml");
  EXPECT_EQ(findings.word("gru recorded"), "FC-GRU, recorded tracks");
  EXPECT_EQ(findings.word("gru mixed"), "a mixture");
  EXPECT_EQ(findings.word("gru unnamed"), "gru unnamed");
}

TEST_F(FindingsOfRecords, ThePlotOfClaimsHasARowForEachEffectAndTheDocumentsDifference) {
  const Findings findings(found, "findings.toml");
  const Measured measured(results.store());
  const Published none, printed(std::string(published) + R"([[figure]]
table = "table1"
row = "GRU"
column = "traditional"
value = 0.742
tag = "seed"
source = "document, table 1"
protocol = "300-VW"
)",
                                "published.toml");
  const auto plain = forest(findings, {judged()}, {resolve(toy_study().tables[0], measured, none)});
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].title, "area");
  ASSERT_EQ(plain[0].rows.size(), 1U);
  EXPECT_EQ(plain[0].rows[0].label, "pre gains");
  EXPECT_EQ(plain[0].rows[0].group, "Pre against trad");
  EXPECT_EQ(plain[0].rows[0].effect, judged().effects.at(0).effect);
  EXPECT_FALSE(plain[0].rows[0].document);
  const auto both = forest(findings, {judged()}, {resolve(toy_study().tables[0], measured, printed)});
  EXPECT_NEAR(both[0].rows[0].document.value(), 0.772 - 0.742, 1e-12);
  const auto svg = forest_svg(both, true);
  EXPECT_THAT(svg, AllOf(HasSubstr("href=\"#claim-1\""), HasSubstr("class=\"doc\""), HasSubstr("class=\"d yes\"")));
  EXPECT_THAT(forest_svg(both, false), Not(HasSubstr("href")));
}

// A difference in millimetres has no place on an axis of degrees.
TEST_F(FindingsOfRecords, MetricsOfAnotherUnitHaveAnAxisOfTheirOwn) {
  const Findings findings(changed("auc = \"area\"", "auc = \"area\"\nauc_3d = \"distance (mm)\""), "findings.toml");
  const Measured measured(results.store());
  std::vector grids{resolve(toy_study().tables[0], measured, Published())};
  auto in_space = grids[0];
  auto claim = judged();
  claim.effects.at(0).metric = "auc_3d_gaps";
  for (auto& row : in_space.cells)
    for (auto& cell : row)
      if (cell.entry && cell.measured) cell.entry->metric = "auc_3d_gaps", cell.measured->unit = "mm";
  grids.push_back(in_space);
  const auto panels = forest(findings, {judged(), claim}, grids);
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].title, "area");
  EXPECT_EQ(panels[1].title, "distance (mm)");
}

TEST_F(FindingsOfRecords, AClaimCanBeDrawnComparisonByComparison) {
  const Findings findings(found, "findings.toml");
  const Measured measured(results.store());
  const std::vector claim{judged()};
  const auto panels = forest_of(findings, claim, {resolve(toy_study().tables[0], measured, Published())});
  ASSERT_EQ(panels.size(), 1U);
  ASSERT_EQ(panels[0].rows.size(), claim[0].comparisons.size());
  const auto& comparison = claim[0].comparisons.at(0);
  EXPECT_EQ(panels[0].rows[0].effect, comparison.effect);
  EXPECT_EQ(panels[0].rows[0].low, comparison.low);
  EXPECT_THAT(panels[0].rows[0].label, AllOf(HasSubstr(" against "), HasSubstr(findings.word(comparison.than))));
  EXPECT_THAT(page(found), Not(HasSubstr("comparison by comparison")));
  EXPECT_THAT(page(changed("ids = ", "forests = \"1\"\nids = ")), HasSubstr("Claim 1, comparison by comparison"));
}

// A folded claim is on the page and its anchor with it, and takes no room until it is asked for.
TEST_F(FindingsOfRecords, FoldedClaimsStandBehindALine) {
  const auto open = page(found), folded = page(changed("ids = ", "folded = \"1\"\nids = "));
  EXPECT_THAT(open, Not(HasSubstr("claim more</summary>")));
  const auto line = folded.find("1 claim more</summary>"), claim = folded.find("id=\"claim-1\"");
  ASSERT_NE(line, std::string::npos);
  ASSERT_NE(claim, std::string::npos);
  EXPECT_LT(line, claim);
}

// What stands behind a line is open to whoever looks for it; the key picture is seen at once.
TEST_F(FindingsOfRecords, AFigureOfAGroupCanStandUnfolded) {
  const auto id = std::string(toy_study().figures.at(0).id);
  const auto with_forest = [&](const std::string& more) { return page(changed("ids = ", more + "forests = \"1\"\nids = ")); };
  const auto folded = with_forest(""), open = with_forest("open = [\"" + id + "\"]\n");
  EXPECT_THAT(folded, Not(HasSubstr("class=\"opened\"")));
  EXPECT_LT(open.find("class=\"opened\""), open.find("id=\"figure-box-" + id + "\""));
  EXPECT_LT(open.find("id=\"figure-box-" + id + "\""), open.find("Claim 1, comparison by comparison"));
  EXPECT_THAT([&] { with_forest("open = [\"none\"]\n"); }, ThrowsUsageError(HasSubstr("\"none\"")));
}

TEST(Forest, LongLabelsThatEndDifferentlyStayDifferent) {
  const std::string begin(60, 'a');
  const auto row = [&](const std::string& end) {
    return ForestRow{"g", begin + ", é, " + end, "c", records::Verdict::Reproduced, 1, 0, 2, {}, {}};
  };
  const auto svg = forest_svg({ForestPanel{"m", {row("against the first layer"), row("against the second layer")}}}, false);
  EXPECT_THAT(svg, AllOf(HasSubstr("against the first layer<"), HasSubstr("against the second layer<"), HasSubstr("…")));
}

TEST(Forest, HostileLabelsStayTextAndEveryIntervalIsOnItsAxis) {
  const ForestPanel panel{"<b>", {{"<g>", "<i>", "claim-1", records::Verdict::Contradicted, -3, -5, -1, 6, 7}}};
  const auto svg = forest_svg({panel}, true);
  EXPECT_THAT(svg, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("<g>")), Not(HasSubstr("<i>")), HasSubstr("&lt;i&gt;")));
  for (std::size_t at = 0; (at = svg.find("x1=\"", at)) != std::string::npos; ++at) {
    const double x = std::stod(svg.substr(at + 4));
    EXPECT_GE(x, 520);
    EXPECT_LE(x, 930);
  }
}

}  // namespace
}  // namespace reprise::reports
