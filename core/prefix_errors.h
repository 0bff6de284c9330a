// The file that an error is about, for work that does not know it.
#pragma once
#include <string>

#include "core/error.h"

namespace reprise {

/// What `work` returns. An Error or UsageError of it is passed on with `name` before its problem,
/// once.
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
