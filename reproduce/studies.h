// The studies of this program.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce {

/// One line per study.
const std::vector<Study>& studies();

}  // namespace reprise::reproduce
