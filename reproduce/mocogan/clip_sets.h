// The sets of clips of study mocogan: one that is generated, and those that are read from below
// --data.
//
// Videos of a set that is read are dealt out once: the evaluator gets its own, the same for every
// replicate; of what is left, in an order drawn for the replicate, generators get the first, and
// the stretches of the test part follow one another. So no video is in two parts.
#pragma once
#include <string>
#include <vector>

#include "experiments/dataset_list.h"
#include "experiments/study.h"
#include "training/generator.h"

namespace reprise::reproduce::mocogan_study {

/// Parts of a replicate's clips, none of which shares a clip with another.
enum class Part {
  Training,   ///< what generators learn from
  Evaluator,  ///< what the evaluator learns from: those of seed 0, whatever the seed
  Test        ///< what generated clips are compared with
};

/// Stretches of Part::Test: what generated clips are compared with, and what the bands of real
/// clips are read off.
inline constexpr std::int64_t test_stretch = 0, real_stretch = 1, first_band_stretch = 2,
                              band_stretches = 3;

/// Clips with the class of their motion, and what else of them the evaluator tells apart: features
/// of an evaluator of motion alone are blind to colours that drift.
struct DrawnClips {
  training::Examples motion;
  at::Tensor look;  ///< [N], int64
};

/// Recorded sets of videos, and "shape_motion". UsageError: not a set of this study; lists those
/// there are.
const NamedDataset& clip_set(const std::string& name);
/// Whether its clips show one bright shape on black: colours and paths can be read off them
/// (metrics/shape_clips.h).
bool has_shapes(const std::string& dataset);
/// How many looks the evaluator tells apart: colours of shapes.
std::int64_t looks_of(const std::string& dataset);

/// Names of the classes of motion.
std::vector<std::string> class_names(const std::string& dataset, const DataFolder& data);

/// What the set's cells lack: its folder, a second class, or videos for all parts (all numbers are
/// given).
std::vector<Missing> missing_clips(const std::string& dataset, const Settings& settings,
                                   const DataFolder& data);

/// `n` clips of a part. Those of Part::Training have as many frames as their videos give, with
/// lengths where these differ; all others have clips.frames.
DrawnClips drawn_clips(const std::string& dataset, Part part, std::int64_t n,
                       const CellContext& context, std::int64_t stretch);

/// `n` clips of a part of a set that is generated, of `frames` frames: their shapes cross the
/// picture in as many.
training::Examples generated_clips(const std::string& dataset, Part part, std::int64_t n,
                                   std::int64_t frames, const CellContext& context,
                                   std::int64_t stretch = 0);

/// Windows of T frames, one of each clip; the clips themselves where they are so long.
at::Tensor windows_of(const training::Examples& clips, std::int64_t T, std::uint64_t seed);

}  // namespace reprise::reproduce::mocogan_study
