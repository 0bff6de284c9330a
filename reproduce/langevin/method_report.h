// How tables, figures and galleries of study langevin list the methods of a profile.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce::langevin_study {

using Columns = std::vector<reports::Column>;

/// Returns a text of captions.toml (experiments/captions.h).
std::string caption(const std::string& key, const Settings& settings,
                    const std::map<std::string, std::string>& values = {});

/// Lists the methods that the profile has in table `cells`, on one data set.
std::vector<reports::Source> list_sources(const std::string& cells, const std::string& dataset,
                                          const Settings& settings);

/// Adds a row for each method that the profile has in table `cells`, on one data set. Rows of
/// controls that generate nothing are never marked as best.
reports::Table add_method_rows(const std::string& cells, const std::string& dataset,
                               const Settings& settings, reports::Table table,
                               const Columns& columns);

/// Returns whether the method shows the start as it is, or real items.
bool generates_nothing(const PriorMethod& method);

/// Returns whether the profile has this domain.
bool has_domain(const Settings& settings, const std::string& domain);

/// Describes the size of an item, such as "28 x 28 pixels".
std::string describe_item_size(const std::string& domain, const Settings& settings);

/// Draws a curve for every method that runs in rounds. `key`: key of the caption.
reports::Figure make_rounds_figure(const Settings& settings, const std::string& cells,
                                   const std::string& dataset, const std::string& curve,
                                   const std::string& title, const std::string& label,
                                   const std::string& key);

/// Shows one picture of every method.
reports::Gallery make_gallery(const std::string& table, const std::string& dataset,
                              const std::string& file, const Settings& settings,
                              const std::string& title, const std::string& caption);

/// Order of the rows of a sheet of rounds (class RoundSheet of churn.cpp).
struct RoundRows {
  std::vector<std::string> before;  ///< names of the rows above the first round
  bool from_first = true;           ///< a row per quarter: its first round (true) or last (false)
  bool end = true;                  ///< a last row for the end
};

/// Shows one sheet for each method, with named rows. Methods without rounds have only the rows
/// `before` and the end.
reports::Gallery make_rounds_gallery(const std::string& table, const Settings& settings,
                                     const std::string& title, const RoundRows& rows);

}  // namespace reprise::reproduce::langevin_study
