// The processes that worked on a cell: each adds its start and its wall time to the cell's record.
//
// A process that is killed leaves a record that is running and says when it started. Its time is then taken from the files: it ends with the
// last one that was written in the cell's folder, as a rule a checkpoint.
#pragma once
#include <vector>

#include "records/store.h"

namespace reprise::reproduce {

/// Gives the last process of a running record, whose process was killed, the time until it last wrote a file of the cell.
void close_killed_process(const records::Store& store, records::Record& record);

/// Prepares the cell of `record`, which starts now, and returns the processes whose work it resumes. These are those of an interrupted or failed
/// cell that left a checkpoint. A checkpoint of another version of the study is removed: the cell then starts from the beginning.
std::vector<records::Process> resume_processes(const records::Store& store, const records::Record& record);

}  // namespace reprise::reproduce
