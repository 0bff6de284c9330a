// A study: which cells there are, how one runs, and what is shown of them. Everything else (order, workers, resume, records,
// drawing, judging) is known by the rooms below and by the runner.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "records/record.h"
#include "records/store.h"
#include "reports/describe.h"
#include "reproduce/settings.h"
#include "training/progress.h"

namespace reprise::reproduce {

struct PlannedCell {
  records::Cell cell;
  std::vector<records::Cell> needs;  ///< cells that must be done first, in the same plan
  double cost = 1;                   ///< expected seconds on one core: long ones start first, and the time left is estimated from it
};

/// What a cell gets when it runs. It fills record.metrics, seconds and parameters, writes curves through the store, and may leave files in
/// `folder`.
struct CellContext {
  const Settings& settings;
  const records::Store& store;
  std::filesystem::path folder;  ///< of this cell; exists
  std::filesystem::path data;    ///< --data, may be ""
  std::string device;            ///< "cpu" or "cuda"
  records::Record& record;
  training::Progress& progress;
};

struct Report {
  std::vector<reports::Table> tables;
  std::vector<reports::Figure> figures;
  std::vector<reports::Gallery> galleries;
  std::vector<std::string> notes;  ///< paragraphs: what differs from the document, which rule chose what
};

struct Study {
  std::string name, title, document;
  std::vector<std::pair<std::string, std::string_view>> profiles;  ///< name -> TOML text holding every default
  std::string_view claims, published;                              ///< TOML texts
  /// All cells of a profile. UsageError: a setting out of range (named); data that the profile needs and `data` lacks (what is missing is
  /// listed).
  std::function<std::vector<PlannedCell>(const Settings&, const std::filesystem::path& data)> plan;
  std::function<void(CellContext&)> run;
  std::function<Report(const Settings&)> report;
};

/// The registry: one line a study.
const std::vector<Study>& studies();

/// UsageError: no such study; lists the known ones.
const Study& study_named(const std::vector<Study>& studies, const std::string& name);
std::vector<std::string> study_names(const std::vector<Study>& studies);

}  // namespace reprise::reproduce
