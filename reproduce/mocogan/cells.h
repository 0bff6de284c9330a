// The cells of study mocogan. SET: a data set of clips (reproduce/mocogan/clip_sets.h).
//
//   - judge/SET/clip_judge: trains the evaluator of clips. All seeds share one.
//   - worthless/SET/METHOD: negative controls made of real clips, and "real" clips themselves.
//   - generated/SET/METHOD: a generator trained without labels.
//   - actions/SET/METHOD: a generator trained with labels, sampled by class.
//   - lengths/SET/METHOD: MoCoGAN trained on clips of different lengths, and real clips. Generated
//     sets only.
//   - control/SET/METHOD: what content and motion codes each control, and longer clips. Sets of
//     shapes only, because colours and paths are measured in the pixels.
//   - image_to_video/SET/METHOD: clips that begin with an image, with and without an encoder. Sets
//     of shapes only.
#pragma once
#include <string>
#include <vector>

#include "experiments/evaluator_cell.h"
#include "experiments/study.h"

namespace reprise::reproduce::mocogan_study {

inline const std::string evaluator_table = "judge";
inline const std::string controls_table = "worthless";
inline const std::string generated_table = "generated";
inline const std::string actions_table = "actions";
inline const std::string lengths_table = "lengths";
inline const std::string control_table = "control";
inline const std::string image_table = "image_to_video";
inline const std::string real_row = "real";
/// MoCoGAN trained on clips of [lengths] shortest to longest frames: kappa ~ p_K (paragraph 54).
inline const std::string lengths_row = "mocogan_lengths";
/// Baselines of image to video: two without an encoder (baselines/image_clips.h), one unrelated to
/// the images.
inline const std::string repeat_row = "repeat_frame";
inline const std::string nearest_row = "nearest_clip";
inline const std::string unrelated_row = "unrelated_clip";

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "mocogan", .table = table, .dataset = dataset, .method = method, .seed = seed};
}
inline records::Cell evaluator_cell(const std::string& dataset) {
  return cell(evaluator_table, dataset, "clip_judge", evaluator_seed);
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// Returns the methods of a setting, or none if the set has no shapes.
std::vector<std::string> methods_with_shapes(const std::string& dataset, const Settings& settings,
                                             const std::string& key);
/// Returns PlannedCell::reads: the sections that all cells read, and these.
std::vector<std::string> with_common_sections(std::vector<std::string> sections = {});
Report report(const Settings& settings);
/// Returns the columns that each table of a set's clips shows first.
std::vector<reports::Column> score_columns(const std::string& dataset);
std::string method_title(const std::string& method);

void run_evaluator(CellContext& context);
void run_negative_control(CellContext& context);
/// Runs a cell of table generated or actions.
void run_generation(CellContext& context);
void run_lengths(CellContext& context);
void run_control(CellContext& context);
void run_image_to_video(CellContext& context);

std::vector<ListedMethod> list_methods();

}  // namespace reprise::reproduce::mocogan_study
