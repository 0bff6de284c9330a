// The registry of inverters (training/inverter.h): one entry each, with its properties as data.
//
// A new inverter needs a value of Inversion, a function that makes it, and an entry here. Its
// contract is then tested by tests/models/diffusion/test_inverter_conformance.cpp, study langevin
// runs it in every table that inverts, and `reprise invert` accepts its name.
#pragma once
#include <string>
#include <vector>

#include "models/diffusion/inversion.h"
#include "training/method_info.h"

namespace reprise::models {

struct InversionMethod {
  training::MethodInfo info;
  Inversion algorithm;
  bool draws_noise = true;      ///< needs epsilon
  bool needs_gradient = false;  ///< gradient of D' in x; such an evaluation costs about three
  bool climbs = false;          ///< starts at options.sigma_min and needs a higher sigma
  /// Evaluations of D' per latent.
  std::int64_t (*evaluations)(const InversionOptions& options) = nullptr;
  training::Inverter (*make)(const InversionOptions& options) = nullptr;
};

/// All inverters, in the order of the pages.
const std::vector<InversionMethod>& inversion_methods();
/// Finds the entry of an algorithm.
const InversionMethod& find_inversion_method(Inversion algorithm);
/// Finds an entry by name. UsageError: an unknown name (the known ones are listed).
const InversionMethod& find_inversion(const std::string& name);
/// Names of all inverters: "naive", "ode", ...
std::vector<std::string> inversion_names();

}  // namespace reprise::models
