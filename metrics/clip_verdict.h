// Every number of a set of generated clips, and whether all of them together are those of real
// clips. Each alone has a generator that passes it and is worthless: a still has the best ACD,
// noise diversity, sixteen clips the motion, clips of the wrong class everything but the class.
//
// score_clips() gives the numbers; bands_of() makes bands from several scores of real clips of the
// same number, m being their mean:
//     acd              at most m + 10            shape_clips.h; 0 to 255
//     diversity        0.8 m to 1.2 m
//     step             0.8 m to 1.2 m            pixels
//     jerk             at most 1.5 m
//     still, empty     at most m + 0.05
//     precision        at least m - 0.25         coverage.h, on features
//     recall           at least m - 0.25
//     repeats, copies  at most m + 0.1           on pixels
//     frechet          at most 3 m               frechet.h, on features; m is its floor, real clips against real ones
//     motion_control   at least m - 0.05         accuracy with which a classifier finds the class that was asked for
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

namespace reprise::metrics {

struct ClipScores {
  double acd = 0, diversity = 0, step = 0, jerk = 0, still = 0, empty = 0;
  double precision = 0, recall = 0, repeats = 0, copies = 0, frechet = 0;
  std::optional<double> motion_control = {};  ///< none: no class was asked for
};

/// Clips, and what an evaluator measures of them (models/backbones/evaluator.h).
struct EvaluatedClips {
  at::Tensor clips;           ///< [N, T, 3, H, W], -1 to 1
  at::Tensor features;        ///< [N, d]
  at::Tensor predicted = {};  ///< [N], int64, the class that the evaluator predicts
  at::Tensor requested = {};  ///< [N], int64, the class that was asked for; not defined: none
};

/// real: fresh clips that nothing was trained on, N or more; training: [M, T, 3, H, W], what the
/// generator learned from. UsageError: as the metrics; fewer real clips than generated ones;
/// requested without predicted.
ClipScores score_clips(const EvaluatedClips& generated, const EvaluatedClips& real,
                       const at::Tensor& training);

/// Every number that the clips were scored by, under the names above.
std::vector<std::pair<std::string, double>> values_of(const ClipScores& scores);

struct Band {
  std::string metric;
  double low = 0, high = 0;  ///< both within
};
/// Of these scores of real clips, as above. UsageError: no score.
std::vector<Band> bands_of(const std::vector<ClipScores>& real);

struct OutOfBand {
  std::string metric;
  double value = 0, low = 0, high = 0;
};
struct ClipVerdict {
  std::vector<OutOfBand> failures;  ///< in the order of the bands
  bool passes() const { return failures.empty(); }
  /// "frechet 27.1 above 2.1; still 1 above 0.05"; "within every band".
  std::string text() const;
};
/// A metric that a set was not scored by (motion_control) is not judged. A value that is not a
/// number fails. UsageError: a band of no metric.
ClipVerdict judge_clips(const ClipScores& scores, const std::vector<Band>& bands);

}  // namespace reprise::metrics
