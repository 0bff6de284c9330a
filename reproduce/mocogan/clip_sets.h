// The sets of clips of study mocogan: one generated, the others read from below --data.
//
// Each video of a recorded set belongs to one part only. The evaluator's part is
// the same for every seed. The rest is shuffled by the seed: first the training part, then the
// segments of the test part, one after another.
#pragma once
#include <string>
#include <vector>

#include "experiments/dataset_list.h"
#include "experiments/study.h"
#include "training/generator.h"

namespace reprise::reproduce::mocogan_study {

/// Disjoint parts of a seed's clips.
enum class Part {
  Training,   ///< training clips of generators
  Evaluator,  ///< training clips of the evaluator, those of seed 0 for every seed
  Test        ///< real clips that generated ones are compared with
};

/// Segments of Part::Test: reference clips, "real" clips, and the first of those that set the
/// bands.
inline constexpr std::int64_t test_segment = 0, real_segment = 1, first_band_segment = 2,
                              band_segments = 3;

/// Clips labelled by the class of their motion, and by their appearance. The evaluator learns both,
/// because features of motion alone miss colours that drift.
struct ClipsWithAppearance {
  training::Examples motion;
  at::Tensor appearance;  ///< [N], int64
};

/// Finds a recorded set of videos, or "shape_motion". UsageError: not a set of this study; lists
/// the known ones.
const NamedDataset& find_clip_set(const std::string& name);
/// Returns whether clips show one bright shape on black, so that its colour and path can be
/// measured (metrics/shape_clips.h).
bool has_shapes(const std::string& dataset);
/// Returns the number of appearances that the evaluator distinguishes: colours of shapes, else 1.
std::int64_t appearance_count(const std::string& dataset);

/// Returns the names of the classes of motion.
std::vector<std::string> class_names(const std::string& dataset, const DataFolder& data);

/// Lists what the set's cells lack: its folder, a second class, or enough videos for all parts.
std::vector<Missing> find_missing_clips(const std::string& dataset, const Settings& settings,
                                        const DataFolder& data);

/// Loads `n` clips of a part. Training clips have the length of their videos, with lengths where
/// these differ; all others have clips.frames frames.
ClipsWithAppearance load_clips_with_appearance(const std::string& dataset, Part part,
                                               std::int64_t n, const CellContext& context,
                                               std::int64_t segment);

/// Generates `n` clips of a part, of `frames` frames. A shape crosses the picture once in a clip.
training::Examples generate_clips(const std::string& dataset, Part part, std::int64_t n,
                                  std::int64_t frames, const CellContext& context,
                                  std::int64_t segment = 0);

/// Cuts a window of T frames out of each clip. Clips of T frames stay as they are.
at::Tensor cut_windows(const training::Examples& clips, std::int64_t T, std::uint64_t seed);

}  // namespace reprise::reproduce::mocogan_study
