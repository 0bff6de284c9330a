// Curves of values measured during training. A file of the cell keeps them, so that a run that
// resumes from a checkpoint has the earlier points.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "records/store.h"

namespace reprise::reproduce::unit_study {

class TrainingCurves {
 public:
  /// Reads the points of an interrupted run, if the file exists.
  explicit TrainingCurves(std::filesystem::path file);
  /// Adds a point, or replaces the one of the same iteration.
  void add(std::int64_t iteration, const std::map<std::string, double>& values);
  /// Returns "iteration" and each value, in the order of iterations.
  records::Curves curves() const;
  /// Returns `wanted` at the point where `by` is largest. Error: there is no point.
  double value_at_maximum(const std::string& by, const std::string& wanted) const;
  /// Returns `wanted` at this iteration; nothing if there is no such point.
  std::optional<double> value_at(std::int64_t iteration, const std::string& wanted) const;
  /// Removes the file after the cell has stored its curves.
  void remove_file() const;

 private:
  std::filesystem::path file_;
  std::map<std::int64_t, std::map<std::string, double>> points_;
};

}  // namespace reprise::reproduce::unit_study
