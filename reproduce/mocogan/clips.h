// Clips of study mocogan in the form that generators take, and their evaluation.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "metrics/clip_scores.h"
#include "models/adversarial/trained_mocogan.h"
#include "models/backbones/evaluator.h"
#include "reproduce/mocogan/clip_sets.h"

namespace reprise::reproduce::mocogan_study {

/// Loads `n` clips of a part: x [n, T, 3, S, S], -1 to 1, with labels. Recorded training clips may
/// be longer (clip_sets.h). `segment`: which n clips of the part, counted from 0.
training::Examples load_clips(const std::string& dataset, Part part, std::int64_t n,
                              const CellContext& context, std::int64_t segment = 0);

/// Scores a cell's clips with the evaluator, the seed's real clips, and the bands of real clips.
class ClipEvaluator {
 public:
  explicit ClipEvaluator(const CellContext& context);
  /// Adds each applicable score of ClipScores with its protocol. Adds "passes" (1: within every
  /// band) and "failures" (number of bands left). requested: the requested class of each clip, or
  /// undefined.
  void record_scores(const at::Tensor& clips, const at::Tensor& requested,
                     CellContext& context) const;

  /// Evaluates a generator during training: frechet, and for shapes acd and step.
  std::map<std::string, double> evaluate(const at::Tensor& clips) const;
  /// Adds "frechet_in_training", the mean of evaluate()'s curve, if there is one. It is lower if a
  /// generator comes near real clips sooner.
  void record_mean_distance(const std::map<std::string, std::vector<double>>& curves,
                            CellContext& context) const;

  /// Returns the training clips of generators.
  const training::Examples& training() const { return training_; }
  /// Returns windows of clips.frames frames of the training clips.
  training::Examples training_windows() const {
    return {.x = windows_, .labels = training_.labels};
  }
  /// Returns the number of clips to evaluate.
  std::int64_t count() const { return count_; }

 private:
  std::vector<metrics::Band> measure_bands(const CellContext& context) const;
  metrics::EvaluatedClips evaluate(const at::Tensor& clips, const at::Tensor& requested) const;
  std::string dataset_;
  std::int64_t count_;
  training::Examples training_;
  at::Tensor windows_;
  models::Evaluator evaluator_;
  metrics::EvaluatedClips real_;
  std::vector<metrics::Band> bands_;
};

/// Loads training clips of the evaluator, labelled by motion and appearance together.
training::Examples load_evaluator_clips(const std::string& dataset, std::int64_t n,
                                        const CellContext& context);

/// Loads the generator that cell generated/SET/METHOD of this seed trained.
models::TrainedMocogan load_trained_mocogan(const std::string& method, const CellContext& context);

/// Writes the first clips as NAME.png (frames, one row per clip) and NAME.webp (side by side,
/// animated). Each clip is enlarged to at least 64 pixels.
void write_clip_images(const CellContext& context, const std::string& name,
                       const at::Tensor& clips);

}  // namespace reprise::reproduce::mocogan_study
