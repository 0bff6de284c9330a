// Cells that `reproduce` re-ran on the reader's machine. Pages show them as marks and in their top
// line.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace reprise::reports {

/// A committed cell that was re-run. All its metrics were compared; the one on its page is named
/// here.
struct RerunCell {
  std::string table, dataset, method;
  std::int64_t seed = 0;
  std::string metric;  ///< "" for a cell without metrics
  double measured = 0, committed = 0;
  bool equal = false;  ///< every value has the committed bits
  /// Equal, within 1e-6, or within the band that the spread over seeds gives.
  bool agrees = false;
  /// re-evaluated from committed weights; otherwise re-run from its seed.
  bool from_checkpoint = false;
};

struct Rerun {
  std::string summary;  ///< of this study: "6 cells were re-run on this machine: 6 equal"
  /// Summary over all studies: "31 cells of five studies were re-run on this machine: all equal".
  std::string total;
  std::vector<RerunCell> cells;  ///< of this study, in the order in which they ended
};

}  // namespace reprise::reports
