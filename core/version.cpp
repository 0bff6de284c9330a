#include "core/version.h"

namespace reprise {

std::string project_version() {
  return REPRISE_VERSION;
}  // defined by CMakeLists.txt, for this file alone

}  // namespace reprise
