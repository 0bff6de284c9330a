// Negative controls of clips on shape motion: each leaves the bands of the metrics that ought to
// detect it, and real clips stay within.
#include <torch/torch.h>

#include <map>
#include <set>

#include "baselines/generators.h"
#include "datasets/formats/images.h"
#include "datasets/generators/shape_motion.h"
#include "metrics/classification.h"
#include "metrics/clip_scores.h"
#include "models/backbones/evaluator.h"
#include "tests/support.h"
#include "training/progress.h"

namespace reprise {
namespace {

using metrics::ClipScores;

at::Tensor values(const datasets::ShapeMotion& set) {
  return datasets::to_values(set.clips.colour).permute({0, 1, 4, 2, 3}).contiguous();
}

training::Examples shape_clips(std::int64_t n, std::uint64_t seed) {
  const auto set = datasets::generate_shape_motion(n, {.size = 16}, seed);
  return {.x = values(set), .labels = set.clips.labels};
}

/// An evaluator of motion and brightest channel: 2 times 3 classes.
models::Evaluator train_evaluator() {
  const auto set = datasets::generate_shape_motion(1024, {.size = 16}, 1);
  training::Progress silent(nullptr);
  models::Evaluator evaluator({.classes = 6}, 1);
  const auto [learned, validation] = models::hold_out_eighth(
      {.x = values(set), .labels = 3 * set.clips.labels + set.shape_colour.to(at::kInt).argmax(1)});
  evaluator.fit(learned, validation, {.seed = 2}, silent);
  return evaluator;
}

class NegativeControls : public testing::Test {
 protected:
  static constexpr std::int64_t n = 256;
  at::Tensor motions(const at::Tensor& clips) const {
    return evaluator.probabilities(clips).view({-1, 2, 3}).sum(2).argmax(1);
  }
  metrics::EvaluatedClips evaluate(const at::Tensor& clips, const at::Tensor& requested) const {
    return {.clips = clips,
            .features = evaluator.features(clips),
            .predicted = motions(clips),
            .requested = requested};
  }
  ClipScores scores(const training::Examples& clips) const {
    return score_clips(evaluate(clips.x, clips.labels), reference, training.x);
  }

  models::Evaluator evaluator = train_evaluator();
  training::Examples training = shape_clips(n, 3);
  training::Examples fresh = shape_clips(512, 4);
  metrics::EvaluatedClips reference = evaluate(fresh.x, fresh.labels);
};

/// The bands that each control must leave, by id. It may leave others too.
const std::map<std::string, std::set<std::string>>& detecting_metrics() {
  static const std::map<std::string, std::set<std::string>> all{
      {"training_items", {"copies"}},
      {"still", {"step", "still", "frechet", "motion_control"}},
      {"gaussian", {"acd", "frechet"}},
      {"shuffled", {"step", "jerk", "frechet", "motion_control"}},
      {"reversed", {"motion_control"}},
      {"foreign_frames", {"acd", "diversity", "step", "jerk", "frechet"}},
      {"one_clip", {"diversity", "recall", "repeats", "frechet", "motion_control"}},
      {"sixteen_clips", {"recall", "repeats", "frechet"}},
      {"colour_drift", {"acd", "frechet"}},
      {"colour_flicker", {"acd"}},
      {"noisy", {"acd"}},
      {"black", {"diversity", "step", "still", "empty", "recall", "repeats", "frechet"}},
      {"wrong_class", {"motion_control"}},
  };
  return all;
}

TEST_F(NegativeControls, SlowEachLeavesABandAndRealClipsPass) {
  EXPECT_GE(metrics::accuracy(reference.predicted, reference.requested), 0.99);
  const auto bands = metrics::make_bands(
      {scores(shape_clips(n, 11)), scores(shape_clips(n, 12)), scores(shape_clips(n, 13))});
  for (const std::uint64_t seed : {21, 22, 23}) {
    const auto check = check_bands(scores(shape_clips(n, seed)), bands);
    EXPECT_TRUE(check.passes()) << "real clips " << seed << ": " << check.text();
  }
  training::Progress silent(nullptr);
  const auto unseen = shape_clips(n, 31);
  for (const auto& method : baselines::generators()) {
    auto generator = method.make();
    generator->fit(method.info.id == "training_items" ? training : unseen, 5, silent);
    const auto drawn =
        scores({.x = generator->sample({.count = n, .seed = 6, .labels = unseen.labels}),
                .labels = unseen.labels});
    const auto check = check_bands(drawn, bands);
    EXPECT_FALSE(check.passes()) << method.info.id;
    std::set<std::string> left;
    for (const auto& failure : check.failures) left.insert(failure.metric);
    ASSERT_TRUE(detecting_metrics().contains(method.info.id)) << method.info.id;
    for (const auto& metric : detecting_metrics().at(method.info.id))
      EXPECT_TRUE(left.contains(metric))
          << method.info.id << " is within the band of " << metric << "; it has " << check.text();
  }
}

}  // namespace
}  // namespace reprise
