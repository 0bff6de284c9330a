// A trial of a hyperparameter search. Its name is the method and the value of each hyperparameter:
// "pre_gru_fc6+lr=0.002+dropout=0.25".
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

struct Hyperparameter {
  std::string name;
  std::string text;  ///< text of its value in a name: "1e-2" stays "1e-2"
  double value = 0;
};
/// Makes a hyperparameter whose text reads back as the same value. UsageError: the value is not
/// finite.
Hyperparameter hyperparameter(const std::string& name, double value);
/// Makes a hyperparameter from text. UsageError: no name, or not a finite number.
Hyperparameter hyperparameter(const std::string& name, const std::string& text);

/// A method with the hyperparameters in its name; none for the name of a method alone.
struct Trial {
  std::string method;
  std::vector<Hyperparameter> hyperparameters = {};

  std::optional<double> find(const std::string& hyperparameter) const;
  /// Returns a value. UsageError: it has no such hyperparameter.
  double value(const std::string& hyperparameter) const;
};
std::string trial_name(const Trial& trial);
/// Returns the method of a trial: its name up to the first '+'.
std::string base_method(const std::string& name);
/// Parses a trial's name. UsageError: a part is not NAME=NUMBER, or a hyperparameter occurs twice.
Trial parse_trial(const std::string& name);

/// Whether a cell is a trial: exactly the cells in tables named search*. No other cell needs its
/// files.
bool is_trial(const Cell& cell);

/// Whether a metric holds the value of a hyperparameter: learning_rate and learning_rate_depth hold
/// "lr", with_first holds "first".
bool holds_hyperparameter(const std::string& metric, const std::string& hyperparameter);

}  // namespace reprise::records
