#include <fmt/format.h>

#include <regex>

#include "core/compression.h"
#include "core/outputs.h"
#include "reports/pack.h"
#include "reports/page.h"
#include "reports/report.h"
#include "tests/reports/toy_report.h"
#include "tests/support.h"

namespace reprise::reports {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Report, HoldsEveryFormatOfEveryTableAndFigureAndThePictures) {
  const FakeResults results;
  add_all(results);
  std::vector<std::string> names;
  for (const auto& [path, bytes] : render(toy_study(), results.store()))
    names.push_back(path.string());
  EXPECT_THAT(names,
              ElementsAre("claims.md", "details.html", "figures/curve.csv", "figures/curve.pdf",
                          "figures/curve.svg", "index.html", "pictures/frames-1.png",
                          "tables/table1.csv", "tables/table1.md", "tables/table1.tex"));
}

TEST(Report, NumbersOnThePageAreThoseOfTheRecordsNextToThePublishedOnes) {
  const FakeResults results;
  add_all(results);
  const auto page = render(toy_study(), results.store()).at("index.html");
  const auto begin = page.find("id=\"tables\"");
  std::smatch found;
  const std::string tables = page.substr(begin, page.find("</table>", begin) - begin);
  ASSERT_TRUE(std::regex_search(tables, found,
                                std::regex("<strong><data value=\"([^\"]*)\">([^<]*)</data>")));
  EXPECT_DOUBLE_EQ(std::stod(found[1]), (0.601 + 0.628 + 0.617) / 3);
  EXPECT_EQ(found[2], "0.615");
  EXPECT_THAT(tables, HasSubstr("<data value=\"0.772\">0.772</data>"));
}

TEST(Report, SaysWhatWasRunWhereAndForHowLong) {
  const FakeResults results;
  add_all(results);
  auto failed = fake_record("trad", 3, 0);
  failed.status = records::Status::Failed;
  failed.error = "the loss is <NaN> at step 212";
  results.add(failed);
  const auto files = render(toy_study(), results.store());
  EXPECT_THAT(files.at("index.html"),
              AllOf(HasSubstr("6 of 7 done, 1 failed"), HasSubstr("4 (0 to 3)"),
                    HasSubstr("2 x test CPU, 24 GiB"), HasSubstr("<data value=\"49\">49 s</data>"),
                    HasSubstr("./reprise run toy --profile smoke --only &#39;table1/*&#39;")));
  EXPECT_THAT(files.at("details.html"),
              AllOf(HasSubstr("0123456789ab"), HasSubstr("the loss is &lt;NaN&gt; at step 212")));
}

TEST(Report, ShowsTheVerdictItsReasonAndEveryComparison) {
  const FakeResults results;
  add_all(results);
  const auto files = render(toy_study(), results.store());
  const auto judged = records::judge(claims, "claims.toml", results.store()).at(0);
  ASSERT_EQ(judged.verdict, records::Verdict::Reproduced);
  const auto verdict = badge(judged.verdict).bytes(),
             effect = number(judged.effects.at(0).effect, effect_text(judged.effects.at(0).effect))
                          .bytes(),
             p = number(judged.comparisons.at(0).p, p_text(judged.comparisons.at(0).p)).bytes();
  EXPECT_THAT(files.at("index.html"),
              AllOf(HasSubstr(verdict), HasSubstr(effect), HasSubstr("1 claim: 1 reproduced.")));
  EXPECT_THAT(files.at("details.html"),
              AllOf(HasSubstr(verdict), HasSubstr(effect), HasSubstr(Html(judged.reason).bytes()),
                    HasSubstr(p)));
  EXPECT_THAT(files.at("claims.md"), HasSubstr("| 1 | reproduced | pre beats trad |"));
}

/// Claim 1 of the toy study, a claim of two rows that disagree, and a question of our own.
const std::string three_claims = std::string(claims) + R"([[claim]]
id = "2"
statement = "each beats the other"
source = "document, table 2"
[[claim.row]]
for_each = { other = ["trad", "pre"] }
kind = "better"
metric = "auc"
table = "table1"
methods = ".*"
than = "{other}"
[[claim.row]]
id = "once more"
further = true
kind = "better"
metric = "auc"
table = "table1"
methods = "pre"
than = "trad"
[[claim]]
id = "own 1"
statement = "is trad as good"
source = "ours"
own = true
[[claim.row]]
id = "faces"
kind = "no_worse"
margin = 0.5
metric = "auc"
table = "table1"
methods = "trad"
than = "pre"
)";

StudyView study_of_three_claims() {
  auto view = toy_study();
  view.claims = three_claims;
  return view;
}

// A reader counts sentences of the document, not settings.
TEST(Report, TheTableOfClaimsHasALineForEachSentenceAndCountsThem) {
  const FakeResults results;
  add_all(results);
  const auto page = render(study_of_three_claims(), results.store()).at("index.html");
  EXPECT_EQ(count(page, "each beats the other"), 1U);
  EXPECT_EQ(count(page, "document, table 2"), 1U);
  EXPECT_THAT(page, HasSubstr("2 claims: 1 reproduced, 1 in part; 1 question of our own."));
  const auto begin = page.find("id=\"claim-2\"");
  const auto line = page.substr(begin, page.find("</tr>", begin) - begin);
  EXPECT_THAT(line, AllOf(HasSubstr(badge(records::Verdict::InPart).bytes()), HasSubstr(">trad<"),
                          HasSubstr(">pre<")));
  EXPECT_THAT(line, Not(HasSubstr("once more"))) << "a further row has no part in the verdict";
  const auto own = page.find("our own questions, which the document does not state");
  EXPECT_LT(page.find("id=\"claim-2\""), own);
  EXPECT_GT(page.find("id=\"claim-own-1\""), own);
}

// Methods may have ids that are English words, such as "real" or "start".
TEST(Report, AReasonNamesMethodsAndLeavesWordsThatOnlyLookLikeOne) {
  const FakeResults results;
  add_all(results);
  const auto claims_that_need = std::string(claims) + R"(needs = ["apt"]
[[requirement]]
id = "apt"
statement = "methods of the pre kind learn"
methods = "pre"
metric = "auc"
at_least = 0.99
)";
  auto view = toy_study();
  view.claims = claims_that_need;
  view.method_titles = {{"pre", "PreRNN"}, {"trad", "traditional RNN"}};
  const auto page = render(view, results.store()).at("details.html");
  EXPECT_THAT(
      page,
      AllOf(
          HasSubstr("A requirement fails: methods of the pre kind learn. PreRNN on faces: auc is "),
          HasSubstr("Required: at least 0.99."), Not(HasSubstr("the PreRNN kind"))));
}

TEST(Report, EveryRowHasItsVerdictAndItsComparisonsOnTheSecondPage) {
  const FakeResults results;
  add_all(results);
  const auto files = render(study_of_three_claims(), results.store());
  const auto& page = files.at("details.html");
  for (const auto& judged : records::judge(three_claims, "claims.toml", results.store())) {
    const auto begin = page.find("id=\"" + claim_anchor(judged.claim_id) + "\"");
    ASSERT_NE(begin, std::string::npos) << judged.id;
    const auto shown = page.substr(begin, page.find("</article>", begin) - begin);
    EXPECT_THAT(shown, AllOf(HasSubstr(badge(judged.verdict).bytes()), HasSubstr("90 % interval"),
                             HasSubstr("comparisons and requirements: " + judged.row)))
        << judged.id;
    EXPECT_THAT(
        shown,
        HasSubstr(
            number(judged.effects.at(0).effect, effect_text(judged.effects.at(0).effect)).bytes()))
        << judged.id;
  }
  EXPECT_EQ(count(page, "further, not counted"), 1U);
  EXPECT_THAT(files.at("claims.md"),
              AllOf(HasSubstr("| 2 | in part | each beats the other |"),
                    HasSubstr("| trad | reproduced |"), HasSubstr("| pre | contradicted |"),
                    HasSubstr("| once more (further) | reproduced |")));
}

// At most three effects: a row of numbers that nobody reads would be a second page on the first.
TEST(Report, AClaimOfManyEffectsShowsThreeAndLeadsToTheOthers) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  std::string many = "[[claim]]\nid = \"1\"\nstatement = \"x\"\nsource = \"y\"\n";
  for (int i = 0; i < 5; ++i)
    many += fmt::format(
        "[[claim.row]]\nid = \"row {}\"\nkind = \"better\"\nmetric = \"auc\"\ntable = \"table1\"\nmethods = \"pre\"\nthan = "
        "\"trad\"\nmargin = 0.0{}\n",
        i, i + 1);
  view.claims = many;
  const auto page = render(view, results.store()).at("index.html");
  EXPECT_THAT(page, AllOf(HasSubstr("row 2"), Not(HasSubstr("row 3")),
                          HasSubstr("<a href=\"details.html#claim-1\">… 2 more</a>")));
}

// What the document prints for the same pair stands next to ours.
TEST(Report, TheTableOfClaimsHasTheDifferenceThatTheDocumentPrints) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              HasSubstr("<td data-title=\"paper\">–</td>"));
  const std::string both =
      std::string(published) +
      "[[figure]]\ntable = \"table1\"\nrow = \"GRU\"\ncolumn = \"traditional\"\nvalue = 0.742\ntag = \"seed\"\n"
      "source = \"document, table 1\"\nprotocol = \"300-VW\"\n";
  view.published = both;
  EXPECT_THAT(render(view, results.store()).at("index.html"), HasSubstr(">+0.03</data>"));
}

TEST(Report, SameRecordsGiveTheSameBytesWhateverTheirOrderOnDiskSlow) {
  const FakeResults one, other;
  add_all(one);
  add_all(other, true);
  const auto files = render(toy_study(), one.store());
  EXPECT_EQ(files, render(toy_study(), one.store()));
  EXPECT_EQ(files, render(toy_study(), other.store()));
}

TEST(Report, ThePageNeedsNoNetworkAndItsPicturesLieBesideIt) {
  const FakeResults results;
  add_all(results);
  const auto files = render(toy_study(), results.store());
  const auto& page = files.at("index.html");
  const auto picture = "pictures/" + toy_study().galleries.at(0).id + "-1.png";
  EXPECT_THAT(page,
              AllOf(HasSubstr("src=\"" + picture + "\""), HasSubstr("src=\"figures/curve.svg\"")));
  EXPECT_EQ(files.at(picture), png);
  for (const auto& bytes : {page, files.at("details.html")}) {
    for (const auto* outside : {"<script src", "src=\"http", "href=\"http", "<link", "fetch(",
                                "XMLHttpRequest", "import(", "WebSocket"})
      EXPECT_THAT(bytes, Not(HasSubstr(outside)));
    EXPECT_THAT(bytes, Not(HasSubstr(results.path().string())));
  }
}

// Every table can be copied, and without the script its files are linked.
TEST(Report, TablesHoldTheirTextsForCopyingAndLinksToTheirFiles) {
  const FakeResults results;
  add_all(results);
  const auto files = render(toy_study(), results.store());
  const auto& page = files.at("index.html");
  EXPECT_THAT(page, AllOf(HasSubstr("<template data-form=\"LaTeX\">" +
                                    Html(files.at("tables/table1.tex")).bytes() + "</template>"),
                          HasSubstr("<template data-form=\"Markdown\">" +
                                    Html(files.at("tables/table1.md")).bytes() + "</template>")));
  for (const auto* file : {"csv", "md", "tex"})
    EXPECT_THAT(page, HasSubstr(fmt::format("href=\"tables/table1.{}\"", file)));
  EXPECT_EQ(count(page, "<table"), count(page, "class=\"copyable\""));
}

// Searching, sorting and choosing are a help: without a script everything is on the page and no
// button stands there that does nothing.
TEST(Report, WithoutAScriptNothingIsLost) {
  const FakeResults results;
  add_all(results);
  const auto files = render(study_of_three_claims(), results.store());
  const auto& page = files.at("details.html");
  const auto body = page.substr(0, page.find("<script>"));
  EXPECT_THAT(body, AllOf(HasSubstr("<div id=\"controls\" hidden>"), Not(HasSubstr("<button")),
                          HasSubstr("id=\"claim-1\"")));
  EXPECT_EQ(count(body, " hidden"), 2U) << "the controls and their note that nothing fits";
  EXPECT_EQ(count(page, "<script>"), 1U);
}

// Who shows a picture elsewhere must know whose it is.
TEST(Report, PicturesNameTheirDataAndLicenceSlow) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  EXPECT_THAT(render(view, results.store()).at("index.html"), Not(HasSubstr("class=\"data\"")));
  view.data_notes = {{"faces", "generated by this project"}, {"other", "not shown"}};
  EXPECT_EQ(count(render(view, results.store()).at("index.html"),
                  "<p class=\"data\">Data: faces (generated by this project)</p>"),
            2U)
      << "of the figure and of the gallery";
  view.galleries[0].data = "BIWI, for research only";
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              HasSubstr("<p class=\"data\">Data: BIWI, for research only</p>"));
}

// Committed pages must not change by a run on somebody's machine: without one nothing of it is
// shown.
TEST(Report, WhatWasRunAgainHereIsSaidOnTopAndMarked) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  EXPECT_THAT(render(view, results.store()).at("index.html"), Not(HasSubstr("class=\"rerun")));
  view.rerun = Rerun{.summary = "1 cell of this study was re-run on this machine: 1 equal",
                     .total = "1 cell of one study was re-run: 1 equal",
                     .cells = {{.table = "table1",
                                .dataset = "faces",
                                .method = "pre",
                                .seed = 0,
                                .metric = "auc",
                                .measured = 0.601,
                                .committed = 0.601,
                                .equal = true,
                                .agrees = true}}};
  const auto page = render(view, results.store()).at("index.html");
  EXPECT_LT(page.find("1 cell of this study was re-run on this machine: 1 equal"),
            page.find("<h1>"));
  EXPECT_EQ(count(page, "<span class=\"rerun\""), 1U);
  EXPECT_THAT(studies_page({summarise(view, results.store(), "toy/index.html",
                                      judge_claims(view, results.store()))}),
              HasSubstr("1 cell of one study was re-run: 1 equal"));
}

TEST(Report, HostileTextStaysText) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  const std::string hostile = "<script>alert(1)</script>";
  view.title = view.document = view.tables[0].caption = view.tables[0].rows[0] =
      view.figures[0].series[0].label = view.figures[0].caption =
          view.galleries[0].pictures[0].caption = view.notes[0] = hostile;
  view.published = "";
  for (const auto& [path, bytes] : render(view, results.store())) {
    const auto kind = path.extension();
    if (kind == ".html" || kind == ".svg" || kind == ".md") {
      EXPECT_THAT(bytes, Not(HasSubstr("<script>alert"))) << path;
    }
  }
}

TEST(Report, WithoutAnyRecordThereIsAPageThatSaysSo) {
  const FakeResults results;
  const auto files = render(toy_study(), results.store());
  EXPECT_THAT(files.at("index.html"),
              AllOf(HasSubstr("none has run"),
                    HasSubstr("No data: no finished record holds any of these series"),
                    HasSubstr("no finished cell left best.png"), HasSubstr("not run")));
  EXPECT_FALSE(files.contains("figures/curve.svg"));
  EXPECT_THAT(files.at("details.html"), HasSubstr("not run"));
}

TEST(Report, CheckFindsChangedMissingAndExtraFilesSlow) {
  const FakeResults results;
  add_all(results);
  const auto files = render(toy_study(), results.store());
  write_report(files, results.path(), {.results = results.path()});
  EXPECT_THAT(check_report(render(toy_study(), results.store()), results.path()), IsEmpty());

  std::string page = files.at("index.html");
  page[page.size() / 2] ^= 1;
  write_file(results.path() / "index.html", page);
  std::filesystem::remove(results.path() / "figures/curve.pdf");
  write_file(results.path() / "tables/old.csv", "x");
  const auto differences = check_report(files, results.path());
  ASSERT_EQ(differences.size(), 3U);
  EXPECT_EQ(differences[0].file, "figures/curve.pdf");
  EXPECT_EQ(differences[0].kind, Difference::Kind::Missing);
  EXPECT_EQ(differences[1].file, "index.html");
  EXPECT_EQ(differences[1].kind, Difference::Kind::Differs);
  EXPECT_EQ(differences[2].file, "tables/old.csv");
  EXPECT_EQ(differences[2].kind, Difference::Kind::Extra);

  EXPECT_THROW(write_report(files, results.path(), {.results = results.path()}), UsageError)
      << "the page was edited by hand";
  OutputRules rules("report");
  rules.allow_overwriting();
  write_report(files, results.path(), {.results = results.path()});
  const auto left = check_report(files, results.path());
  ASSERT_EQ(left.size(), 1U) << "no report wrote it, so none deletes it";
  EXPECT_EQ(left[0].file, "tables/old.csv");
}

TEST(Report, AChangedRecordIsSeenByTheCheckSlow) {
  const FakeResults results;
  add_all(results);
  write_report(render(toy_study(), results.store()), results.path(), {.results = results.path()});
  add_toy(results, {"pre", 2, 0.6170001});
  std::vector<std::string> changed;
  for (const auto& difference : check_report(render(toy_study(), results.store()), results.path()))
    changed.push_back(difference.file.string());
  EXPECT_THAT(changed, testing::IsSupersetOf({"index.html", "details.html", "tables/table1.csv",
                                              "figures/curve.csv"}));
}

TEST(Report, RecordsOfAnotherStudyOrProfileAreRefused) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  view.profile = "small";
  EXPECT_THAT([&] { render(view, results.store()); },
              ThrowsError(HasSubstr("profile smoke"), HasSubstr("small")));
  view = toy_study();
  view.name = "other";
  EXPECT_THAT([&] { render(view, results.store()); },
              ThrowsError(HasSubstr("study toy"), HasSubstr("other")));
}

TEST(Report, APublishedValueWithoutAPlaceInItsTableIsAnError) {
  const FakeResults results;
  auto view = toy_study();
  view.tables[0].columns[1] = "Pre fc 6";
  EXPECT_THAT([&] { render(view, results.store()); },
              ThrowsUsageError(HasSubstr("\"Pre fc6\""), HasSubstr("traditional, Pre fc 6")));
}

TEST(Report, IdsMustBeFileNamesAndDiffer) {
  const FakeResults results;
  auto view = toy_study();
  view.tables[0].id = "../table1";
  EXPECT_THAT([&] { render(view, results.store()); }, ThrowsUsageError(HasSubstr("../table1")));
  view = toy_study();
  view.figures.push_back(view.figures[0]);
  EXPECT_THAT([&] { render(view, results.store()); }, ThrowsUsageError(HasSubstr("curve")));
}

TEST(Report, APictureThatIsNoneIsNamed) {
  const FakeResults results;
  add_all(results);
  for (const auto seed : {0, 1, 2})
    write_file(
        results.path() / "cells/table1/faces/pre" / ("seed" + std::to_string(seed)) / "best.png",
        "<svg onload=x>");
  EXPECT_THAT([&] { render(toy_study(), results.store()); },
              ThrowsError(HasSubstr("seed0/best.png")));
}

TEST(Report, AGalleryShowsAnimationsAndPlaysSoundsWhateverTheirNames) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  auto& pictures = view.galleries[0].pictures;
  const std::string wav("RIFF\x24\0\0\0WAVEfmt not a real one", 29),
      webp("RIFF\x24\0\0\0WEBPVP8 ", 16);
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{{"sound.bin", wav}, {"turn.bin", webp}}) {
    pictures.push_back({.table = "table1",
                        .dataset = "faces",
                        .method = "pre",
                        .file = name,
                        .caption = "what " + name + " is"});
    write_file(results.path() / "cells/table1/faces/pre/seed0" / name, bytes);
  }
  const auto files = render(view, results.store());
  EXPECT_EQ(files.at("pictures/frames-2.wav"), wav);
  EXPECT_EQ(files.at("pictures/frames-3.webp"), webp);
  const auto& page = files.at("index.html");
  EXPECT_THAT(
      page,
      HasSubstr(
          "<audio controls preload=\"metadata\" src=\"pictures/frames-2.wav\" aria-label=\"what sound.bin is\"></audio>"));
  EXPECT_THAT(page, HasSubstr("<img src=\"pictures/frames-3.webp\""));
  write_file(results.path() / "cells/table1/faces/pre/seed0/sound.bin",
             std::string("RIFF\x24\0\0\0AVI LIST", 16));
  EXPECT_THAT([&] { render(view, results.store()); },
              ThrowsError(HasSubstr("seed0/sound.bin"), HasSubstr("WAVE sound")));
}

// A first seed that is far from the others would stand for all of them: here seed 2 has the middle
// one of three accuracies.
TEST(Report, APictureIsOfTheSeedWithTheMedianWhereAGalleryNamesAMetricSlow) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  const auto picture_of_seed = [&](int seed) {
    return results.path() / fmt::format("cells/table1/faces/pre/seed{}/best.png", seed);
  };
  for (const auto seed : {0, 1, 2}) write_file(picture_of_seed(seed), png + std::to_string(seed));
  EXPECT_EQ(render(view, results.store()).at("pictures/frames-1.png"), png + "0")
      << "the first seed without a metric";
  view.galleries[0].median_of = "auc";
  const auto files = render(view, results.store());
  EXPECT_EQ(files.at("pictures/frames-1.png"), png + "2");
  EXPECT_THAT(files.at("index.html"),
              HasSubstr("<figcaption>best, seed 2, the median of 3</figcaption>"));
  std::filesystem::remove(picture_of_seed(2));
  const auto without = render(view, results.store());
  EXPECT_EQ(without.at("pictures/frames-1.png"), png + "0");
  EXPECT_THAT(without.at("index.html"), HasSubstr("<figcaption>best, seed 0</figcaption>"));
}

// What a row of a sheet is must stand beside it, whatever its name.
TEST(Report, ASheetHasTheNamesOfItsRowsAndColumnsSlow) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  auto& picture = view.galleries[0].pictures[0];
  EXPECT_THAT(render(view, results.store()).at("index.html"), Not(HasSubstr("class=\"sheet")));
  picture.columns = {"frame <1>", "frame 2"};
  EXPECT_THAT(
      render(view, results.store()).at("index.html"),
      HasSubstr(
          "<div class=\"sheet\"><div class=\"columns\"><span>frame &lt;1&gt;</span><span>frame 2</span></div><img"));
  picture.rows = {"clean"};
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              AllOf(HasSubstr("<div class=\"sheet named\">"),
                    HasSubstr("<div class=\"rows\"><span>clean</span></div><img")));
}

// Who copies a command must get what runs.
TEST(Report, ACommandInASentenceKeepsItsIds) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  view.method_titles["pre"] = "Pre-trained";
  view.claims =
      "[[claim]]\nid = \"1\"\nstatement = \"x\"\nsource = \"y\"\n"
      "because = \"pre on faces waits; ./reprise run pre gives it\"\n";
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              HasSubstr("Pre-trained on faces waits; ./reprise run pre gives it"));
}

// Eight clips in a row are too small to see in a column of the page.
TEST(Report, AWideGalleryHasARowAPicture) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              Not(HasSubstr("class=\"gallery wide\"")));
  view.galleries[0].wide = true;
  EXPECT_THAT(render(view, results.store()).at("index.html"),
              HasSubstr("<div class=\"gallery wide\">"));
}

TEST(Report, TheIndexListsStudiesWithTheirCountsOfClaims) {
  const FakeResults results;
  add_all(results);
  const auto summary = summarise(toy_study(), results.store(), "toy/index.html",
                                 judge_claims(toy_study(), results.store()));
  EXPECT_EQ(summary.done, 6);
  const auto page = studies_page({summary});
  EXPECT_THAT(page, AllOf(HasSubstr("href=\"toy/index.html\""), HasSubstr("A toy study"),
                          HasSubstr("6 cells done"), HasSubstr("1 claim: 1 reproduced."),
                          Not(HasSubstr("<img"))));
  auto wiring = toy_study();
  wiring.evidence = false;
  auto shows_the_way =
      summarise(wiring, results.store(), "toy/index.html", judge_claims(wiring, results.store()));
  shows_the_way.evidence_page = "../small/toy/index.html";
  EXPECT_THAT(studies_page({shows_the_way}), AllOf(HasSubstr("It gives no verdicts."),
                                                   HasSubstr("href=\"../small/toy/index.html\""),
                                                   Not(HasSubstr("class=\"counts"))));
}

// The question of the document is answered on the index by numbers, not by counts alone.
TEST(Report, ACardOfTheIndexShowsRowsOfOneTable) {
  const FakeResults results;
  add_all(results);
  auto view = toy_study();
  view.findings =
      "profile = \"smoke\"\n[card]\ntable = \"table1\"\nrows = [\"GRU\"]\ncolumns = [\"Pre fc6\"]\n";
  const auto index = studies_page(
      {summarise(view, results.store(), "toy/index.html", judge_claims(view, results.store()))});
  EXPECT_THAT(index, AllOf(HasSubstr("<th scope=\"col\">Pre fc6</th>"),
                           Not(HasSubstr("traditional")), HasSubstr(">0.615</data>")));
  view.findings =
      "profile = \"smoke\"\n[card]\ntable = \"table1\"\nrows = [\"LSTM\"]\ncolumns = [\"Pre fc6\"]\n";
  EXPECT_THAT(
      [&] {
        summarise(view, results.store(), "toy/index.html", judge_claims(view, results.store()));
      },
      ThrowsUsageError(HasSubstr("\"LSTM\"")));
}

// A reader sees what was found, and one picture of it, before any count: on the index and on the
// study's page.
TEST(Report, TheAnswerAndItsPictureComeFirstSlow) {
  const FakeResults results;
  add_all(results);
  for (const auto& [picture, file] :
       {std::pair{"frames", "pictures/frames-1.png"},
        std::pair{"frames-1", "pictures/frames-1.png"}, std::pair{"curve", "figures/curve.svg"}}) {
    const auto findings = fmt::format(
        "profile = \"smoke\"\npicture = \"{}\"\n[answer]\nstatement = \"Yes: {{auc}}.\"\n"
        "auc = {{ table = \"table1\", dataset = \"faces\", method = \"pre\", metric = \"auc\", digits = 2 }}\n",
        picture);
    auto study = toy_study();
    study.findings = findings;
    const auto index = studies_page({summarise(study, results.store(), "toy/index.html",
                                               judge_claims(study, results.store()))});
    EXPECT_THAT(index, AllOf(HasSubstr("<p class=\"answer\">Yes: "),
                             HasSubstr(fmt::format("src=\"toy/{}\"", file))));
    EXPECT_LT(index.find("class=\"answer\""), index.find("class=\"counts"));
    const auto page = render(study, results.store()).at("index.html");
    EXPECT_LT(page.find("class=\"answer\""), page.find("class=\"badge"));
    EXPECT_LT(page.find(fmt::format("src=\"{}\"", file)), page.find("class=\"badge"));
  }
  auto mistyped = toy_study();
  mistyped.findings = "profile = \"smoke\"\npicture = \"frame\"\n";
  EXPECT_THAT([&] { render(mistyped, results.store()); },
              ThrowsUsageError(HasSubstr("the picture \"frame\"")));
}

/// What a run leaves, and a folder to pack it into.
struct PackedReport : testing::Test {
  FakeResults results;
  TemporaryFolder folder;
  const std::filesystem::path travels = folder.path() / "travels";
  void SetUp() override {
    add_all(results);
    write_file(results.path() / "run.json", R"({"study": "toy", "profile": "smoke"})");
  }
  void pack() const { write_packed(toy_study(), results.store(), travels); }
  std::map<std::filesystem::path, std::string> on_disk() const {
    std::map<std::filesystem::path, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(travels))
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(travels)] = read_file(entry.path());
    return files;
  }
};

TEST_F(PackedReport, GivesTheSameBytesAsTheCellsFoldersSlow) {
  pack();
  const auto files = render(toy_study(), results.store());
  EXPECT_EQ(render(toy_study(), records::Store(travels)), files);
  EXPECT_THAT(check_report(files, travels), IsEmpty());
  EXPECT_EQ(on_disk().size(), files.size() + 4);
  EXPECT_EQ(read_file(travels / "run.json"), read_file(results.path() / "run.json"));
}

TEST_F(PackedReport, PackingAgainAndPackingThePackedGiveTheSameBytesSlow) {
  pack();
  const auto before = on_disk();
  pack();
  EXPECT_EQ(on_disk(), before);
  write_packed(toy_study(), records::Store(travels), travels);
  EXPECT_EQ(on_disk(), before);
}

// What is committed must be made again from a commit.
TEST_F(PackedReport, RefusesRecordsOfAChangedCheckoutAndWritesNothing) {
  auto changed = results.store().all().front();
  changed.environment.edit().dirty = true;
  results.add(changed);
  EXPECT_THAT(
      [&] { pack(); },
      ThrowsUsageError(AllOf(HasSubstr("1 record is of a checkout with uncommitted changes"),
                             HasSubstr(changed.cell.id())),
                       HasSubstr("--redo '" + changed.cell.id() + "'")));
  EXPECT_FALSE(std::filesystem::exists(travels));
}

TEST_F(PackedReport, ABrokenLineIsNamedOnThePageWhichDoesWithoutItSlow) {
  pack();
  const auto file = travels / "records/table1.jsonl.gz";
  auto bytes = decompress(read_file(file), file.string(), "");
  bytes.erase(0, 1);
  write_file(file, bytes);
  const records::Store store(travels, records::Damage::Skip);
  const auto files = render(toy_study(), store);
  EXPECT_THAT(files.at("index.html"),
              AllOf(HasSubstr("5 of 5 done, 1 damaged line or file skipped"),
                    Not(HasSubstr(folder.path().string()))));
  EXPECT_THAT(files.at("details.html"),
              AllOf(HasSubstr("Files that could not be read"),
                    HasSubstr("records/table1.jsonl.gz, line 1: not complete JSON"),
                    Not(HasSubstr(folder.path().string()))));
  const auto whole = render(toy_study(), results.store());
  EXPECT_THAT(whole.at("index.html"), Not(HasSubstr("damaged")));
  EXPECT_THAT(whole.at("details.html"), Not(HasSubstr("Files that could not be read")));
  EXPECT_THAT([&] { render(toy_study(), records::Store(travels)); },
              ThrowsError(HasSubstr("table1.jsonl.gz, line 1")));
}

TEST_F(PackedReport, APictureThatIsGoneIsNamedOnThePageSlow) {
  pack();
  std::filesystem::remove(travels / "pictures/frames-1.png");
  const records::Store store(travels, records::Damage::Skip);
  const auto files = render(toy_study(), store);
  EXPECT_THAT(files.at("index.html"), HasSubstr("no finished cell left best.png"));
  EXPECT_THAT(files.at("details.html"),
              HasSubstr("no file in pictures is the best.png of cell table1/faces/pre/seed0"));
}

TEST_F(PackedReport, AFolderThatHoldsSomethingElseIsRefusedAndLeftAsItIsSlow) {
  const auto refused = [&](const std::filesystem::path& file, const std::string& bytes,
                           const std::string& problem) {
    write_file(travels / file, bytes);
    const auto before = on_disk();
    EXPECT_THAT([&] { pack(); }, ThrowsUsageError(HasSubstr(problem))) << file;
    EXPECT_EQ(on_disk(), before);
    std::filesystem::remove_all(travels);
  };
  refused("thesis.tex", "x", "thesis.tex is not part of packed results");
  refused("index.html", "another page", "index.html is not part of packed results");
  refused("run.json", R"({"study": "toy", "profile": "small"})", "profile \"small\"");
  refused("run.json", "{}", "run.json is of study \"\"");
  refused("run.json", "no JSON", "run.json: not complete JSON");
  refused("records/table7.jsonl.gz", "{}", "table7.jsonl.gz holds nothing that is packed now");
  pack();
  refused("cells/table1/faces/pre/seed0/record.json", "{}", "cells is not part of packed results");
}

TEST_F(PackedReport, WhatAKilledReportBeganToWriteIsNoDifferenceAndGoesWithTheNextSlow) {
  const auto page = folder.path() / "page";
  const auto files = render(toy_study(), results.store());
  write_report(files, page, {.results = results.path()});
  const auto begun = page / "tables/.table1.csv.31073.32.tmp",
             top = page / ".index.html.31073.33.tmp", mine = page / ".mine.1.2.tmp";
  for (const auto& path : {begun, top, mine}) write_file(path, "half");
  EXPECT_TRUE(check_report(files, page).empty());
  write_report(files, page, {.results = results.path()});
  EXPECT_FALSE(std::filesystem::exists(begun));
  EXPECT_FALSE(std::filesystem::exists(top));
  EXPECT_TRUE(std::filesystem::exists(mine)) << "no name of a report";
}

TEST_F(PackedReport, WhatAnInterruptedPackLeftIsCompletedSlow) {
  pack();
  const auto whole = on_disk();
  for (const auto& [path, bytes] : whole)
    if (*path.begin() != "records") std::filesystem::remove(travels / path);
  for (const char* empty : {"tables", "figures", "pictures"})
    std::filesystem::remove(travels / empty);
  pack();
  EXPECT_EQ(on_disk(), whole);
}

TEST_F(PackedReport, ARecordThatCannotBeReadIsNotLeftOut) {
  write_file(results.path() / "cells/table1/faces/pre/seed0/record.json", "{");
  EXPECT_THAT([&] { pack(); }, ThrowsError(HasSubstr("pre/seed0/record.json")));
  EXPECT_FALSE(std::filesystem::exists(travels));
}

TEST(Report, DurationsAndEffectsReadWell) {
  EXPECT_EQ(duration_text(0.25), "250 ms");
  EXPECT_EQ(duration_text(48.2), "48 s");
  EXPECT_EQ(duration_text(59.9), "1 min 0 s");
  EXPECT_EQ(duration_text(725), "12 min 5 s");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
  EXPECT_EQ(effect_text(0.01234), "+0.0123");
  EXPECT_EQ(effect_text(-2), "\u22122");
  EXPECT_EQ(effect_text(0), "0");
  EXPECT_EQ(p_text(0.0004), "<0.001");
  EXPECT_EQ(p_text(0.0312), "0.031");
}

}  // namespace
}  // namespace reprise::reports
