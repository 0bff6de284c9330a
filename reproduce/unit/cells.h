// The cells of study unit.
//
//     digits/SOURCE_TARGET/METHOD  domain adaptation: labelled SOURCE digits, unlabelled TARGET
//                                  digits (reproduce/unit/digit_sets.h)
//     reader/SET/digit_reader      independent classifier of a set of digits; all seeds share one
//     map/SET/METHOD               a translator of aerial pictures to maps, whose truth is known
//                                  (reproduce/unit/picture_sets.h)
//     sweep/SET/unit[+KEY=VALUE]   UNIT with fewer iterations and at most one changed setting
//     judge/SET/picture_judge      evaluator of both domains of photographs, whose features compare
//                                  translations; all seeds share one
//     photos/SET/METHOD            a translator between two sets of photographs
#pragma once
#include <string>
#include <vector>

#include "experiments/evaluator_cell.h"
#include "experiments/study.h"

namespace reprise::reproduce::unit_study {

inline const std::string digits_table = "digits", digit_evaluator_table = "reader",
                         map_table = "map", sweep_table = "sweep",
                         picture_evaluator_table = "judge", photos_table = "photos";
// Sections of the settings that the two evaluators read.
inline const std::string digit_classifier_section = "digit_classifier",
                         evaluator_section = "evaluator";
inline const std::string picture_evaluator_method = "picture_judge",
                         digit_evaluator_method = "digit_reader";

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "unit", .table = table, .dataset = dataset, .method = method, .seed = seed};
}
inline records::Cell digit_evaluator_cell(const std::string& set) {
  return cell(digit_evaluator_table, set, digit_evaluator_method, evaluator_seed);
}
inline records::Cell picture_evaluator_cell(const std::string& set) {
  return cell(picture_evaluator_table, set, picture_evaluator_method, evaluator_seed);
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// Returns PlannedCell::reads: the sections that all cells read, and these.
std::vector<std::string> with_common_sections(std::vector<std::string> sections);
/// Returns the number of seeds of photographs. A few cameras took all of them, so more seeds would
/// not be independent.
std::int64_t count_photo_seeds(const Settings& settings);
Report report(const Settings& settings);
std::string method_title(const std::string& method);

void run_digits(CellContext& context);
void run_digit_evaluator(CellContext& context);
void run_picture_evaluator(CellContext& context);
/// Runs a cell of table map, sweep or photos.
void run_translation(CellContext& context);

std::vector<ListedMethod> list_methods();

}  // namespace reprise::reproduce::unit_study
