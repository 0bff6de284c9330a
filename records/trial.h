// A trial of a hyperparameter search, and its name: the method, then the value of each
// hyperparameter, "pre_gru_fc6+lr=0.002+dropout=0.25".
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

struct Hyperparameter {
  std::string name;
  std::string text;  ///< of its value, as a name has it: "1e-2" stays "1e-2"
  double value = 0;
};
/// Reads back as the same value. UsageError: the value is not finite.
Hyperparameter hyperparameter(const std::string& name, double value);
/// UsageError: no name, or a text that is no finite number.
Hyperparameter hyperparameter(const std::string& name, const std::string& text);

/// A method, and what its name changes. The name of a method alone has no hyperparameters.
struct Trial {
  std::string method;
  std::vector<Hyperparameter> hyperparameters = {};

  std::optional<double> find(const std::string& hyperparameter) const;
  /// UsageError: it has no such hyperparameter.
  double value(const std::string& hyperparameter) const;
};
std::string trial_name(const Trial& trial);
/// The method that a trial is of: its name up to the first '+'.
std::string base_method(const std::string& name);
/// UsageError: a part that is not NAME=NUMBER, or a hyperparameter that is there twice.
Trial parse_trial(const std::string& name);

/// Whether a cell is a trial: all trials, and only these, are in tables named search*. It serves to
/// choose; no other cell needs its files.
bool is_trial(const Cell& cell);

/// Whether this metric of a record holds the value of this hyperparameter: learning_rate and
/// learning_rate_depth hold "lr", with_first "first".
bool holds_hyperparameter(const std::string& metric, const std::string& hyperparameter);

}  // namespace reprise::records
