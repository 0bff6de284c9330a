// Methods with settings of their own, which are chosen on validation items.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/diffusion/synthesis.h"
#include "reproduce/langevin/methods.h"
#include "reproduce/langevin/worlds.h"
#include "reproduce/study.h"

namespace reprise::reproduce::langevin_study {

/// A method and what its name changes: "backprop_small+langevin=0.3+first=5" is method "backprop_small" with two settings of its own.
struct Variant {
  PriorMethod method;
  std::map<std::string, double> changes = {};  ///< "langevin", "balanced": h of a churn; "first", "last": levels; "guidance", ...
  double or_else(const std::string& key, double otherwise) const;
};
/// UsageError: it cannot be read; the table (or the one that it searches for) has no such method, or the method no such setting there; the
/// known ones are listed.
Variant variant_of(const std::string& name, const std::string& table);
/// That of a cell: of its name, or of the script of a method from outside.
Variant variant_of(const CellContext& context);

/// "backprop, smaller D', langevin = 0.3" for "backprop_small+langevin=0.3". UsageError: as variant_of().
std::string title_of(const std::string& name, const std::string& table);

/// What a method may be changed by before it is compared: the list of its table's section that search_list() names. As many candidates for
/// each method; what a name says already is not among them. One alone is taken without a trial. UsageError: the list has a candidate that
/// this method cannot be changed by.
std::vector<std::string> candidates(const Variant& variant, const std::string& table, const Settings& settings);
/// The method of this cell with the candidate that had the best `metric`; of a search cell, the candidate itself.
Variant chosen_variant(const CellContext& context, const std::string& metric,
                       records::Direction better = records::Direction::HigherIsBetter);
/// What a cell is judged on: validation items in a search, else test items.
const models::LabelledItems& judged_part(const World& world, const records::Cell& cell);

/// The inversion of a method, with the settings of section inversion.
models::InversionOptions inversion_options(const PriorMethod& method, const Settings& settings);

/// Algorithm 1 as a section of the profile has it (rounds, first, last, churn), with the variant's changes.
models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed);

}  // namespace reprise::reproduce::langevin_study
