// External methods in study langevin (docs/langevin.md, "Your own method").
//
// TorchScript: a denoiser that was trained elsewhere on the prior's split of the digits.
//
//     forward(x [N, C, H, W] float32, sigma [N] float32) -> like x
//
// It serves as D' of the backprop inversion in tables inversion, churn, steering and completion.
//
// Predictions: quality.samples pictures of a generator, with the sides of a digit, for table
// quality (formats: datasets/predicted_pictures.h). Picture k is of class k mod 10. A file
// labels.csv in the folder can state other classes: a row item,label for each picture.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data);

/// Exports the pictures of a domain, except the evaluator's split. Items are "seedS/NNNNN".
/// UsageError: no such domain, or a domain of videos or sounds.
ExportedData export_pictures(const std::string& domain, std::int64_t seed, const Settings& settings,
                             const DataFolder& data);

/// Runs a cell of table quality whose file holds samples. It evaluates them as run_quality() does
/// those of D.
void run_samples(CellContext& context);

}  // namespace reprise::reproduce::langevin_study
