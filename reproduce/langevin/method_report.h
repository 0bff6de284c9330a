// How tables, figures and galleries of study langevin list the methods of a profile.
#pragma once
#include <string>
#include <vector>

#include "reproduce/study.h"

namespace reprise::reproduce::langevin_study {

using Columns = std::vector<reports::Column>;

/// Methods of a table on one data set: a row each.
reports::Table by_method(const std::string& cells, const std::string& dataset, const Settings& settings, reports::Table table,
                         const Columns& columns);

/// Whether the profile has this world.
bool has(const Settings& settings, const std::string& world);

/// A curve of every method that goes by rounds.
reports::Figure by_round(const Settings& settings, const std::string& cells, const std::string& dataset, const std::string& curve,
                         const std::string& title, const std::string& label);

/// A picture of every method.
reports::Gallery gallery(const std::string& table, const std::string& dataset, const std::string& file, const Settings& settings,
                         const std::string& title, const std::string& caption);

/// How the rows of a sheet of rounds follow each other (class Strip of churn.cpp).
struct RoundRows {
  std::vector<std::string> before;
  bool from_first = true;  ///< every quarter of the rounds is shown, from the first one or from the end of the first quarter
  bool end = true;
};

/// A sheet for each method, its rows named: methods without rounds have none between what was before and the end.
reports::Gallery rounds_gallery(const std::string& table, const Settings& settings, const std::string& title, const RoundRows& rows);

}  // namespace reprise::reproduce::langevin_study
