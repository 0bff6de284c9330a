// The cells of study mocogan: which there are, and what each does. SET: a data set of clips
// (reproduce/mocogan/clip_sets.h).
//
//     judge/SET/clip_judge        the evaluator of clips, trained on clips of its own; one for all seeds
//     worthless/SET/METHOD        generators that are worthless each in its own way, made of real clips, and "real" itself, against every
//                                 metric: what the metrics of the other tables mean
//     generated/SET/METHOD        a generator trained without labels, and the scores of its clips
//     actions/SET/METHOD          one trained with labels, asked for classes
//     lengths/SET/METHOD          MoCoGAN that learns from clips of differing lengths, and real clips beside it; of sets that are generated
//     control/SET/METHOD          what content and motion codes of generated/SET/METHOD each decide, and clips longer than those of training;
//                                 of sets of shapes alone, whose colours and paths can be read off their clips
//     image_to_video/SET/METHOD   clips that begin with an image, by an encoder of generated/SET/METHOD, and by ways without one; the same
#pragma once
#include <string>
#include <vector>

#include "experiments/evaluator_cell.h"
#include "experiments/study.h"

namespace reprise::reproduce::mocogan_study {

inline const std::string evaluator_table = "judge", worthless_table = "worthless",
                         generated_table = "generated", actions_table = "actions",
                         lengths_table = "lengths", control_table = "control",
                         image_table = "image_to_video";
inline const std::string real_row = "real";
/// MoCoGAN that learns from the first [lengths] shortest to longest frames of its clips: kappa ~
/// p_K (document, paragraph 54).
inline const std::string lengths_row = "mocogan_lengths";
/// Clips of images without an encoder (baselines/image_clips.h), and such as have nothing to do
/// with them.
inline const std::string repeat_row = "repeat_frame", nearest_row = "nearest_clip",
                         unrelated_row = "unrelated_clip";

inline records::Cell cell(const std::string& table, const std::string& dataset,
                          const std::string& method, std::int64_t seed) {
  return {.study = "mocogan", .table = table, .dataset = dataset, .method = method, .seed = seed};
}
inline records::Cell evaluator_cell(const std::string& dataset) {
  return cell(evaluator_table, dataset, "clip_judge", evaluator_seed);
}

std::vector<PlannedCell> plan(const Settings& settings, const DataFolder& data);
/// The methods of a key, or none where the set has no shapes.
std::vector<std::string> of_shapes_only(const std::string& dataset, const Settings& settings,
                                        const std::string& key);
/// PlannedCell::reads: what all cells read, and these sections.
std::vector<std::string> common_and(std::vector<std::string> sections = {});
Report report(const Settings& settings);
/// The columns that every table of clips of a set shows first.
std::vector<reports::Column> scores_of(const std::string& dataset);
std::string title_of(const std::string& method);

void run_evaluator(CellContext& context);
void run_worthless(CellContext& context);
/// Of tables generated and actions.
void run_generated(CellContext& context);
void run_lengths(CellContext& context);
void run_control(CellContext& context);
void run_image_to_video(CellContext& context);

std::vector<ListedMethod> listed_methods();

}  // namespace reprise::reproduce::mocogan_study
