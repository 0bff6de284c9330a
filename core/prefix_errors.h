// Adds the name of a file to errors of functions that do not get it.
#pragma once
#include <string>

#include "core/error.h"

namespace reprise {

/// Returns work(). Rethrows its Error or UsageError with "NAME: " before the problem, unless the
/// problem contains the name.
template <typename Work>
auto prefix_errors(const std::string& name, const Work& work) {
  const auto problem = [&](const Error& error) {
    return error.problem().find(name) == std::string::npos ? name + ": " + error.problem()
                                                           : error.problem();
  };
  try {
    return work();
  } catch (const UsageError& error) {
    throw UsageError(problem(error), error.fix());
  } catch (const Error& error) {
    throw Error(problem(error), error.fix());
  }
}

}  // namespace reprise
