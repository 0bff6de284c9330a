// Methods with settings of their own, which are chosen on validation items.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/diffusion/synthesis.h"
#include "reproduce/langevin/worlds.h"
#include "reproduce/study.h"

namespace reprise::reproduce::langevin_study {

/// A method's name with what it changes: "backprop_small+langevin=0.3+first=5" is inversion "backprop", D' "small" and two settings.
struct Variant {
  std::string base;                         ///< "backprop_small"
  std::map<std::string, double> changes{};  ///< "langevin", "balanced": h of a churn; "first", "last": levels; "guidance", ...
  double or_else(const std::string& key, double otherwise) const;
};
/// UsageError: it cannot be read.
Variant variant_of(const std::string& name);

/// What a method may be changed by before it is compared: "TABLE.search" of the profile; "TABLE.repaint_search", "TABLE.sds_search" and
/// "TABLE.sampler_search" (crops, MultiDiffusion) for these. As many candidates for each; what a name says already is not among them. One
/// alone is taken without a trial.
std::vector<std::string> candidates(const std::string& method, const std::string& table, const Settings& settings);
/// The method of this cell with the candidate that had the best `metric`; of a search cell, the candidate itself.
Variant chosen_variant(const CellContext& context, const std::string& metric,
                       records::Direction better = records::Direction::HigherIsBetter);
/// The table that a cell is of: "completion" for "search_completion".
std::string searched_table(const std::string& table);
/// What a cell is judged on: validation items in a search, else test items.
const models::LabelledItems& judged_part(const World& world, const records::Cell& cell);

/// A base name as an inversion and the network that is D'.
struct InversionMethod {
  models::InversionOptions options;
  std::string aux = "edm";
};
/// UsageError: no such inversion.
InversionMethod inversion_method(const std::string& base, const Settings& settings);
/// A base name is one of an inversion's.
bool is_inversion(const std::string& base);

/// Algorithm 1 as a section of the profile has it (rounds, first, last, churn), with the variant's changes.
models::SynthesisOptions synthesis_options(const Variant& variant, const std::string& section, const Settings& settings,
                                           std::uint64_t seed);

}  // namespace reprise::reproduce::langevin_study
