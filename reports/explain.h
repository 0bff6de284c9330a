// One quantity of an accuracy check, drawn: what each run gave for each seed, one row per run.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace reprise::reports {

struct ExplainedRun {
  std::string label;           ///< "reference", "arithmetic 2", "now"
  std::vector<double> values;  ///< one per seed
  bool now = false;            ///< the run that is judged
};

struct Explained {
  std::string title;    ///< "auc of table1/faces/cnn"
  std::string verdict;  ///< the check's sentence
  std::vector<ExplainedRun> runs;
  std::optional<double> low, high;  ///< means that pass
};

/// Lines of at most `width` columns: a row per run with a mark per seed (o; a digit where several fall together) and | at its mean, the
/// band below. Values that are all one stand in the middle.
std::string explained_text(const Explained& explained, int width = 100);

/// The same as a picture. Text is escaped; no script, no font of its own.
std::string explained_svg(const Explained& explained);

}  // namespace reprise::reports
