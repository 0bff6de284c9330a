// The report of a study: a pure function of its description and its records.
//
// Files: index.html (read in five minutes), details.html (everything else), claims.md (every row
// and comparison), tables/ID.{md,csv,tex}, figures/ID.{svg,pdf,csv},
// figures/claim-ID{.svg,-narrow.svg,.pdf,.csv} (the forest plot of a claim), pictures/ID-N.png.
// They contain neither times nor paths of the machine: the same records and gnuplot give the same
// bytes on every machine.
//
// .report.json names study, profile and the folder of the records, says whether the folder holds
// records too, and lists the files with their SHA-256. A later report replaces and deletes only
// listed files that nobody has changed since.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "records/claims/claims.h"
#include "records/store.h"
#include "reports/view.h"

namespace reprise::reports {

/// Path relative to the report's folder -> bytes.
using Files = std::map<std::filesystem::path, std::string>;

/// Judges the study's claims by these records, which takes seconds. The functions below take the
/// result as `claims`.
std::vector<records::Judgement> judge_claims(const StudyView& view, const records::Store& store);

/// Renders all files of a report. Throws a UsageError for:
///   - an id that cannot be a file name, or that two tables, figures or galleries share;
///   - a published value without a place in its table;
///   - an error in claims.toml, published.toml or findings.toml.
/// Throws an Error for a record of another study or profile (named), and those of tables.h,
/// figures.h and gallery.h.
Files render(const StudyView& view, const records::Store& store,
             const std::vector<records::Judgement>& claims);
inline Files render(const StudyView& view, const records::Store& store) {
  return render(view, store, judge_claims(view, store));
}

/// Lists sentences of findings.toml that these records do not support, and verdicts without an
/// explanation. Empty for another profile than that of the findings.
std::vector<std::string> stale_findings(const StudyView& view, const records::Store& store,
                                        const std::vector<records::Judgement>& claims);

/// Source of a report.
struct ReportSource {
  std::string study = {}, profile = {};  ///< empty for the page over several studies
  std::filesystem::path results;         ///< folder of the records
  /// The records of `results` were just packed into the report's folder.
  bool packs_records = false;
};

/// Checks that a report may be written there: into a new or empty folder, one with a report, or the
/// folder of the records.
/// UsageError: another folder (names what lies there); one with other records; a report of other
/// results, without --overwrite; a .report.json that no report wrote.
void expect_report_folder(const std::filesystem::path& folder, const ReportSource& source);

/// Checks whether write_report() is allowed. UsageError: as there.
void expect_report(const Files& files, const std::filesystem::path& folder,
                   const ReportSource& source);

/// Writes the files below `folder` and deletes files that its .report.json lists and `files` lacks,
/// except pictures of packed records.
/// UsageError: as expect_report_folder(); a symbolic link on the way to a file; a file that no
/// report wrote or that was changed since, without --overwrite. Nothing is written or deleted then.
void write_report(const Files& files, const std::filesystem::path& folder,
                  const ReportSource& source);

struct Difference {
  enum class Kind { Differs, Missing, Extra } kind;
  std::filesystem::path file;  ///< relative to the folder
};
/// Compares `folder` with `files` byte by byte; sorted by file. Extra files are looked for only in
/// tables/, figures/ and pictures/, because the records lie in the same folder.
std::vector<Difference> check_report(const Files& files, const std::filesystem::path& folder);

/// A study on the page that lists several.
struct StudySummary {
  std::string name, title, document, profile, opening;
  bool evidence = true;
  std::string counts = {};  ///< claims by verdict, in one line; "" on a page without verdicts
  int done = 0, failed = 0, unfinished = 0;
  double seconds = 0;  ///< of all cells together
  /// HTML of the sentence that answers the document; "" without one.
  std::string answer = {};
  /// HTML of the table that findings.toml names for it; "" without one.
  std::string card = {};
  std::string data = {};       ///< data sets of the picture, with their licences
  std::string rerun = {};      ///< cells that were re-run on this machine, in one line
  std::string picture = {};    ///< opening picture, a file in the page's folder; "" without one
  std::filesystem::path page;  ///< of the study, relative to the index page
  /// On a page without verdicts: path of the committed page, relative to the index page.
  std::string evidence_page = {};
};
StudySummary summarise(const StudyView& view, const records::Store& store,
                       const std::filesystem::path& page,
                       const std::vector<records::Judgement>& claims);
std::string studies_page(const std::vector<StudySummary>& studies);

}  // namespace reprise::reports
