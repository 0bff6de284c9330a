// External methods in study langevin (docs/langevin.md, "Your own method").
//
// TorchScript: a denoiser, trained elsewhere on the prior's part of the digits: forward(x [N, C, H,
// W] float32, sigma [N] float32) -> like x. It is D' of the backprop inversion in tables inversion,
// churn, steering and completion, as the small network is of "backprop_small".
//
// Predictions: samples of a generator for table quality, as datasets/predicted_pictures.h reads
// them: quality.samples pictures with the sides of a digit. The k-th is of class k mod 10, unless a
// folder holds labels.csv, with a row item,label for each picture: the file's name and the class
// that was asked for.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::langevin_study {

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// The pictures of a domain: the prior's part as train, validation, test; what the evaluators learn
/// from is nobody else's. Items are "seedS/NNNNN". UsageError: no such domain, or one of videos or
/// sounds.
ExportedData exported_pictures(const std::string& domain, std::int64_t seed,
                               const Settings& settings, const DataFolder& data);

/// A cell of table quality whose file holds samples: evaluates them as run_quality() evaluates
/// those of D.
void run_samples(CellContext& context);

}  // namespace reprise::reproduce::langevin_study
