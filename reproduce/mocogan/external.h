// External methods in study mocogan (docs/new_method.md): clips of any generator, measured as those
// of the study's own.
//
// Predictions: clips.test clips of clips.frames frames (formats: datasets/predicted_pictures.h) are
// a row of table generated. A folder with labels.csv is a row of table actions: a row item,label
// for each clip (its file or folder, and its requested class).
//
// TorchScript, trained elsewhere and used as it is. A row of table generated:
//     forward(n: int) -> [n, T, 3, S, S] float32 from -1 to 1
// A row of table actions: forward(n: int, labels [n] int64). A call asks for at most `script_batch`
// clips. The seed of torch's random numbers comes from the cell.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::mocogan_study {

inline constexpr std::int64_t script_batch = 64;  ///< clips per call of a script, at most

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data);

/// Exports the training clips of generators of this seed, with their classes of motion, as split
/// `train`. UsageError: unknown data set.
ExportedData export_clips(const std::string& dataset, std::int64_t seed, const Settings& settings,
                          const DataFolder& data);

/// Runs a cell of an external method: measures its clips.
void run_external(CellContext& context);

}  // namespace reprise::reproduce::mocogan_study
