// The order of a run: which cells of a study's plan run, and which of them first.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "reproduce/study.h"

namespace reprise::reproduce {

struct Step {
  PlannedCell planned;
  std::vector<std::size_t> needs;  ///< positions in the list of steps; only cells that must still run
};

/// The cells whose id matches the glob `only` and that are not `done`, with those they need (done ones are left out), sorted by when they
/// should start: a cell stands before another when the chain of work that waits for it, itself included, costs more, and always after those
/// it needs. Error: two cells of one id, a need that is not in the plan, or needs that go in a circle. UsageError: `only` matches no cell.
std::vector<Step> steps_to_run(const std::vector<PlannedCell>& plan, const std::string& only,
                               const std::function<bool(const records::Cell&)>& done);

}  // namespace reprise::reproduce
