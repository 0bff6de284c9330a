// All scores of a set of generated clips, and their bands around the scores of real clips.
//
// Every single score has a degenerate generator that passes it, so a set must pass all of them:
//   - a still image has the best ACD;
//   - noise passes diversity;
//   - sixteen clips, repeated, pass the scores of motion;
//   - clips of the wrong class pass every score except motion_control.
//
// score_clips() computes the scores. make_bands() derives bands from several equally large sets of
// real clips, with m the mean of their scores:
//
//   - acd: at most m + 10 (shape_clips.h; 0 to 255).
//   - diversity: 0.8 m to 1.2 m.
//   - step: 0.8 m to 1.2 m (pixels).
//   - jerk: at most 1.5 m.
//   - still, empty: at most m + 0.05.
//   - precision: at least m - 0.25 (coverage.h, on features).
//   - recall: at least m - 0.25.
//   - repeats, copies: at most m + 0.1 (on pixels).
//   - frechet: at most 3 m (frechet.h, on features; m compares real with real).
//   - motion_control: at least m - 0.05 (fraction of clips in the requested class).
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace reprise::metrics {

struct ClipScores {
  double acd = 0, diversity = 0, step = 0, jerk = 0, still = 0, empty = 0;
  double precision = 0, recall = 0, repeats = 0, copies = 0, frechet = 0;
  std::optional<double> motion_control = {};  ///< empty: no class was requested
};

/// Clips with the outputs of an evaluator for them (models/backbones/evaluator.h).
struct EvaluatedClips {
  at::Tensor clips;           ///< [N, T, 3, H, W], -1 to 1
  at::Tensor features;        ///< [N, d]
  at::Tensor predicted = {};  ///< [N], int64, class predicted by the evaluator
  at::Tensor requested = {};  ///< [N], int64, class requested from the generator; undefined: none
};

/// Computes all scores. real: N or more clips that nothing was trained on. training:
/// [M, T, 3, H, W], the training set of the generator.
/// UsageError: as the metrics; fewer real than generated clips; requested without predicted.
ClipScores score_clips(const EvaluatedClips& generated, const EvaluatedClips& real,
                       const at::Tensor& training);

/// Returns the computed scores with their names from the table above.
std::vector<std::pair<std::string, double>> list_values(const ClipScores& scores);

/// Accepted range of a score, both ends included.
struct Band {
  std::string metric;
  double low = 0, high = 0;
};
/// Makes the bands of the table above from scores of real clips. UsageError: no scores.
std::vector<Band> make_bands(const std::vector<ClipScores>& real);

struct OutOfBand {
  std::string metric;
  double value = 0, low = 0, high = 0;
};
struct BandCheck {
  std::vector<OutOfBand> failures;  ///< in the order of the bands
  bool passes() const { return failures.empty(); }
  /// "frechet 27.1 above 2.1; still 1 above 0.05", or "within every band".
  std::string text() const;
};
/// Compares scores with bands. Skips a band whose score was not computed (motion_control). NaN
/// fails. UsageError: a band of an unknown metric.
BandCheck check_bands(const ClipScores& scores, const std::vector<Band>& bands);

}  // namespace reprise::metrics
