// Packed results: the committed part of a run in a few files. `report`, `check`, `compare` and
// `list` read them like the run's own folder.
//
//     FOLDER/run.json                                            as the run wrote it
//     FOLDER/preregistered.json                                  too, where the run wrote it: when each comparison was registered
//     FOLDER/records/TABLE.jsonl.gz, TABLE.curves.jsonl.gz       records and curves (records/packed.h)
//     FOLDER/checkpoints/TABLE/DATASET/METHOD/seedN/FILE         files of cells that others start from, where somebody put them: packing
//                                                                writes their SHA-256 into the records of their cells
//     FOLDER/index.html, details.html, claims.md, tables/, ...   the report, .report.json among it; pictures/ also holds the files of cells
//                                                                that it shows
#pragma once
#include <filesystem>

#include "records/store.h"
#include "reports/view.h"

namespace reprise::reports {

/// Writes the packed results and their report. It deletes only files that .report.json lists of an
/// older report. Then it draws the report again from the packed records and expects the same bytes.
/// UsageError: `folder` holds something else, or results of another study or profile; records come
/// from a checkout with uncommitted changes. Nothing is written then.
void write_packed(const StudyView& view, const records::Store& store,
                  const std::filesystem::path& folder);

}  // namespace reprise::reports
