// The methods of study unit as its settings have them.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/settings.h"
#include "training/adaptation.h"
#include "training/translator.h"

namespace reprise::reproduce::unit_study {

/// Of table digits: UNIT with its ablations, and what it is compared with, by section [digits].
std::vector<training::AdapterMethod> adapters(const Settings& settings, const std::filesystem::path& checkpoint = {});

using Look = std::function<std::map<std::string, double>()>;
/// Of tables map, sweep and photos: UNIT and its systems by the section, and what any translator has to beat. look: of UNIT, every
/// watch_every iterations of the section (models::UnitOptions).
std::vector<training::TranslatorMethod> translators(const Settings& settings, const std::string& section,
                                                    const std::filesystem::path& checkpoint = {}, const Look& look = {});

/// The row of table sweep that is changed in nothing.
inline const std::string sweep_base = "unit";
/// The rows of table sweep, by section [sweep]: sweep_base, and of each key one for every value that [map] has not, "unit+shared=2"
/// (records/trial.h).
std::vector<std::string> sweep_rows(const Settings& settings);
/// Which values of [map] are swept.
const std::vector<std::string>& sweep_keys();

}  // namespace reprise::reproduce::unit_study
