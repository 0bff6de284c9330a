// External methods in study mocogan (docs/new_method.md): clips of any generator, measured as those
// of the study's own.
//
// Predictions are clips.test clips of clips.frames frames, as datasets/predicted_pictures.h reads
// them: rows of table generated. A folder that holds labels.csv, with a row item,label for each
// clip (its file or folder, and the class that was asked for), is a row of table actions.
//
// TorchScript, trained elsewhere and used as it is: forward(n: int) -> [n, T, 3, S, S] float32 from
// -1 to 1 is a row of generated; forward(n: int, labels [n] int64) one of actions. It is asked for
// at most `script_batch` clips at a time, and torch's random numbers begin at a seed of the cell's.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::mocogan_study {

inline constexpr std::int64_t script_batch = 64;

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// The clips that generators of this seed learn from, with the class of their motion; all are
/// `train`. UsageError: unknown data set.
ExportedData exported_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                            const DataFolder& data);

/// A cell of an external method: measures its clips.
void run_external(CellContext& context);

}  // namespace reprise::reproduce::mocogan_study
