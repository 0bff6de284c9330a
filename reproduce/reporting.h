// From a results folder to its report: the study's description and run.json make the view that the reports room draws.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "records/claims.h"
#include "reports/report.h"
#include "reproduce/study.h"

namespace reprise::reproduce {

struct ReportResult {
  std::filesystem::path results, folder, page;
  std::vector<records::Judgement> claims;
  std::vector<reports::Difference> differences;  ///< of check_report_on_disk
  std::vector<Error> unreadable;                 ///< records, curves and pictures that the report does without
};

/// Writes the report of `results` into `folder`. UsageError: not a results folder, or a study this binary lacks; a folder that holds what no
/// report wrote (reports/report.h).
ReportResult make_report(const std::vector<Study>& studies, const std::filesystem::path& results, const std::filesystem::path& folder);

/// Writes nothing: what in `folder` differs from what the records give.
ReportResult check_report_on_disk(const std::vector<Study>& studies, const std::filesystem::path& results,
                                  const std::filesystem::path& folder);

/// Writes what travels of `results` into `folder`: packed records and the report (reports/pack.h). Error: a record that cannot be read.
ReportResult pack_results(const std::vector<Study>& studies, const std::filesystem::path& results, const std::filesystem::path& folder);

/// The page that lists several studies, or the single study's own page. Returns its path; "" without any.
std::filesystem::path write_index(const std::vector<Study>& studies, const std::vector<ReportResult>& reports,
                                  const std::filesystem::path& folder);

/// One object for each row of a claim; docs/records.md lists the fields.
nlohmann::json claims_json(const std::vector<records::Judgement>& claims);
/// A short table for the terminal: what a claim says once, a verdict with effects for each of its rows; the whole reasons are in the JSON and
/// on the page.
std::string claims_text(const std::vector<records::Judgement>& claims);

/// What could not be read, for the terminal and as ["FILE, line N: what was expected", ...]; "" and [] when all could.
std::string unreadable_text(const std::vector<Error>& unreadable);
nlohmann::json unreadable_json(const std::vector<Error>& unreadable);

}  // namespace reprise::reproduce
