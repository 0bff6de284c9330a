// A study: which cells there are, how one runs, and what is shown of them. Everything else (order,
// workers, resume, records, drawing, judging) is known by the rooms below and by the runner.
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
  /// Expected seconds on one core (Study::seconds): long ones start first, and the time left
  /// follows.
  double cost = 1;
  std::optional<MethodFile> file = {};  ///< of an external method
  /// Chooses its hyperparameters; its trials are among `needs` (add_search).
  std::optional<Search> search = {};
  /// Sections of the profile ("gestures") and single settings ("replicates", "search.seeds") that
  /// the cell reads. It gets these alone, and its record holds them: changing another one does not
  /// invalidate it. None named: all.
  std::vector<std::string> reads = {};
  /// What the cell itself needs and is not here: data sets and weights below --data, a GPU. A run
  /// that would run it is refused, and names all of it (require_present()).
  std::vector<Missing> missing = {};
  bool measured = false;  ///< `cost` is what such cells took in this results folder
};

/// Lets a search choose the cell's hyperparameters: the cell needs its trials.
void add_search(PlannedCell& planned, const Search& search);

/// What the cells of the tables that match the glob take on average: `seconds` on one core with the
/// settings of the base profile, in proportion to each of these settings that the cell reads.
/// Finished records correct it (experiments/run/expected_seconds.h).
struct TableSeconds {
  std::string tables;
  double seconds = 1;
  std::vector<std::string> per = {};
};

/// What a cell gets when it runs. It fills record.metrics, seconds and parameters, writes curves
/// through the store, and may leave files in `folder`.
struct CellContext {
  const Settings& settings;  ///< those that PlannedCell::reads names
  const records::Store& store;
  std::filesystem::path folder;  ///< of this cell; exists
  DataFolder data;               ///< --data; what the cell takes from it becomes part of its record
  std::string device;            ///< "cpu" or "cuda"
  records::Record& record;
  training::Progress& progress;
  /// Of an external method, its SHA-256 checked; record.options say which kind.
  std::filesystem::path method_file = {};
};

struct Report {
  std::vector<reports::Table> tables;
  std::vector<reports::Figure> figures;
  std::vector<reports::Gallery> galleries;
  /// Paragraphs: what differs from the document, which rule chose what.
  std::vector<std::string> notes;
  /// Data set -> its source and licence, printed below its pictures.
  std::map<std::string, std::string> data_notes = {};
  /// Removes what the profile's settings leave without rows, series or pictures.
  void drop_empty();
};

/// One replicate's items with ground truth, and their train/validation/test split. Set:
/// LandmarkFrames, LabelledClips, PoseFrames or NamedPictures.
template <typename Set>
struct ExportedSet {
  Set set;
  datasets::Split split;
};
using ExportedData =
    std::variant<ExportedSet<datasets::LandmarkFrames>, ExportedSet<datasets::LabelledClips>,
                 ExportedSet<datasets::PoseFrames>, ExportedSet<datasets::NamedPictures>>;

/// Whether a script learns here, and what its layers start from.
struct ScriptCheck {
  bool learns = false;
  /// For the user: which layers start otherwise than those of the study's own methods.
  std::vector<std::string> notes = {};
};

/// A table in which external methods can have rows, on one data set. What is shared by all studies
/// is in experiments/external.h; a study's `run` measures the cells.
struct ExternalTable {
  std::string table, dataset;
  /// Of the section of the page: the table's title, its columns (the page compares methods in the
  /// first) and the study's own rows (id, title).
  std::string title;
  std::vector<reports::Column> columns;
  std::vector<std::pair<std::string, std::string>> own_rows;
  std::string id = {};  ///< where a table has two sections: which one

  /// What a file or folder of predictions holds, in words with its shape; "": the table takes none.
  std::string predictions = {};
  /// The signature of a script's forward with its shapes; "": the table takes none.
  std::string forward = {};
  /// Cells of predictions, one per seed, with what they need. Their method is "". Those of a script
  /// too, unless `script_cells` says otherwise.
  std::vector<PlannedCell> cells = {};
  /// "" if the predictions belong into this table, else the reason why not. UsageError: they do,
  /// and are damaged.
  std::function<std::string(const std::filesystem::path&)> mismatch = {};
  /// Tries the script on zeros; `call` false: loads it alone. UsageError: it does not fit; names
  /// what was given, got and expected.
  std::function<ScriptCheck(const std::filesystem::path&, bool call)> check_script = {};
  std::function<std::vector<PlannedCell>(const std::string& name, const std::filesystem::path&)>
      script_cells = {};
};

/// How a study takes external methods.
struct ExternalMethods {
  std::function<std::vector<ExternalTable>(const Settings&, const DataFolder& data)> tables = {};
  /// What an external program learns from and predicts, exactly as the cells of that seed have it.
  /// UsageError: unknown data set.
  std::function<ExportedData(const std::string& dataset, std::int64_t seed, const Settings&,
                             const DataFolder& data)>
      exported = {};
};

/// A line of `list methods`.
struct ListedMethod {
  training::Contract contract;
  training::MethodInfo info;
  std::string facts;  ///< its typed facts in words: "gru at fc6, input product per gate"
};

struct Study {
  std::string name, title, document;
  /// Of what its cells compute, from 1; a finished cell of another version runs again.
  /// STUDY_version in reproduce/STUDY/study.h.
  int version = 0;
  /// Name -> TOML text holding every default.
  std::vector<std::pair<std::string, std::string_view>> profiles;
  std::string_view claims, published;  ///< TOML texts
  /// TOML text (reports/findings.h).
  std::string_view findings = {};
  /// TOML text: cells that `reproduce` re-runs (experiments/rerun/sample.h).
  std::string_view sample = {};
  /// All cells of a profile, each with what it lacks below `data`. UsageError: a setting out of
  /// range (named).
  std::function<std::vector<PlannedCell>(const Settings&, const DataFolder& data)> plan;
  std::function<void(CellContext&)> run;
  std::vector<TableSeconds> seconds =
      /// The first that matches counts; of a table that none matches the plan says what its cells
      /// take.
      {};
  std::function<Report(const Settings&)> report;
  /// Every method that its profiles can name, in table order.
  std::function<std::vector<ListedMethod>()> methods = {};
  /// Names that stand in a method's place in records of which claims speak, and that no registry
  /// has: what a rule chose, sizes of a set.
  std::vector<std::string> other_names = {};
  ExternalMethods external = {};
  /// What its cells have for metrics that the setting `metrics` names.
  std::vector<MetricInput> metric_inputs = {};
};

/// The names that the study's claims may speak of: its methods but guests, and its other names.
/// Empty for a study that lists no methods.
std::set<std::string> own_methods(const Study& study);
/// Ids of its methods that are guests, in table order.
std::vector<std::string> guests(const Study& study);

using RunCell = void (*)(CellContext&);
/// Pattern of a cell's TABLE, or of its TABLE/DATASET where the pattern has a '/' -> the function
/// that runs such cells. The first match counts.
using Runs = std::vector<std::pair<std::string, RunCell>>;
/// A Study::run by this list. `run_external`: runs the cells of external methods, where these are
/// not run as the study's own. Error: no pattern matches the cell.
std::function<void(CellContext&)> run_by_table(Runs runs, RunCell run_external = nullptr);

/// UsageError: no such study; lists the known ones.
const Study& study_named(const std::vector<Study>& studies, const std::string& name);
std::vector<std::string> study_names(const std::vector<Study>& studies);

/// What these cells lack, as a sentence; "" where nothing is missing.
std::string missing_text(const std::vector<PlannedCell>& cells, const DataFolder& data);
/// UsageError: these cells lack something; all of it is named, with what to do without it.
void require_present(const std::vector<PlannedCell>& cells, const DataFolder& data = {});

}  // namespace reprise::reproduce
