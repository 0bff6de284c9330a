// A re-run cell compared with its committed record.
//
// Equal bits are expected if the platform (the fingerprint of the arithmetic) and the version of
// the study's code are those of the record. Then a value differs if it is more than 1e-6 away from
// the committed one.
// Elsewhere rounding changes the course of a training. Such a value may be as far away as another
// seed's, by the spread over the committed seeds. That finds a broken program, not a small change.
// Metrics without a better direction (the best epoch) describe a training and have no band.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::reproduce {

enum class Agreement {
  Equal,            ///< the committed bits of every metric, count and curve
  WithinTolerance,  ///< not the bits: within 1e-6 of every value
  /// Further away, but within the band of the spread over the committed seeds: weak evidence.
  WithinSpread,
  Differs,
  /// Another platform or other code, and a metric of one seed without a spread.
  NotComparable,
};

/// Results of a re-run, without their store.
struct CellValues {
  records::Record record;
  records::Curves curves;
};

struct Comparison {
  Agreement agreement = Agreement::Equal;
  /// Metric to show: the one that differs most; "" for a cell without metrics.
  std::string metric;
  double committed = 0, measured = 0;
  std::string unit{};  ///< of both values; "" for a pure number
  std::string reason;  ///< likely cause of a difference; "" if equal
};

/// Whether the same seeds must give the same bits: same platform, same code of the study.
bool bits_are_expected(const records::Record& committed, const records::Record& measured);

/// Compares two runs of a cell. `shown`: the cell's metric in the study's tables; "" without one.
/// `alike`: committed records of the cell's table, for the spread over seeds; not needed if equal
/// bits are expected.
Comparison compare_cells(const CellValues& committed, const CellValues& measured,
                         const std::string& shown, const std::vector<records::Record>& alike);

/// "equal", "within tolerance", "differs", "not comparable".
std::string agreement_text(Agreement agreement);

}  // namespace reprise::reproduce
