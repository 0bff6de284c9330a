// The processes that worked on a cell: each adds its start and its wall time to the cell's record.
//
// A process that is killed leaves a record with the status Running and without its time. The time
// is then taken from the files of the cell's folder: it ends with the last one that was written,
// usually a checkpoint.
#pragma once
#include <vector>

#include "records/store.h"

namespace reprise::reproduce {

/// Gives the last process of a running record, whose process was killed, the time until it last
/// wrote a file of the cell.
void close_killed_process(const records::Store& store, records::Record& record);

/// Prepares the cell of `record`, which starts now, and returns the processes whose work it
/// resumes: those of an interrupted or failed cell that left a checkpoint. Removes a checkpoint of
/// another version of the study: the cell then starts from the beginning.
std::vector<records::Process> resume_processes(const records::Store& store,
                                               const records::Record& record);

}  // namespace reprise::reproduce
