// What is measured now and then while a method learns, kept in a file of the cell: a run that was
// killed goes on from a checkpoint, and the points before it are not lost.
#pragma once
#include <filesystem>
#include <map>
#include <string>

#include "records/store.h"

namespace reprise::reproduce::unit_study {

class Watched {
 public:
  /// Reads the points of an interrupted run, where there are any.
  explicit Watched(std::filesystem::path file);
  /// A point; one of the same iteration is replaced.
  void add(std::int64_t iteration, const std::map<std::string, double>& values);
  /// "iteration" and each value, in the order of iterations.
  records::Curves curves() const;
  /// The value of `wanted` at the point at which `by` is largest. Error: there is no point.
  double at_largest(const std::string& by, const std::string& wanted) const;
  /// The cell is done: its curves are what is kept.
  void remove_file() const;

 private:
  std::filesystem::path file_;
  std::map<std::int64_t, std::map<std::string, double>> points_;
};

}  // namespace reprise::reproduce::unit_study
