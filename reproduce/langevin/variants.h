// Methods with settings of their own, which are chosen on validation items.
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

/// A method and what its name changes: "backprop_small+langevin=0.3+first=5" is method
/// "backprop_small" with two settings of its own.
struct Variant {
  PriorMethod method;
  std::map<std::string, double> changes =
      {};  ///< "langevin", "balanced": h of a churn; "first", "last": levels; "guidance", ...
  double or_else(const std::string& key, double otherwise) const;
};
/// UsageError: it cannot be read; the table (or the one that it searches for) has no such method,
/// or the method no such setting there; the known ones are listed.
Variant variant_of(const std::string& name, const std::string& table);
/// That of a cell: of its name, or of the script of an external method.
Variant variant_of(const CellContext& context);

/// "backprop, smaller D', the document's noise, h = 0.3" for "backprop_small+langevin=0.3".
/// UsageError: as variant_of().
std::string title_of(const std::string& name, const std::string& table);

/// The search of what a method may be changed by before it is compared: the list that search_list()
/// names. An entry of the list is one hyperparameter, "first=0.5|1|2", or several that exclude each
/// other, "balanced=0.3|1 langevin=0.3"; a trial takes one of each:
/// "first=0.5+balanced=1". What a name fixes already is not searched. UsageError: the list has one
/// that this method cannot be changed by.
Search search_for(const records::Cell& own, const Variant& variant, const Settings& settings);

/// The method of this cell with the hyperparameters that its search chose; of a trial, those of its
/// name.
Variant chosen_variant(const CellContext& context);
/// What a cell is evaluated on: validation items in a search, else test items.
const models::LabelledItems& evaluation_items(const DomainData& domain, const records::Cell& cell);

/// The inversion of a method, with the settings of section inversion and the variant's changes.
models::InversionOptions inversion_options(const Variant& variant, const Settings& settings);
/// The levels of section inversion; of an ODE's, those above its start.
std::vector<double> levels_in_reach(const models::InversionOptions& options,
                                    const Settings& settings);
/// The churn that a section of the profile has, or the variant's own.
models::ChurnOptions churn_options(const Variant& variant, const std::string& section,
                                   const Settings& settings);

/// Algorithm 1 as a section of the profile has it (rounds, first, last, churn), with the variant's
/// changes.
models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section,
                                           const Settings& settings, std::uint64_t seed);
/// The rounds of a method on phi, with `D_aux` for D' where it needs one. Errors: as
/// models::synthesise().
void run_rounds(models::Representation& phi, const Variant& variant, models::Denoiser& D,
                models::Denoiser& D_aux, models::SynthesisOptions options,
                const models::Conditions& conditions = {},
                const std::function<void(const models::Round&)>& after = {});

}  // namespace reprise::reproduce::langevin_study
