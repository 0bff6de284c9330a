// Names that a user may mistype: every error about one lists the known ones, the nearest first.
#pragma once
#include <string>
#include <vector>

#include "core/error.h"

namespace reprise::reproduce {

/// "unknown KIND 'NAME'", and as fix "did you mean 'X'? Known: X, ...". `kind` is "study", "method", ...
UsageError unknown(const std::string& kind, const std::string& name, std::vector<std::string> known);

}  // namespace reprise::reproduce
