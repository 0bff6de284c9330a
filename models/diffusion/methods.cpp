#include "models/diffusion/methods.h"

#include "core/error.h"
#include "core/text.h"

namespace reprise::models {
namespace {

using training::Role;

/// Evaluations of D' along the ODE's grid.
std::int64_t count_grid_evaluations(const InversionOptions& options) {
  return options.steps * (options.solver == Solver::Heun ? 2 : 1);
}

}  // namespace

const std::vector<InversionMethod>& inversion_methods() {
  static const std::vector<InversionMethod> all{
      {.info = {"naive", "naive", Role::Document, "[0047]", "no evaluation of D'"},
       .algorithm = Inversion::Naive,
       .evaluations = [](const InversionOptions&) -> std::int64_t { return 0; },
       .make = naive_inverter},
      {.info = {"ode", "ODE", Role::Document, "[0048]; Karras et al. 2022",
                "2 evaluations of D' a step of the ODE"},
       .algorithm = Inversion::Ode,
       .draws_noise = false,
       .climbs = true,
       .evaluations = count_grid_evaluations,
       .make = ode_inverter},
      {.info = {"noised_ode", "ODE with noise", Role::Document, "[0048]",
                "2 evaluations of D' a step of the ODE"},
       .algorithm = Inversion::NoisedOde,
       .climbs = true,
       .evaluations = count_grid_evaluations,
       .make = noised_ode_inverter},
      {.info = {"backprop", "backprop", Role::Document, "[0049]",
                "1 gradient of D' a step of Adam"},
       .algorithm = Inversion::Backprop,
       .needs_gradient = true,
       .evaluations = [](const InversionOptions& options) { return options.adam_steps; },
       .make = backprop_inverter}};
  return all;
}

const InversionMethod& find_inversion_method(Inversion algorithm) {
  for (const auto& method : inversion_methods())
    if (method.algorithm == algorithm) return method;
  throw Error("an inversion is not registered", "give it an entry in models/diffusion/methods.cpp");
}

const InversionMethod& find_inversion(const std::string& name) {
  for (const auto& method : inversion_methods())
    if (method.info.id == name) return method;
  throw UsageError("there is no inversion '" + name + "'",
                   "take one of " + join(inversion_names(), ", "));
}

std::vector<std::string> inversion_names() {
  std::vector<std::string> names;
  for (const auto& method : inversion_methods()) names.push_back(method.info.id);
  return names;
}

}  // namespace reprise::models
