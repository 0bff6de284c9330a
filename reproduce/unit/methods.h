// The methods of study unit, with the settings of a profile.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "training/adaptation.h"
#include "training/translator.h"

namespace reprise::reproduce::unit_study {

/// Lists the methods of table digits: UNIT, its ablations and baselines, with section [digits].
std::vector<training::AdapterMethod> list_adapters(const Settings& settings,
                                                   const std::filesystem::path& checkpoint = {});

using Evaluate = std::function<std::map<std::string, double>()>;
/// Lists the methods of tables map, sweep and photos: UNIT and its variants with the settings of
/// `section`, and trivial baselines. evaluate: called for UNIT every evaluate_every iterations.
std::vector<training::TranslatorMethod> list_translators(
    const Settings& settings, const std::string& section,
    const std::filesystem::path& checkpoint = {}, const Evaluate& evaluate = {});

/// The row of table sweep without a changed setting.
inline const std::string sweep_base = "unit";
/// Lists the rows of table sweep: sweep_base, and one for each value of section [sweep] that
/// differs from [map], such as "unit+shared=2" (records/trial.h).
std::vector<std::string> sweep_rows(const Settings& settings);
/// Lists the settings of [map] that are swept.
const std::vector<std::string>& sweep_keys();

}  // namespace reprise::reproduce::unit_study
