// A study: which cells there are, how one runs, and what is shown of them. Everything else (order, workers, resume, records,
// drawing, judging) is known by the rooms below and by the runner.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "datasets/clips.h"
#include "datasets/landmarks.h"
#include "datasets/pictures.h"
#include "datasets/pose_frames.h"
#include "datasets/splits.h"
#include "records/record.h"
#include "records/store.h"
#include "reports/describe.h"
#include "reproduce/data_folder.h"
#include "reproduce/metric_list.h"
#include "reproduce/outside_method.h"
#include "reproduce/settings.h"
#include "training/method_info.h"
#include "training/progress.h"

namespace reprise::reproduce {

struct PlannedCell {
  records::Cell cell;
  std::vector<records::Cell> needs;     ///< cells that must be done first, in the same plan
  double cost = 1;                      ///< expected seconds on one core: long ones start first, and the time left is estimated from it
  std::optional<MethodFile> file = {};  ///< of a method from outside
  /// Profile sections ("gestures") and settings ("worlds", "gestures.size") that do not affect this cell. They are omitted from its record, so
  /// changing them does not invalidate it.
  std::vector<std::string> apart = {};
};

/// What a cell gets when it runs. It fills record.metrics, seconds and parameters, writes curves through the store, and may leave files in
/// `folder`.
struct CellContext {
  const Settings& settings;
  const records::Store& store;
  std::filesystem::path folder;  ///< of this cell; exists
  DataFolder data;               ///< --data; what the cell takes from it becomes part of its record
  std::string device;            ///< "cpu" or "cuda"
  records::Record& record;
  training::Progress& progress;
  std::filesystem::path method_file = {};  ///< of a method from outside, its SHA-256 checked; record.options say which kind
};

struct Report {
  std::vector<reports::Table> tables;
  std::vector<reports::Figure> figures;
  std::vector<reports::Gallery> galleries;
  std::vector<std::string> notes;  ///< paragraphs: what differs from the document, which rule chose what
};

/// One replicate's items with ground truth, and their train/validation/test split. Set: LandmarkFrames, LabelledClips, PoseFrames or NamedPictures.
template <typename Set>
struct ExportedSet {
  Set set;
  datasets::Split split;
};
using ExportedData = std::variant<ExportedSet<datasets::LandmarkFrames>, ExportedSet<datasets::LabelledClips>,
                                  ExportedSet<datasets::PoseFrames>, ExportedSet<datasets::NamedPictures>>;

/// How a study takes methods from outside; one that takes none leaves all empty.
struct OutsideDoor {
  /// The cells of such a method, each with its file, and what they need from the study's own plan. UsageError: the file does not do; says
  /// what was expected.
  std::function<std::vector<PlannedCell>(const OutsideMethod&, const Settings&, const DataFolder& data)> plan = {};
  /// Tables in which the rows `names` stand beside the study's own methods. The first column is what the page compares them in.
  std::function<std::vector<reports::Table>(const std::vector<std::string>& names, const Settings&)> tables = {};
  /// What an outside program gets to train on and to predict, exactly as the cells of that seed have it. UsageError: unknown dataset.
  std::function<ExportedData(const std::string& dataset, std::int64_t seed, const Settings&, const DataFolder& data)> exported = {};
};

/// A line of `list methods`.
struct ListedMethod {
  training::Contract contract;
  training::MethodInfo info;
  std::string facts;  ///< its typed facts in words: "gru at fc6, input product per gate"
};

struct Study {
  std::string name, title, document;
  /// Of what its cells compute, from 1; a finished cell of another version runs again. STUDY_version in reproduce/STUDY/study.h.
  int version = 0;
  std::vector<std::pair<std::string, std::string_view>> profiles;  ///< name -> TOML text holding every default
  std::string_view claims, published;                              ///< TOML texts
  std::string_view findings = {};                                  ///< TOML text (reports/findings.h)
  std::string_view sample = {};                                    ///< TOML text: cells that `reproduce` re-runs (reproduce/rerun/sample.h)
  /// All cells of a profile. UsageError: a setting out of range (named); data that the profile needs and `data` lacks (what is missing is
  /// listed).
  std::function<std::vector<PlannedCell>(const Settings&, const DataFolder& data)> plan;
  std::function<void(CellContext&)> run;
  std::function<Report(const Settings&)> report;
  std::function<std::vector<ListedMethod>()> methods = {};  ///< every method that its profiles can name, in table order
  /// Names that stand in a method's place in records of which claims speak, and that no registry has: what a rule chose, sizes of a set.
  std::vector<std::string> other_names = {};
  OutsideDoor outside = {};
  std::vector<MetricInput> metric_inputs = {};  ///< what its cells have for metrics that the setting `metrics` names
};

/// The names that the study's claims may speak of: its methods but guests, and its other names. Empty for a study that lists no methods.
std::set<std::string> own_methods(const Study& study);
/// Ids of its methods that are guests, in table order.
std::vector<std::string> guests(const Study& study);

/// What runs the cells of each table.
using Runs = std::map<std::string, void (*)(CellContext&)>;
/// Error: a table that `runs` does not have; lists those that it has.
void run_table(const Runs& runs, const std::string& table, CellContext& context);

/// The registry: one line per study.
const std::vector<Study>& studies();

/// UsageError: no such study; lists the known ones.
const Study& study_named(const std::vector<Study>& studies, const std::string& name);
std::vector<std::string> study_names(const std::vector<Study>& studies);
/// Names of those that take methods from outside (OutsideDoor).
std::vector<std::string> studies_with_outside_methods(const std::vector<Study>& studies);

}  // namespace reprise::reproduce
