// How tables, figures and galleries of study langevin list the methods of a profile.
#pragma once
#include <string>
#include <vector>

#include "experiments/captions.h"
#include "experiments/study.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce::langevin_study {

/// Lists the methods that the profile has in table `table_name`, on one data set.
std::vector<reports::Source> list_sources(const std::string& table_name, const std::string& dataset,
                                          const Settings& settings);

/// Adds the columns of `caption`, and a row for each method that the profile has in table
/// `table_name`.
/// Rows of controls that generate nothing are never marked as best.
reports::Table add_method_rows(const std::string& table_name, const std::string& dataset,
                               TableCaption caption, const Settings& settings);

/// Returns whether the method shows the start as it is, or real items.
bool generates_nothing(const PriorMethod& method);

/// Returns whether the profile has this domain.
bool has_domain(const Settings& settings, const std::string& domain);

/// Describes the size of an item, such as "28 x 28 pixels".
std::string describe_item_size(const std::string& domain, const Settings& settings);

/// Draws a curve for every method that runs in rounds. The caption is CELLS_DATASET_CURVE.
reports::Figure make_rounds_figure(const std::string& table_name, const std::string& dataset,
                                   const std::string& curve, const Captions& captions);

/// Order of the rows of a sheet of rounds (class RoundSheet of loop_experiment.h).
struct RoundRows {
  std::vector<std::string> before;  ///< names of the rows above the first round
  bool from_first = true;           ///< a row per quarter: its first round (true) or last (false)
  bool end = true;                  ///< a last row for the end
};

/// Lists one sheet of digits for each method, with named rows. Methods without rounds have only the
/// rows `before` and the end.
std::vector<reports::Picture> list_round_sheets(const std::string& table, const RoundRows& rows,
                                                const Settings& settings);

/// Shows the sheets of list_round_sheets(). The caption is gallery_TABLE_digits.
reports::Gallery make_rounds_gallery(const std::string& table, const RoundRows& rows,
                                     const Captions& captions);

}  // namespace reprise::reproduce::langevin_study
