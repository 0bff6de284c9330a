// A study: its cells, their execution and its report. The layers below and the runner do everything
// else: order, workers, resume, records, drawing, verdicts.
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
#include "experiments/data_folder.h"
#include "experiments/external_method.h"
#include "experiments/metric_list.h"
#include "experiments/search.h"
#include "experiments/settings.h"
#include "records/record.h"
#include "records/store.h"
#include "reports/describe.h"
#include "training/method_info.h"
#include "training/progress.h"

namespace reprise::reproduce {

struct PlannedCell {
  records::Cell cell;
  std::vector<records::Cell> needs;  ///< cells that must be done first, in the same plan
  /// Expected seconds on one core (Study::seconds). Long cells start first, and the remaining time
  /// follows from it.
  double cost = 1;
  std::optional<MethodFile> file = {};  ///< of an external method
  /// Search of its hyperparameters; the trials are among `needs` (add_search).
  std::optional<Search> search = {};
  /// Sections ("gestures") and single settings ("resampled", "search.seeds") that the cell reads.
  /// It gets only these, and its record holds them. Changing another setting does not invalidate
  /// it. Empty: all.
  std::vector<std::string> reads = {};
  /// Missing data sets, weights or GPU of the cell. A run that includes it is refused, and names
  /// them all (require_present()).
  std::vector<Missing> missing = {};
  bool measured = false;  ///< whether `cost` was measured in this results folder
};

/// Lets a search choose the cell's hyperparameters: the cell needs its trials.
void add_search(PlannedCell& planned, const Search& search);

/// Mean seconds of a cell of these tables on one core, with the settings of the base profile. They
/// are proportional to each setting `per` that a cell reads. Finished records correct them
/// (experiments/run/expected_seconds.h). The first line that matches a cell applies.
struct TableSeconds {
  std::string tables;  ///< glob of tables, or of a table's methods: "digits/subspace_alignment"
  double seconds = 1;
  std::vector<std::string> per = {};
};

/// Context of a running cell. The cell fills record.metrics, seconds and parameters, writes curves
/// through the store, and may leave files in `folder`.
struct CellContext {
  const Settings& settings;  ///< settings that PlannedCell::reads names
  const records::Store& store;
  std::filesystem::path folder;  ///< of this cell; exists
  DataFolder data;               ///< --data; what the cell reads becomes part of its record
  std::string device;            ///< "cpu" or "cuda"
  records::Record& record;
  training::Progress& progress;
  /// File of an external method with checked SHA-256; record.options state its kind.
  std::filesystem::path method_file = {};
};

struct Report {
  std::vector<reports::Table> tables;
  std::vector<reports::Figure> figures;
  std::vector<reports::Gallery> galleries;
  /// Paragraphs: differences from the document, rules of choices.
  std::vector<std::string> notes;
  /// Data set -> its source and licence, printed below its pictures.
  std::map<std::string, std::string> data_notes = {};
  /// Removes tables, figures and galleries that the settings leave empty.
  void drop_empty();
};

/// Items of one seed with ground truth and their train/validation/test split. Set: LandmarkFrames,
/// LabelledClips, PoseFrames or NamedPictures.
template <typename Set>
struct ExportedSet {
  Set set;
  datasets::Split split;
};
using ExportedData =
    std::variant<ExportedSet<datasets::LandmarkFrames>, ExportedSet<datasets::LabelledClips>,
                 ExportedSet<datasets::PoseFrames>, ExportedSet<datasets::NamedPictures>>;

/// Result of a script's check: whether it learns, and how its layers start.
struct ScriptCheck {
  bool learns = false;
  /// Layers that start otherwise than those of the study's own methods, for the user.
  std::vector<std::string> notes = {};
};

/// A table that takes external methods, on one data set. experiments/external.h has what all
/// studies share; a study's `run` measures the cells.
struct ExternalTable {
  std::string table, dataset;
  /// Section of the page: the table's title, its columns (methods are compared in the first) and
  /// the study's own rows (id, title).
  std::string title;
  std::vector<reports::Column> columns;
  std::vector<std::pair<std::string, std::string>> own_rows;
  std::string id = {};  ///< name of the section, if a table has two

  /// Content of predictions in words, with shape; "": the table takes none.
  std::string predictions = {};
  /// Signature of a script's forward with shapes; "": the table takes none.
  std::string forward = {};
  /// Cells of predictions, one per seed, with what they need. Their method is "". Scripts use them
  /// too, unless `script_cells` is set.
  std::vector<PlannedCell> cells = {};
  /// Returns "" if the predictions fit this table, else the reason. UsageError: they fit and are
  /// damaged.
  std::function<std::string(const std::filesystem::path&)> mismatch = {};
  /// Tries the script on zeros; `call` false: only loads it. UsageError: it does not fit; names
  /// file, actual and expected shapes.
  std::function<ScriptCheck(const std::filesystem::path&, bool call)> check_script = {};
  std::function<std::vector<PlannedCell>(const std::string& name, const std::filesystem::path&)>
      script_cells = {};
};

/// Support of a study for external methods.
struct ExternalMethods {
  std::function<std::vector<ExternalTable>(const Settings&, const DataFolder& data)> tables = {};
  /// Returns the items that an external program learns from and predicts, exactly as the cells of
  /// that seed have them. UsageError: unknown data set.
  std::function<ExportedData(const std::string& dataset, std::int64_t seed, const Settings&,
                             const DataFolder& data)>
      exported = {};
};

/// A line of `list methods`.
struct ListedMethod {
  training::Contract contract;
  training::MethodInfo info;
  std::string facts;  ///< its traits in words: "gru at fc6, input product per gate"
};

struct Study {
  std::string name, title, document;
  /// Version of the computation, from 1; a finished cell of another version runs again.
  /// STUDY_version in reproduce/STUDY/study.h.
  int version = 0;
  /// Name -> TOML text.
  std::vector<std::pair<std::string, std::string_view>> profiles;
  std::string_view claims, published;  ///< TOML texts
  /// TOML text (reports/findings.h).
  std::string_view findings = {};
  /// TOML text: cells that `reproduce` re-runs (experiments/rerun/sample.h).
  std::string_view sample = {};
  /// Lists all cells of a profile, each with what is missing below `data`. UsageError: a setting
  /// out of range (named).
  std::function<std::vector<PlannedCell>(const Settings&, const DataFolder& data)> plan;
  std::function<void(CellContext&)> run;
  /// Expected seconds of the cells, by table; the first pattern that matches counts. Cells of a
  /// table without a match have the cost that the plan states.
  std::vector<TableSeconds> seconds = {};
  std::function<Report(const Settings&)> report;
  /// Every method that its profiles can name, in table order.
  std::function<std::vector<ListedMethod>()> methods = {};
  /// Names in place of a method in records that claims use, and that no registry has: results of a
  /// rule, sizes of a set.
  std::vector<std::string> other_names = {};
  ExternalMethods external = {};
  /// Inputs that its cells offer to the setting `metrics`.
  std::vector<MetricInput> metric_inputs = {};
};

/// Returns the names that the study's claims may use: its methods without user methods, and its
/// other names. Empty for a study without a list of methods.
std::set<std::string> own_methods(const Study& study);
/// Lists the ids of its user methods, in table order.
std::vector<std::string> user_methods(const Study& study);

using RunCell = void (*)(CellContext&);
/// Pattern of a cell's TABLE, or of its TABLE/DATASET if the pattern has a '/' -> function for such
/// cells. The first match counts.
using Runs = std::vector<std::pair<std::string, RunCell>>;
/// Returns a Study::run by this list. `run_external`: function for external methods that are not
/// run as the study's own. Error: no pattern matches the cell.
std::function<void(CellContext&)> run_by_table(Runs runs, RunCell run_external = nullptr);

/// Finds a study. UsageError: no such study; lists the known ones.
const Study& study_named(const std::vector<Study>& studies, const std::string& name);
std::vector<std::string> study_names(const std::vector<Study>& studies);

/// Describes what these cells lack; "" if nothing is missing.
std::string missing_text(const std::vector<PlannedCell>& cells, const DataFolder& data);
/// Checks that nothing is missing. UsageError: names all that is, with alternatives.
void require_present(const std::vector<PlannedCell>& cells, const DataFolder& data = {});

}  // namespace reprise::reproduce
