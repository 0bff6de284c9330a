// The cells of study unit: which there are, and what each does.
//
//     digits/SOURCE_TARGET/METHOD   a way of adaptation, taught by labelled digits of SOURCE and by those of TARGET without labels, and how
//                                   many of TARGET's test digits it names (reproduce/unit/digit_sets.h)
//     reader/SET/digit_reader       a classifier of a set of digits with labels, that reads what is translated into it; one for all seeds
//     map/SET/METHOD                a translator between pictures from the air and maps, whose truth is known (reproduce/unit/picture_sets.h)
//     sweep/SET/unit[+KEY=VALUE]    UNIT in fewer iterations, as it is and with one value changed
//     judge/SET/picture_judge       a classifier of both domains of photographs, in whose features their translations are compared; one for all
//                                   seeds
//     photos/SET/METHOD             a translator between two sets of photographs
#pragma once
#include <string>
#include <vector>

#include "experiments/study.h"

namespace reprise::reproduce::unit_study {

inline const std::string digits_table = "digits", reader_table = "reader", map_table = "map", sweep_table = "sweep", judge_table = "judge",
                         photos_table = "photos";
inline const std::string judge_method = "picture_judge", reader_method = "digit_reader";
/// One judge serves all replicates: distances by different judges do not belong in one mean.
inline constexpr std::int64_t judge_seed = 0;

inline records::Cell cell(const std::string& table, const std::string& dataset, const std::string& method, std::int64_t seed) {
  return {.study = "unit", .table = table, .dataset = dataset, .method = method, .seed = seed};
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// PlannedCell::reads: what all cells read, and these sections.
std::vector<std::string> common_and(std::vector<std::string> sections);
/// How many replicates of photographs there are: few cameras took all.
std::int64_t photo_seeds(const Settings& settings);
void run(CellContext& context);
Report report(const Settings& settings);
std::string title_of(const std::string& method);

void run_digits(CellContext& context);
void run_reader(CellContext& context);
void run_judge(CellContext& context);
/// Of tables map, sweep and photos.
void run_translated(CellContext& context);

std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::unit_study
