// The methods of study langevin: an entry each, and what each is as data. A name is looked up here,
// and nothing else is read off it.
//
// Each inversion (models/diffusion/methods.h) is the method of Algorithm 1 that bears its name,
// with D itself as D' or with a smaller network; in table object it is bound to a reference view,
// or follows the text alone. Beside them stand the samplers that they are compared with, and what
// does nothing.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "models/diffusion/inversion.h"
#include "reproduce/langevin/tables.h"

namespace reprise::reproduce::langevin_study {

/// What runs.
enum class Algorithm {
  Loop,       ///< Algorithm 1 (models/diffusion/synthesis.h); in table inversion its step 2 alone
  Renoising,  ///< the same rounds without an inversion: the null row
  Sdedit,
  Repaint,
  IndependentCrops,
  MultiDiffusion,
  ScoreDistillation,
  Nothing,        ///< the start stays as it is
  RealItems,      ///< other items of the part that is evaluated: the realism that can be reached
  ReferenceAlone  ///< what is given is followed, and no prior
};

/// The networks of a domain that are trained for all methods: table prior.
enum class Network {
  Main,      ///< "edm": D
  Small,     ///< "small": D', with fewer weights
  Other,     ///< "other": D'', as large as D, trained on the evaluator's part: measures likelihood
  Evaluator  ///< "judge": a classifier; measures realism
};
const std::string& name_of(Network network);
/// UsageError: no such network; lists the known ones.
Network network_named(const std::string& name);

/// What table painting paints with.
enum class Painter { Pixels, CoordinateNetworks };

struct PriorMethod {
  training::MethodInfo info;
  std::vector<std::string> tables;  ///< that can run it (reproduce/langevin/tables.h)
  Algorithm algorithm = Algorithm::Loop;
  std::optional<models::Inversion> inversion = {};  ///< of the loop
  Network aux = Network::Main;                      ///< D'
  std::filesystem::path aux_script =
      {};                   ///< of an external method: a TorchScript that is D', in place of `aux`
  bool text_alone = false;  ///< table object: no reference view binds it
  Painter painter = Painter::Pixels;  ///< table painting

  bool runs_in(const std::string& table) const;
};

/// All, in the order of pages.
const std::vector<PriorMethod>& prior_methods();
/// UsageError: the table has no such method; lists those that it has.
PriorMethod prior_method(const std::string& id, const std::string& table);

/// An external method: backprop inversion whose D' is a TorchScript
/// (reproduce/langevin/external.h).
PriorMethod scripted_method(const std::string& name, const std::filesystem::path& script);

/// Whether it goes round by round: Algorithm 1, and the same without an inversion.
bool goes_by_rounds(const PriorMethod& method);
/// The list search.TABLE.LIST from which a method's candidates come: "loop", "repaint", ...; "":
/// nothing is chosen.
const std::string& search_list(const PriorMethod& method);
/// The keys that METHOD+KEY=VALUE may change in this table.
std::vector<std::string> changes_of(const PriorMethod& method, const MethodTable& table);

/// What `reprise list methods` says of them.
std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::langevin_study
