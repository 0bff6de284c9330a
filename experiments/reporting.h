// From a results folder to its report: the study's description and run.json make the view that the
// reports room draws.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "experiments/study.h"
#include "records/claims/claims.h"
#include "reports/report.h"
#include "reports/rerun.h"

namespace reprise::reproduce {

struct ReportResult {
  std::filesystem::path results, folder, page;
  bool evidence = true;  ///< whether the page judges the claims
  std::vector<records::Judgement> claims;
  /// Sentences of the study that these records do not bear out (reports/report.h).
  std::vector<std::string> stale;
  std::vector<reports::Difference> differences;  ///< of check_report_on_disk
  /// Records, curves and pictures that the report does without.
  std::vector<Error> unreadable;
  std::optional<reports::Rerun> rerun = {};  ///< what the pages mark as re-run
};

/// Writes the report of `results` into `folder`. UsageError: not a results folder, or a study this
/// binary lacks; a folder that holds what no report wrote (reports/report.h). `rerun`: cells of the
/// study that were re-run on this machine, for the pages' marks.
ReportResult make_report(const std::vector<Study>& studies, const std::filesystem::path& results,
                         const std::filesystem::path& folder,
                         std::optional<reports::Rerun> rerun = {});

/// Writes nothing: what in `folder` differs from what the records give.
ReportResult check_report_on_disk(const std::vector<Study>& studies,
                                  const std::filesystem::path& results,
                                  const std::filesystem::path& folder);

/// Writes what travels of `results` into `folder`: packed records and the report (reports/pack.h).
/// Error: a record that cannot be read.
ReportResult pack_results(const std::vector<Study>& studies, const std::filesystem::path& results,
                          const std::filesystem::path& folder);

/// The page over several studies, as it would lie in `folder`.
std::string index_page(const std::vector<Study>& studies, const std::vector<ReportResult>& reports,
                       const std::filesystem::path& folder);
/// Writes that page, where there are several; returns its path, or the single study's own page; ""
/// without any.
std::filesystem::path write_index(const std::vector<Study>& studies,
                                  const std::vector<ReportResult>& reports,
                                  const std::filesystem::path& folder);

/// One object for each claim, with its rows; docs/records.md lists the fields.
nlohmann::json claims_json(const std::vector<records::Judgement>& judgements);
/// What a report says of its claims on the terminal: verdicts, and sentences that no longer hold;
/// of a page that judges nothing, a line.
std::string verdicts_text(const ReportResult& report);
/// A short table for the terminal: each claim with its verdict, then each of its rows with effects;
/// the whole reasons are in the JSON and on the page.
std::string claims_text(const std::vector<records::Judgement>& judgements);

/// What could not be read, for the terminal and as ["FILE, line N: what was expected", ...]; "" and
/// [] when all could.
std::string unreadable_text(const std::vector<Error>& unreadable);
nlohmann::json unreadable_json(const std::vector<Error>& unreadable);

}  // namespace reprise::reproduce
