// Committed cells that were run again on the reader's machine, for the marks on a page.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::reports {

/// One value of one cell.
struct RerunCell {
  std::string table, dataset, method;
  std::int64_t seed = 0;
  std::string metric;
  double measured = 0, committed = 0;
  bool equal = false;  ///< within what the platform allows
  std::string how;     ///< "re-trained", "re-evaluated from its checkpoint"
};

struct Rerun {
  std::vector<RerunCell> cells;
  std::string line;  ///< "Re-run on this machine: 31 of 31 values equal"
};

}  // namespace reprise::reports
