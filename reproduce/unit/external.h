// External methods in study unit (docs/new_method.md): translations of the exported test pictures,
// from A to B (of digits: from the source to the target), measured as those of the study's own
// translators.
//
// Predictions: a picture for each test item: a folder of images with the items' names (00000.png,
// ...), or a .npy, uint8 [N, S, S] or [N, S, S, 3], in the order of test.csv.
//
// TorchScript, trained elsewhere and used as it is: forward(x [N, C, S, S] float32) -> like x, from
// -1 to 1 (C: 3, or 1 for digits without colour).
//
// Table map: compared with the truth, pixel by pixel. Table photos: in the features of the
// evaluator. Table digits: how many of them the target's independent classifier reads as what they
// were.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::unit_study {

std::vector<ExternalTable> external_tables(const Settings& settings, const DataFolder& data);

/// Pictures of A and B (label: which; of digits the class, or "unlabelled" for those of the target)
/// to learn from, and those of A to translate. UsageError: unknown data set.
ExportedData exported_pictures(const std::string& dataset, std::int64_t seed,
                               const Settings& settings, const DataFolder& data);

/// The translations of `x` by the cell's external method: like x, -1 to 1; of predictions with 3
/// channels. UsageError: pictures that are missing, or of another size (named).
at::Tensor external_translations(const CellContext& context, const at::Tensor& x);

/// A cell of an external method: translated.cpp has maps and photographs, digits.cpp the digits.
void run_external(CellContext& context);
void measure_external_pictures(CellContext& context);
void measure_external_digits(CellContext& context);

}  // namespace reprise::reproduce::unit_study
