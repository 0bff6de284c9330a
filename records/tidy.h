// Every measured value as one tidy table, for pandas, R or a spreadsheet: a row for each value, a column for each of its properties.
#pragma once
#include <string>
#include <vector>

#include "records/record.h"

namespace reprise::records {

/// CSV of finished cells, in the order of `records`: study, table, dataset, method, seed, metric, value (in full), unit ("" for a pure
/// number), direction ("higher" or "lower" is better, or "neither"), protocol (values of different protocol are not comparable).
std::string tidy_csv(const std::vector<Record>& records);

}  // namespace reprise::records
