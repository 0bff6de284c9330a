// Names of profiles and settings that have changed since version 0.1.
//
// Records, run.json, references, profile files and the command line of version 0.1 hold the old
// names. Every reader passes what it reads through these functions, so that the rest of the program
// knows today's names only.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace reprise::records {

/// Today's name of a profile: "desk" is "small", "gate" is "ci", "quick" is "smoke". Other names
/// stay.
std::string current_profile(const std::string& name);

/// Today's key of a setting: "judge.batch" is "evaluator.batch". Other keys stay.
std::string current_setting(const std::string& key);

/// Today's value of the setting `key` (its key of today): purpose "wiring" is "smoke_test". Other
/// values stay.
nlohmann::json current_value(const std::string& key, const nlohmann::json& value);

/// Flat settings with today's keys and values. Anything but an object is returned as it is.
nlohmann::json current_settings(const nlohmann::json& flat);

}  // namespace reprise::records
