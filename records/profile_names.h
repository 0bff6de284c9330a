// Profiles that have another name since version 0.1.
#pragma once
#include <string>

namespace reprise::records {

/// Today's name of a profile: "desk" is "small", "gate" is "ci", "quick" is "smoke". Other names
/// stay. Records, run.json, references and the command line of version 0.1 have the old ones.
std::string current_profile(const std::string& name);

}  // namespace reprise::records
