// Processes that worked on a cell: each adds its start and wall time to the cell's record.
//
// A killed process leaves a record with the status Running and without its time. The time is then
// taken from the cell's files: it ends with the last written one, usually a checkpoint.
#pragma once
#include <vector>

#include "records/store.h"

namespace reprise::reproduce {

/// Sets the time of a killed process in a running record: until it last wrote a file of the cell.
void close_killed_process(const records::Store& store, records::Record& record);

/// Prepares the cell of `record` and returns the processes whose work it resumes: those of an
/// unfinished cell that left a checkpoint. A checkpoint of another version of the study is removed.
std::vector<records::Process> resume_processes(const records::Store& store,
                                               const records::Record& record);

}  // namespace reprise::reproduce
