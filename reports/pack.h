// Packed results: the committed part of a run in a few files. `report`, `check`, `compare` and
// `list` read them like the run's own folder.
//
// Files of the folder:
//   - run.json: as the run wrote it.
//   - preregistered.json: as the run wrote it, if it did. It states when each comparison was
//     registered.
//   - records/TABLE.jsonl.gz, records/TABLE.curves.jsonl.gz: records and curves
//     (records/packed.h).
//   - checkpoints/TABLE/DATASET/METHOD/seedN/FILE: files that other cells start from, if somebody
//     put them there. Packing writes their SHA-256 into the records of their cells.
//   - index.html, details.html, claims.md, tables/, ...: the report, with its .report.json.
//     pictures/ also holds the files of cells that it shows.
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
