// How tables, figures and galleries of study langevin list the methods of a profile.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce::langevin_study {

using Columns = std::vector<reports::Column>;

/// A text of captions.toml (experiments/captions.h).
std::string caption(const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values = {});

/// The methods that the profile has in table `cells`, on one data set.
std::vector<reports::Source> sources(const std::string& cells, const std::string& dataset,
                                     const Settings& settings);

/// Adds a row for each method that the profile has in table `cells`, on one data set. Rows of what
/// generates nothing are never marked as best.
reports::Table by_method(const std::string& cells, const std::string& dataset,
                         const Settings& settings, reports::Table table, const Columns& columns);

/// Whether the method shows the start as it is, or real items.
bool generates_nothing(const PriorMethod& method);

/// Whether the profile has this data set.
bool has(const Settings& settings, const std::string& domain);

/// "28 x 28 pixels": the size of one item of a data set.
std::string item_size(const std::string& domain, const Settings& settings);

/// Draws a curve for every method that goes by rounds. `key`: of the caption.
reports::Figure by_round(const Settings& settings, const std::string& cells,
                         const std::string& dataset, const std::string& curve,
                         const std::string& title, const std::string& label,
                         const std::string& key);

/// Shows one picture of every method.
reports::Gallery gallery(const std::string& table, const std::string& dataset,
                         const std::string& file, const Settings& settings,
                         const std::string& title, const std::string& caption);

/// Order of the rows of a sheet of rounds (class Strip of churn.cpp).
struct RoundRows {
  std::vector<std::string> before;  ///< names of the rows above the first round
  bool from_first =
      true;  ///< every quarter of the rounds is shown, from the first one or from the end of the first quarter
  bool end = true;
};

/// Shows one sheet for each method, with named rows. Methods without rounds have only the rows
/// `before` and the end.
reports::Gallery rounds_gallery(const std::string& table, const Settings& settings,
                                const std::string& title, const RoundRows& rows);

}  // namespace reprise::reproduce::langevin_study
