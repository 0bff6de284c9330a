#include "core/version.h"

namespace reprise {

// CMakeLists.txt defines REPRISE_VERSION for this file only: a new version recompiles one file.
std::string project_version() { return REPRISE_VERSION; }

}  // namespace reprise
