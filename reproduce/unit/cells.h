// The cells of study unit: which there are, and what each does.
//
//     digits/SOURCE_TARGET/METHOD   a way of adaptation, taught by labelled digits of SOURCE and by those of TARGET without labels, and how
//                                   many of TARGET's test digits it names (reproduce/unit/digit_sets.h)
//     reader/SET/digit_reader       an evaluator of a set of digits: recognises what is translated into it; one for all seeds
//     map/SET/METHOD                a translator between pictures from the air and maps, whose truth is known (reproduce/unit/picture_sets.h)
//     sweep/SET/unit[+KEY=VALUE]    UNIT in fewer iterations, as it is and with one value changed
//     judge/SET/picture_judge       an evaluator of both domains of photographs, in whose features their translations are compared;
//                                   one for all seeds
//     photos/SET/METHOD             a translator between two sets of photographs
#pragma once
#include <string>
#include <vector>

#include "experiments/evaluator_cell.h"
#include "experiments/study.h"

namespace reprise::reproduce::unit_study {

inline const std::string digits_table = "digits", digit_evaluator_table = "reader",
                         map_table = "map", sweep_table = "sweep",
                         picture_evaluator_table = "judge", photos_table = "photos";
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
/// PlannedCell::reads: what all cells read, and these sections.
std::vector<std::string> common_and(std::vector<std::string> sections);
/// How many replicates of photographs there are: few cameras took all.
std::int64_t photo_seeds(const Settings& settings);
Report report(const Settings& settings);
std::string title_of(const std::string& method);

void run_digits(CellContext& context);
void run_digit_evaluator(CellContext& context);
void run_picture_evaluator(CellContext& context);
/// Of tables map, sweep and photos.
void run_translated(CellContext& context);

std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::unit_study
