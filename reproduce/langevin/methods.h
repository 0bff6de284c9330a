// The methods of study langevin, one entry each. Code reads their properties here, never their
// names.
//
// Each inversion (models/diffusion/methods.h) gives the method of Algorithm 1 with its name. D' is
// D itself or a smaller network. In table object the method follows a reference view, or a text
// alone. Baselines and controls complete the list.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/diffusion/inversion.h"
#include "reproduce/langevin/tables.h"

namespace reprise::reproduce::langevin_study {

/// What a method runs.
enum class Algorithm {
  Loop,       ///< Algorithm 1 (models/diffusion/synthesis.h); in table inversion only its step 2
  Renoising,  ///< trivial baseline: the same rounds without an inversion
  Sdedit,
  Repaint,
  IndependentCrops,
  MultiDiffusion,
  ScoreDistillation,
  Nothing,        ///< control: the start, unchanged
  RealItems,      ///< control: other items of the evaluated split, the reachable realism
  ReferenceAlone  ///< control: a fit to the given view, without a prior
};

/// Networks of a domain that table prior trains for all methods.
enum class Network {
  Main,      ///< "edm": D
  Small,     ///< "small": D', with fewer weights
  Other,     ///< "other": D'', as large as D, trained on the evaluator's split; measures likelihood
  Evaluator  ///< "judge": a classifier; measures realism
};
const std::string& network_name(Network network);
/// Finds a network by name. UsageError: no such network; lists the known ones.
Network find_network(const std::string& name);

/// Representation that table painting fits.
enum class Painter { Pixels, CoordinateNetworks };

struct PriorMethod {
  training::MethodInfo info;
  std::vector<std::string> tables;  ///< tables that can run it (reproduce/langevin/tables.h)
  Algorithm algorithm = Algorithm::Loop;
  std::optional<models::Inversion> inversion = {};  ///< inversion of the loop
  Network aux = Network::Main;                      ///< D'
  std::filesystem::path aux_script = {};            ///< TorchScript that replaces D' (external)
  bool text_alone = false;                          ///< table object: without a reference view
  Painter painter = Painter::Pixels;                ///< table painting

  bool runs_in(const std::string& table) const;
};

/// Lists all methods, in the order of pages.
const std::vector<PriorMethod>& prior_methods();
/// Finds a method of a table. UsageError: no such method; lists the table's.
PriorMethod find_prior_method(const std::string& id, const std::string& table);

/// Makes an external method: backprop inversion with a TorchScript as D'
/// (reproduce/langevin/external.h).
PriorMethod make_scripted_method(const std::string& name, const std::filesystem::path& script);

/// Returns whether a method runs in rounds: Algorithm 1, with or without an inversion.
bool runs_in_rounds(const PriorMethod& method);
/// Returns LIST of the setting search.TABLE.LIST that lists a method's trials: "loop", "repaint"...
/// "": the method is not searched.
const std::string& search_list(const PriorMethod& method);
/// Lists the hyperparameters that METHOD+KEY=VALUE may set in a table.
std::vector<std::string> tunable_hyperparameters(const PriorMethod& method,
                                                 const MethodTable& table);

/// Describes all methods for `reprise list methods`.
std::vector<ListedMethod> list_methods();

}  // namespace reprise::reproduce::langevin_study
