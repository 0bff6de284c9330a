// A re-run cell compared with its committed record.
//
// Bits are expected where platform and code are those of the record: the fingerprint of the
// arithmetic is the same, and so is the version of the study's code. Then a value that is more than
// 1e-6 away from the committed one differs. Elsewhere rounding leads a training to other numbers.
// Such a value may be as far from the committed one as another seed's: by the spread over the
// committed seeds. That finds a broken program, not a small change. Metrics without a better
// direction (the best epoch) describe a training and have no band.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::reproduce {

enum class Agreement {
  Equal,            ///< the committed bits of every metric, count and curve
  WithinTolerance,  ///< not the bits: within 1e-6 of every value
  /// Further away, but within the band that the spread over the committed seeds gives: weak
  /// evidence.
  WithinSpread,
  Differs,
  /// Another platform or other code, and a metric of one seed: no spread to judge by.
  NotComparable,
};

/// What a re-run gave, without the store that it came from.
struct CellValues {
  records::Record record;
  records::Curves curves;
};

struct Comparison {
  Agreement agreement = Agreement::Equal;
  /// The one shown: of a cell that differs the one that differs most; "" for a cell without
  /// metrics.
  std::string metric;
  double committed = 0, measured = 0;
  std::string reason;  ///< why they differ, most likely; "" where they are equal
};

/// Whether the same seeds must give the same bits: same platform, same code of the study.
bool bits_are_expected(const records::Record& committed, const records::Record& measured);

/// `shown`: the metric that the study's tables show of the cell; "" where none does. `alike`:
/// committed records of the cell's table, for the spread over seeds; not needed where bits are
/// expected.
Comparison compare_cells(const CellValues& committed, const CellValues& measured,
                         const std::string& shown, const std::vector<records::Record>& alike);

/// "equal", "within tolerance", "differs", "not comparable".
std::string agreement_text(Agreement agreement);

}  // namespace reprise::reproduce
