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

constexpr std::string_view found = R"(profile = "smoke"
document = "The document says that pre is better."
forest = "1"
limits = ["One set of faces only."]
[[finding]]
statement = "Pre gains {gain} {gain.interval} over {gain.n} seeds (p = {gain.p}); alone it reaches {level}."
gain = { claim = "1", is = "better", digits = 3, unit = " of AUC" }
level = { table = "table1", dataset = "faces", method = "pre", metric = "auc", digits = 1, times = 100, unit = " %" }
[[item]]
item = "Table 1"
title = "alignment of faces"
shows = ["table1", "frames"]
[[item]]
item = "Figure 1"
title = "the network"
why = "a diagram"
[words]
trad = "the traditional network"
auc = "area"
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
  std::string page(std::string_view findings) const {
    return render(with(findings), results.store()).at("index.html");
  }
  std::vector<std::string> stale(std::string_view findings) const {
    return stale_findings(with(findings), results.store(),
                          judge_claims(with(findings), results.store()));
  }
  std::string details(std::string_view findings) const {
    return render(with(findings), results.store()).at("details.html");
  }
  std::vector<records::Judgement> judged() const {
    return records::judge(claims, "claims.toml", results.store());
  }
  /// As if the other method had won.
  void turn_round() const {
    for (const auto& cell : toy_cells)
      add_toy(results, {cell.method == "pre" ? "trad" : "pre", cell.seed, cell.auc});
  }
};

// A sentence can never say another number than the records.
TEST_F(FindingsOfRecords, NumbersInASentenceAreThoseOfTheRecords) {
  const auto effect = judged().at(0).effects.at(0);
  const auto text = page(found);
  EXPECT_THAT(text, HasSubstr("Pre gains <b>" +
                              number(effect.effect, format_fixed(effect.effect, 3)).bytes() +
                              " of AUC</b>"));
  EXPECT_THAT(text, HasSubstr(number(effect.low, format_fixed(effect.low, 3)).bytes() + ", " +
                              number(effect.high, format_fixed(effect.high, 3)).bytes()));
  EXPECT_THAT(text, AllOf(HasSubstr("over 3 seeds"), HasSubstr(">61.5</data> %</b>")));
  EXPECT_THAT(stale(found), IsEmpty());
}

// Prose that a new run contradicts must not go on standing there.
TEST_F(FindingsOfRecords, AComparisonThatTheRecordsDoNotSupportIsNamedAndMarked) {
  const auto worse = changed("is = \"better\"", "is = \"worse\"");
  EXPECT_THAT(stale(worse), ElementsAre(AllOf(HasSubstr("findings.toml, line 7"),
                                              HasSubstr("gain is not worse"))));
  EXPECT_THAT(page(worse), HasSubstr("These records do not support this"));
  EXPECT_THAT(stale(changed("is = \"better\"", "is = \"undecided\"")),
              ElementsAre(HasSubstr("gain is not undecided")));
  EXPECT_THAT(stale(changed("digits = 3", "at_least = 0.2, digits = 3")),
              ElementsAre(HasSubstr("gain is not better")));
  EXPECT_THAT(stale(changed("digits = 1", "at_most = 61, digits = 1")),
              ElementsAre(HasSubstr("level is not within its bounds")));
}

TEST_F(FindingsOfRecords, WorseIsTheSizeOfWhatSpeaksAgainstTheClaimSlow) {
  turn_round();
  const auto findings = changed("is = \"better\"", "is = \"worse\"") +
                        "[[why]]\nclaim = \"1\"\nverdict = \"contradicted\"\nstatement = \"so\"\n";
  EXPECT_THAT(stale(findings), IsEmpty());
  const auto effect = judged().at(0).effects.at(0);
  EXPECT_LT(effect.effect, 0);
  EXPECT_THAT(
      page(findings),
      HasSubstr("Pre gains <b>" + number(-effect.effect, format_fixed(-effect.effect, 3)).bytes()));
}

TEST_F(FindingsOfRecords, ASentenceWhoseCellsHaveNotRunWaits) {
  const auto text = page(changed("metric = \"auc\", digits = 1", "metric = \"later\", digits = 1"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Pre gains")),
                          HasSubstr("1 more result needs cells that have not run")));
}

// A verdict without an explanation, and an explanation of a verdict that the claim does not have,
// are both noticed.
TEST_F(FindingsOfRecords, EveryVerdictButReproducedNeedsItsReasonSlow) {
  turn_round();
  const auto none =
      changed("gain = { claim = \"1\", is = \"better\"", "gain = { claim = \"1\", is = \"worse\"");
  EXPECT_THAT(stale(none), ElementsAre(AllOf(HasSubstr("claim 1 is contradicted"),
                                             HasSubstr("does not say why"))));
  const std::string why =
      "[[why]]\nclaim = \"1\"\nverdict = \"contradicted\"\nstatement = \"Trad saw more, by {loss}.\"\n"
      "loss = { claim = \"1\", row = \"on faces\", is = \"worse\", digits = 1 }\n";
  EXPECT_THAT(stale(none + why), IsEmpty());
  for (const auto& text : {page(none + why), details(none + why)})
    EXPECT_THAT(text, HasSubstr("Trad saw more, by <b>"));
  EXPECT_THAT(
      stale(none + why + "[[why]]\nclaim = \"1\"\nverdict = \"in part\"\nstatement = \"x\"\n"),
      ElementsAre(HasSubstr("claim 1 is not in part")));
  // Numbers of an explanation are watched like those of a finding.
  auto wrong = why;
  wrong.replace(wrong.find("digits = 1"), 10, "at_least = 1");
  EXPECT_THAT(stale(none + wrong), ElementsAre(HasSubstr("loss is not worse")));
}

// What was not run says so itself.
TEST(StaleWhys, WhatWasNotRunMayHaveAReasonAndNeedsNone) {
  const std::vector<records::ClaimVerdict> not_run{
      {.id = "1", .verdict = records::Verdict::NotRun}},
      reproduced{{.id = "1", .verdict = records::Verdict::Reproduced}};
  EXPECT_THAT(stale_explanations({}, not_run), IsEmpty());
  const Findings with_reason(
      "[[why]]\nclaim = \"1\"\nverdict = \"not run\"\nstatement = \"for its hours\"\n",
      "findings.toml");
  EXPECT_THAT(stale_explanations(with_reason, not_run), IsEmpty());
  EXPECT_THAT(stale_explanations(with_reason, reproduced),
              ElementsAre(HasSubstr("claim 1 is not not run")));
}

TEST_F(FindingsOfRecords, AreOfOneProfileAlone) {
  const auto other = changed("profile = \"smoke\"", "profile = \"small\"");
  EXPECT_THAT(page(other), AllOf(Not(HasSubstr("Pre gains")),
                                 HasSubstr("The document says that pre is better.")));
  EXPECT_THAT(stale(changed("profile = \"smoke\"", "profile = \"small\"") +
                    "[[why]]\nclaim = \"1\"\nverdict = \"undecided\"\nstatement = \"x\"\n"),
              IsEmpty());
}

// A reader meets the answer first and the limits last; what the document shows comes in its order.
TEST_F(FindingsOfRecords, ThePartsOfThePageStandOnceAndInTheirOrder) {
  const auto text = page(found);
  std::size_t at = 0;
  for (const std::string part : {"<h1>", "id=\"findings\"", "id=\"claims\"", "id=\"claim-1\"",
                                 "id=\"forest\"", "id=\"items\"", "Table 1: alignment of faces",
                                 "id=\"table-table1\"", "id=\"gallery-frames\"", "id=\"map\"",
                                 "id=\"setting\"", "id=\"limits\"", "href=\"details.html\""}) {
    EXPECT_EQ(count(text, part), 1U) << part;
    EXPECT_GE(text.find(part), at) << part;
    at = text.find(part);
  }
  EXPECT_THAT(text, AllOf(HasSubstr("One set of faces only."), HasSubstr("<dt>AUC</dt>")));
}

// What is not a counterpart of the document's tables and figures is on the second page, and nothing
// is on both.
TEST_F(FindingsOfRecords, EverythingElseStandsOnTheSecondPageSlow) {
  const auto first = page(found), second = details(found);
  EXPECT_THAT(first, Not(HasSubstr("id=\"figure-box-curve\"")));
  EXPECT_THAT(second, AllOf(HasSubstr("id=\"figure-box-curve\""), HasSubstr("id=\"notes\""),
                            HasSubstr("id=\"more-setting\"")));
  EXPECT_THAT(second, AllOf(Not(HasSubstr("id=\"table-table1\"")),
                            HasSubstr("<td>the traditional network</td>")));
  EXPECT_THAT(first, HasSubstr("<a href=\"details.html#claim-1\">1</a>"));
  EXPECT_THAT(second, HasSubstr("id=\"claim-1\""));
}

// A reader of the document finds each of its tables and figures, or why there is none.
TEST_F(FindingsOfRecords, AMapLeadsFromTheDocumentsItemsToOurs) {
  const auto text = page(found);
  const auto map = text.substr(text.find("id=\"map\""));
  EXPECT_THAT(
      map,
      AllOf(HasSubstr(
                "<a href=\"#table-table1\">Alignment</a>, <a href=\"#gallery-frames\">Frames</a>"),
            HasSubstr("<td>the network</td><td>a diagram</td>")));
}

// An id that two items show stands once: a page may not have it twice.
TEST_F(FindingsOfRecords, ATableOfTwoItemsStandsWithTheFirst) {
  const auto text =
      page(changed("why = \"a diagram\"", "shows = \"table1\"\nwhy = \"as numbers\""));
  EXPECT_EQ(count(text, "id=\"table-table1\""), 1U);
  EXPECT_THAT(text, HasSubstr("<td><a href=\"#table-table1\">Alignment</a>; as numbers</td>"));
}

TEST_F(FindingsOfRecords, NamesThatTheStudyDoesNotHaveAreErrorsSlow) {
  const auto refused = [&](std::string_view from, std::string_view to, const auto& message) {
    EXPECT_THAT([&] { page(changed(from, to)); }, ThrowsUsageError(message));
  };
  refused("forest = \"1\"", "forest = \"7\"",
          AllOf(HasSubstr("claim \"7\""), HasSubstr("it has 1")));
  refused("\"frames\"]", "\"frame\"]",
          AllOf(HasSubstr("\"frame\""), HasSubstr("table1, curve, frames")));
  refused("[words]", "[card]\ntable = \"table2\"\nrows = []\ncolumns = []\n[words]",
          HasSubstr("table \"table2\""));
  refused("[words]", "[[why]]\nclaim = \"2\"\nverdict = \"undecided\"\nstatement = \"x\"\n[words]",
          HasSubstr("claim \"2\""));
  refused("claim = \"1\", is", "claim = \"9\", is",
          AllOf(HasSubstr("findings.toml, line 7"), HasSubstr("no claim \"9\"")));
  refused("claim = \"1\", is", "claim = \"1\", row = \"off faces\", is",
          AllOf(HasSubstr("no row \"off faces\""), HasSubstr("on faces")));
}

// Which of several rows a number is of must not be left open.
TEST_F(FindingsOfRecords, AQuantityOfAClaimOfSeveralRowsNamesItsRow) {
  auto view = with(found);
  const std::string two =
      std::string(claims) +
      "[[claim.row]]\nid = \"again\"\nfurther = true\nkind = \"better\"\nmetric = \"auc\"\ntable = \"table1\"\n"
      "methods = \"pre\"\nthan = \"trad\"\n";
  view.claims = two;
  EXPECT_THAT([&] { render(view, results.store()); },
              ThrowsUsageError(HasSubstr("several rows"), HasSubstr("on faces; again")));
  const auto named = changed("claim = \"1\", is", "claim = \"1\", row = \"again\", is");
  view.findings = named;
  EXPECT_THAT(render(view, results.store()).at("index.html"), HasSubstr("Pre gains <b>"));
}

// A figure's own words stand in place of the sentence that is read off it, under the same watch as
// any finding.
TEST_F(FindingsOfRecords, AFiguresMessageStandsInItsCaptionAndGoesStaleLikeAFindingSlow) {
  const std::string message =
      std::string(found) +
      "[[message]]\nfigure = \"curve\"\nstatement = \"It ends at {level}.\"\n"
      "level = { table = \"table1\", dataset = \"faces\", method = \"pre\", metric = \"auc\", digits = 1, "
      "times = 100 }\n";
  EXPECT_THAT(details(found), Not(HasSubstr("It ends at")));
  EXPECT_THAT(details(message), HasSubstr("<figcaption><strong>It ends at <b>"));
  EXPECT_THAT(stale(message), IsEmpty());
  const auto other = message.substr(0, message.size() - 3) + ", at_most = 1 }\n";
  EXPECT_THAT(stale(other), ElementsAre(HasSubstr("level is not within its bounds")));
  EXPECT_THAT(details(other), HasSubstr("<figcaption><strong><span class=\"stale\">"));
  const auto unknown = [&] {
    page(std::string(found) + "[[message]]\nfigure = \"curves\"\nstatement = \"It ends.\"\n");
  };
  EXPECT_THAT(unknown, ThrowsUsageError(HasSubstr("figure \"curves\"")));
}

// What is said of data and networks is what the run had.
TEST_F(FindingsOfRecords, FactsTakeTheirNumbersFromTheRunsSettingsSlow) {
  const std::string text =
      std::string(found) + "[facts]\nheads = \"{heads.count} generated heads\"\n";
  auto view = with(text);
  view.settings = {{"heads.count", "40"}};
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              HasSubstr("<dt>heads</dt><dd>40 generated heads</dd>"));
  view.settings.clear();
  EXPECT_THAT([&] { render(view, results.store()); }, ThrowsUsageError(HasSubstr("heads.count")));
}

TEST_F(FindingsOfRecords, RowsThatNoRunRegisteredAreSaidToBe) {
  EXPECT_THAT(details(found), HasSubstr("1 not registered before the run"));
}

TEST(Findings, AFileThatCannotBeReadIsRefusedByLine) {
  const auto refused = [](const std::string& text, const auto& message) {
    EXPECT_THAT([&] { Findings(text, "findings.toml"); }, ThrowsUsageError(message)) << text;
  };
  refused("[[finding]\n", HasSubstr("findings.toml, line 1"));
  refused("finding = 3\n", HasSubstr("finding is not a list of tables"));
  refused("titel = \"x\"\n", AllOf(HasSubstr("\"titel\""), HasSubstr("picture")));
  refused("[[claims]]\ntitle = \"x\"\n", HasSubstr("\"claims\""));
  refused("[[finding]]\nstatement = \"{gain}\"\n", HasSubstr("names {gain}, which is no quantity"));
  refused(
      "[[finding]]\nstatement = \"x\"\nlevel = { table = \"t\", dataset = \"d\", method = \"m\", metric = \"q\" }\n",
      HasSubstr("does not name {level}"));
  refused("[[finding]]\nstatement = \"{a}\"\na = 3\n",
          AllOf(HasSubstr("line 3"), HasSubstr("a is not a quantity")));
  refused("[[finding]]\nstatement = \"{a}\"\na = { claim = \"1\" }\n",
          AllOf(HasSubstr("line 3"), HasSubstr("is is missing")));
  refused("[[finding]]\nstatement = \"{a}\"\na = { claim = \"1\", is = \"good\" }\n",
          AllOf(HasSubstr("good"), HasSubstr("undecided")));
  refused("[[finding]]\nstatement = \"{a}\"\na = { table = \"t\" }\n",
          HasSubstr("dataset is missing"));
  refused(
      "[[message]]\nfigure = \"f\"\nstatement = \"x\"\n[[message]]\nfigure = \"f\"\nstatement = \"y\"\n",
      HasSubstr("second message of figure f"));
  refused("[[why]]\nclaim = \"1\"\nverdict = \"so so\"\nstatement = \"x\"\n",
          AllOf(HasSubstr("line 3"), HasSubstr("not testable")));
  refused("[[item]]\nitem = \"Table 1\"\ntitle = \"x\"\n", HasSubstr("neither shows nor why"));
  refused(
      "[card]\ntable = \"t\"\nrows = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]\ncolumns = [\"x\"]\n",
      HasSubstr("rows has 6 entries"));
  std::string many;
  for (int i = 0; i < 9; ++i) many += "[[finding]]\nstatement = \"x\"\n";
  refused(many, HasSubstr("more than eight findings"));
}

// A page of networks of seconds must not be read as a result.
TEST_F(FindingsOfRecords, APageThatShowsTheWayGivesNoVerdicts) {
  auto view = with(found);
  view.evidence = false;
  view.evidence_page = "../small/index.html";
  const auto files = render(view, results.store());
  const auto& text = files.at("index.html");
  EXPECT_THAT(text,
              AllOf(HasSubstr("It gives no verdicts."), HasSubstr("href=\"../small/index.html\""),
                    HasSubstr("pre beats trad"), HasSubstr("id=\"table-table1\"")));
  for (const auto& bytes : {text, files.at("details.html")})
    EXPECT_THAT(bytes, AllOf(Not(HasSubstr("class=\"badge")), Not(HasSubstr("Pre gains")),
                             Not(HasSubstr("id=\"forest\""))));
  EXPECT_FALSE(files.contains("figures/claim-1.svg"));
  EXPECT_THAT(stale_findings(view, results.store(), judge_claims(view, results.store())),
              IsEmpty());
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

// The plot of a claim shows each comparison with its interval, and next to it the difference that
// the document prints for the same pair.
TEST_F(FindingsOfRecords, AClaimIsDrawnComparisonByComparisonWithTheDocumentsDifference) {
  const Findings findings(found, "findings.toml");
  const Measured measured(results.store());
  const Published printed(std::string(published) + R"([[figure]]
table = "table1"
row = "GRU"
column = "traditional"
value = 0.742
tag = "seed"
source = "document, table 1"
protocol = "300-VW"
)",
                          "published.toml");
  const auto judgements = judged();
  const auto claim = records::claim_verdicts(judgements).at(0);
  const auto plain =
      forest_panels(findings, claim, {resolve(toy_study().tables[0], measured, Published())});
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].title, "area");
  ASSERT_EQ(plain[0].rows.size(), 1U);
  const auto& comparison = judgements.at(0).comparisons.at(0);
  EXPECT_EQ(plain[0].rows[0].effect, comparison.effect);
  EXPECT_EQ(plain[0].rows[0].low, comparison.low);
  EXPECT_THAT(plain[0].rows[0].label, HasSubstr(" against the traditional network"));
  EXPECT_FALSE(plain[0].rows[0].document);
  const std::vector grids{resolve(toy_study().tables[0], measured, printed)};
  const auto both = forest_panels(findings, claim, grids);
  EXPECT_NEAR(both[0].rows[0].document.value(), 0.772 - 0.742, 1e-12);
  EXPECT_NEAR(document_difference(grids, judgements[0], judgements[0].effects.at(0)).value(),
              0.772 - 0.742, 1e-12);
  EXPECT_THAT(forest_svg(both), AllOf(HasSubstr("class=\"doc\""), HasSubstr("class=\"d yes\""),
                                      Not(HasSubstr("decides"))));
}

// A reader of a contradicted claim sees which comparison made it so.
TEST_F(FindingsOfRecords, TheComparisonThatContradictsAClaimIsMarkedSlow) {
  turn_round();
  const Findings findings(found, "findings.toml");
  const auto judgements = judged();
  ASSERT_EQ(judgements.at(0).verdict, records::Verdict::Contradicted);
  const auto panels = forest_panels(findings, records::claim_verdicts(judgements).at(0), {});
  ASSERT_EQ(panels.size(), 1U);
  EXPECT_TRUE(panels[0].rows.at(0).decides);
  EXPECT_THAT(forest_svg(panels), AllOf(HasSubstr("  decides<"), HasSubstr("class=\"d no\"")));
}

TEST_F(FindingsOfRecords, ThePlotOfAClaimIsThereInEveryFormSlow) {
  const auto files = render(with(found), results.store());
  for (const auto* name : {"figures/claim-1.svg", "figures/claim-1-narrow.svg",
                           "figures/claim-1.pdf", "figures/claim-1.csv"})
    EXPECT_TRUE(files.contains(name)) << name;
  EXPECT_THAT(files.at("figures/claim-1.pdf"), HasSubstr("%%EOF"));
  EXPECT_THAT(files.at("figures/claim-1.csv"), HasSubstr("area,\"faces, on faces\""));
  const auto none = changed("forest = \"1\"\n", "");
  EXPECT_THAT(page(none), Not(HasSubstr("comparison by comparison")));
}

// A difference in millimetres has no place on an axis of degrees.
TEST_F(FindingsOfRecords, MetricsOfAnotherUnitHaveAnAxisOfTheirOwn) {
  const Findings findings(changed("auc = \"area\"", "auc = \"area\"\nauc_3d = \"distance (mm)\""),
                          "findings.toml");
  const Measured measured(results.store());
  std::vector grids{resolve(toy_study().tables[0], measured, Published())};
  auto in_space = grids[0];
  for (auto& row : in_space.cells)
    for (auto& cell : row)
      if (cell.entry && cell.measured)
        cell.entry->metric = "auc_3d_gaps", cell.measured->unit = "mm";
  grids.push_back(in_space);
  auto judgements = judged();
  judgements.at(0).comparisons.push_back(judgements[0].comparisons.at(0));
  judgements[0].comparisons[1].metric = "auc_3d_gaps";
  const auto panels = forest_panels(findings, records::claim_verdicts(judgements).at(0), grids);
  ASSERT_EQ(panels.size(), 2U);
  EXPECT_EQ(panels[0].title, "area");
  EXPECT_EQ(panels[1].title, "distance (mm)");
}

TEST(Forest, LongLabelsThatEndDifferentlyStayDifferent) {
  const std::string begin(60, 'a');
  const auto row = [&](const std::string& end) {
    return ForestRow{.group = "g",
                     .label = begin + ", é, " + end,
                     .verdict = records::Verdict::Reproduced,
                     .effect = 1,
                     .low = 0,
                     .high = 2};
  };
  const auto svg = forest_svg(
      {ForestPanel{"m", {row("against the first layer"), row("against the second layer")}}});
  EXPECT_THAT(svg, AllOf(HasSubstr("against the first layer<"),
                         HasSubstr("against the second layer<"), HasSubstr("…")));
}

// On a phone as on a screen, and whatever the labels hold.
TEST(Forest, HostileLabelsStayTextAndEveryIntervalIsInThePicture) {
  const ForestPanel panel{"<b>",
                          {{.group = "<g>",
                            .label = "<i>",
                            .verdict = records::Verdict::Contradicted,
                            .effect = -3,
                            .low = -5,
                            .high = -1,
                            .margin = 6,
                            .document = 7}}};
  for (const bool narrow : {false, true}) {
    const auto svg = forest_svg({panel}, narrow);
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("<b>")), Not(HasSubstr("<g>")), Not(HasSubstr("<i>")),
                           HasSubstr("&lt;i&gt;")));
    for (std::size_t at = 0; (at = svg.find("x1=\"", at)) != std::string::npos; ++at) {
      const double x = std::stod(svg.substr(at + 4));
      EXPECT_GE(x, 0);
      EXPECT_LE(x, narrow ? 400 : 1180);
    }
  }
}

}  // namespace
}  // namespace reprise::reports
