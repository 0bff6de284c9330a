// The registry of inverters (training/inverter.h): one entry each, and what it is as data. What
// reads a name looks it up here.
//
// Another inverter is a value of Inversion, a function that makes it and an entry:
// tests/models/diffusion/test_inverter_conformance.cpp then asks of it what the contract asks of
// all, study langevin runs it in every table that inverts, and `reprise invert` takes its name.
#pragma once
#include <string>
#include <vector>

#include "models/diffusion/inversion.h"
#include "training/method_info.h"

namespace reprise::models {

struct InversionMethod {
  training::MethodInfo info;
  Inversion algorithm;
  bool draws_noise = true;      ///< it needs epsilon
  bool needs_gradient = false;  ///< of D' in x: an evaluation costs about three
  bool climbs = false;          ///< it starts at options.sigma_min, and needs a sigma above it
  /// How often D' is evaluated for one latent.
  std::int64_t (*evaluations)(const InversionOptions& options) = nullptr;
  training::Inverter (*make)(const InversionOptions& options) = nullptr;
};

/// All, in the order of pages.
const std::vector<InversionMethod>& inversion_methods();
const InversionMethod& method_of(Inversion algorithm);
/// UsageError: no such inversion; lists the known ones.
const InversionMethod& inversion_named(const std::string& name);
/// "naive", "ode", ...
std::vector<std::string> inversion_names();

}  // namespace reprise::models
