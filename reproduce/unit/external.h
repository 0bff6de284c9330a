// External methods in study unit (docs/new_method.md): translations of exported test pictures from
// A to B, measured as those of the study's own translators. For digits, A is the source and B the
// target.
//
// Predictions: a picture for each test item, in a folder of images with the items' names
// (00000.png, ...). A .npy, uint8 [N, S, S] or [N, S, S, 3], has the order of test.csv.
//
// TorchScript, trained elsewhere and used as it is, with C = 3, or 1 for digits without colour:
//     forward(x [N, C, S, S] float32) -> like x, from -1 to 1
//
// Table map compares pixels with the truth, table photos features of the evaluator. Table digits
// counts the translated digits that the target's independent classifier recognises.
#pragma once
#include "experiments/study.h"

namespace reprise::reproduce::unit_study {

std::vector<ExternalTable> list_external_tables(const Settings& settings, const DataFolder& data);

/// Exports training pictures of A and B, and test pictures of A. Labels are 0 for A and 1 for B;
/// source digits have their class, target digits "unlabelled". UsageError: unknown data set.
ExportedData export_pictures(const std::string& dataset, std::int64_t seed,
                             const Settings& settings, const DataFolder& data);

/// Returns the translations of `x` by the cell's external method, like x, -1 to 1. Predictions have
/// 3 channels. UsageError: missing pictures, or pictures of another size (named).
at::Tensor load_external_translations(const CellContext& context, const at::Tensor& x);

/// Runs a cell of an external method: translation.cpp for maps and photographs, digits.cpp for
/// digits.
void run_external(CellContext& context);
void measure_external_pictures(CellContext& context);
void measure_external_digits(CellContext& context);

}  // namespace reprise::reproduce::unit_study
