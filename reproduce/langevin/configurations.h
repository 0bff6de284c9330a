// Configurations: a method with hyperparameters, given by its name or chosen on validation items.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/search.h"
#include "experiments/study.h"
#include "models/diffusion/synthesis.h"
#include "reproduce/langevin/domains.h"
#include "reproduce/langevin/methods.h"

namespace reprise::reproduce::langevin_study {

/// A method with the hyperparameters that its name sets. "backprop_small+langevin=0.3+first=5" is
/// method "backprop_small" with two of them.
struct Configuration {
  PriorMethod method;
  /// By name. "langevin", "balanced": step h of a churn; "first", "last": noise levels; ...
  std::map<std::string, double> hyperparameters = {};
  /// Returns the hyperparameter, or `otherwise` if it is not set.
  double value_or(const std::string& key, double otherwise) const;
};
/// Parses a method's name in a table, or in the search of a table. UsageError: a malformed name, or
/// an unknown method or hyperparameter (lists the known ones).
Configuration parse_configuration(const std::string& name, const std::string& table);
/// Returns the configuration that the cell's name states. An external method has its script as D'.
Configuration cell_configuration(const CellContext& context);

/// Returns the title of a configuration, such as "backprop, smaller D', the document's noise, h =
/// 0.3". UsageError: as parse_configuration().
std::string method_title(const std::string& name, const std::string& table);

/// Returns the hyperparameter search of a configuration, over the lists that search_list() names.
///
/// An entry of a list is one hyperparameter ("first=0.5|1|2"), or several that exclude each other
/// ("balanced=0.3|1 langevin=0.3"). A trial takes one value of each entry. Hyperparameters that the
/// name sets are not searched. UsageError: an entry that does not apply to this method.
Search make_search(const records::Cell& own, const Configuration& config, const Settings& settings);

/// Returns the cell's method with the hyperparameters that its search chose, and records them.
/// A trial keeps those of its name.
Configuration choose_configuration(const CellContext& context);
/// Returns the items that a cell is evaluated on: validation items in a search, else test items.
const models::LabelledItems& evaluation_items(const DomainData& domain, const records::Cell& cell);

/// Returns the options of a method's inversion, from section inversion and the hyperparameters.
models::InversionOptions inversion_options(const Configuration& config, const Settings& settings);
/// Returns the levels of section inversion that an inversion can reach. An ODE reaches those above
/// its start.
std::vector<double> reachable_levels(const models::InversionOptions& options,
                                     const Settings& settings);
/// Returns the churn of a section of the profile, or of the configuration if it sets one.
models::ChurnOptions churn_options(const Configuration& config, const std::string& section,
                                   const Settings& settings);

/// Returns the options of Algorithm 1 from a section of the profile (rounds, first, last, churn)
/// and the hyperparameters.
models::SynthesisOptions synthesis_options(const Configuration& config, const std::string& section,
                                           const Settings& settings, std::uint64_t seed);
/// Runs a method's rounds on phi, with `D_aux` as D' where the method needs one. Errors: as
/// models::synthesise().
void run_rounds(models::Representation& phi, const Configuration& config, models::Denoiser& D,
                models::Denoiser& D_aux, models::SynthesisOptions options,
                const models::Conditions& conditions = {},
                const std::function<void(const models::SynthesisRound&)>& after = {});

}  // namespace reprise::reproduce::langevin_study
