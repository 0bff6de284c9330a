// Reports of results folders: the study's description and run.json make the view that the layer
// reports draws.
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
  bool evidence = true;  ///< whether the page gives verdicts
  std::vector<records::Judgement> claims;
  /// Sentences of the study that these records do not support (reports/report.h).
  std::vector<std::string> stale;
  std::vector<reports::Difference> differences;  ///< of check_report_on_disk
  /// Unreadable records, curves and pictures, which the report leaves out.
  std::vector<Error> unreadable;
  std::optional<reports::Rerun> rerun = {};  ///< re-run cells, which the pages mark
};

/// Writes the report of `results` into `folder`. `rerun`: cells that were re-run on this machine,
/// for the pages' marks.
/// UsageError: not a results folder, or an unknown study; a folder with files that no report wrote
/// (reports/report.h).
ReportResult make_report(const std::vector<Study>& studies, const std::filesystem::path& results,
                         const std::filesystem::path& folder,
                         std::optional<reports::Rerun> rerun = {});

/// Compares the report in `folder` with the one that the records give; writes nothing.
ReportResult check_report_on_disk(const std::vector<Study>& studies,
                                  const std::filesystem::path& results,
                                  const std::filesystem::path& folder);

/// Writes packed records and the report of `results` into `folder` (reports/pack.h). Error: a
/// record that cannot be read.
ReportResult pack_results(const std::vector<Study>& studies, const std::filesystem::path& results,
                          const std::filesystem::path& folder);

/// Returns the page over several studies, with links relative to `folder`.
std::string index_page(const std::vector<Study>& studies, const std::vector<ReportResult>& reports,
                       const std::filesystem::path& folder);
/// Writes that page for several studies and returns its path; the single study's own page; ""
/// without any.
std::filesystem::path write_index(const std::vector<Study>& studies,
                                  const std::vector<ReportResult>& reports,
                                  const std::filesystem::path& folder);

/// Returns an object per claim, with its rows; docs/records.md lists the fields.
nlohmann::json claims_json(const std::vector<records::Judgement>& judgements);
/// Returns verdicts and unsupported sentences for the terminal; one line for a smoke test.
std::string verdicts_text(const ReportResult& report);
/// Returns a short table for the terminal: each claim with its verdict, then its rows with effects.
/// JSON and page have the complete reasons.
std::string claims_text(const std::vector<records::Judgement>& judgements);

/// Lists unreadable files for the terminal, and as ["FILE, line N: what was expected", ...]; empty
/// without any.
std::string unreadable_text(const std::vector<Error>& unreadable);
nlohmann::json unreadable_json(const std::vector<Error>& unreadable);

}  // namespace reprise::reproduce
