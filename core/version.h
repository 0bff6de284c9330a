// The project's version.
#pragma once
#include <string>

namespace reprise {

/// "0.1.0", as in the root CMakeLists.txt.
std::string project_version();

}  // namespace reprise
