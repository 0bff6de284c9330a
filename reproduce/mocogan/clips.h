// The clips of study mocogan, as generators take them, and what evaluates them.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "metrics/clip_verdict.h"
#include "models/adversarial/trained_mocogan.h"
#include "models/backbones/evaluator.h"
#include "reproduce/mocogan/clip_sets.h"

namespace reprise::reproduce::mocogan_study {

/// `n` clips of a part: x [n, T, 3, S, S], -1 to 1, with labels; of Part::Training longer ones where they are recorded (clip_sets.h).
/// `stretch`: another n of the same part, counted from 0.
training::Examples clips_of(const std::string& dataset, Part part, std::int64_t n, const CellContext& context, std::int64_t stretch = 0);

/// What a cell's clips are scored by: the evaluator, real clips of the replicate, and the bands that real clips keep.
class ScoreBench {
 public:
  explicit ScoreBench(const CellContext& context);
  /// Every number of ClipScores with its protocol, but for those of shapes where clips have none; "passes" (1: within every band) and
  /// "failures", how many bands it leaves. requested: the class that each clip was asked for, or not defined.
  void note(const at::Tensor& clips, const at::Tensor& requested, CellContext& context) const;

  /// Of a generator that is still learning: frechet, and of shapes acd and step.
  std::map<std::string, double> look(const at::Tensor& clips) const;
  /// "frechet_in_training": the mean of look()'s curve, none where there were no looks. It is the lower, the sooner a generator comes near
  /// real clips.
  void note_looks(const std::map<std::string, std::vector<double>>& curves, CellContext& context) const;

  /// What generators learn from, and windows of T frames of it.
  const training::Examples& training() const { return training_; }
  training::Examples training_windows() const { return {.x = windows_, .labels = training_.labels}; }
  std::int64_t count() const { return count_; }

 private:
  std::vector<metrics::Band> measured_bands(const CellContext& context) const;
  metrics::EvaluatedClips evaluate(const at::Tensor& clips, const at::Tensor& requested) const;
  std::string dataset_;
  std::int64_t count_;
  training::Examples training_;
  at::Tensor windows_;
  models::Evaluator evaluator_;
  metrics::EvaluatedClips real_;
  std::vector<metrics::Band> bands_;
};

/// What the evaluator learns from: labelled by motion and by what else it tells apart.
training::Examples evaluator_clips(const std::string& dataset, std::int64_t n, const CellContext& context);

/// The generator that cell generated/SET/METHOD of this replicate has trained.
models::TrainedMocogan trained_mocogan(const std::string& method, const CellContext& context);

/// PATH.png: the frames of the first clips, a row a clip; PATH.webp: the first clips beside each other, moving. Each enlarged to at least 64
/// pixels.
void draw_clips(const CellContext& context, const std::string& name, const at::Tensor& clips);

}  // namespace reprise::reproduce::mocogan_study
