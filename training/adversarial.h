// Alternating training of a generator G against discriminators D_1 .. D_K, independent of any
// paper. A GanTask draws real batches, generates batches, applies D, and may add further losses.
//
// Each iteration draws one real batch x and one generated batch y; both steps share them. With
// logits a_k = D_k(x), b_k = D_k(y):
//
//     loss            D minimises                                  G minimises
//     Minimax         sum_k E softplus(-a_k) + E softplus(b_k)     sum_k -E softplus(b_k)
//     NonSaturating   as Minimax                                   sum_k  E softplus(-b_k)
//     Wasserstein     sum_k -E a_k + E b_k                         sum_k -E b_k
//
// The option `weight` scales both; the extra losses of a task are not scaled.
// softplus(-a) = -log sigmoid(a), so Minimax is the objective -log D(x) - log(1 - D(y)).
// Sources: Goodfellow et al. 2014, section 3; Arjovsky et al. 2017.
//
// Optional means to balance D and G:
//   - Separate learning rates, and several iterations per step of D. From the fraction decay_from
//     of the iterations (or of the time, see `seconds`) on, both rates fall linearly to 0.
//   - R1: r1 / 2 E |grad_x D_k(x)|^2 every r1_every-th step of D, scaled by r1_every. D_k(x) is the
//     mean of an item's logits. Sources: Mescheder et al. 2018; Karras et al. 2020 (lazy).
//   - Instance noise: D_k sees Gaussian noise of standard deviation noise_k. The task decides
//     where the noise is added: to the input, or before each convolution. With a target accuracy,
//     noise_k rises by `speed` per iteration while D_k is more accurate than the target, and falls
//     by `speed` while it is less accurate. Source: Sonderby et al. 2017.
//
// Accuracy is the mean of two fractions: real logits above, and generated logits below, the
// threshold. The threshold is 0, or with the Wasserstein loss the midpoint of the two mean logits.
//
// With an exponential moving average, the result is the average of G's weights and buffers (batch
// statistics). Its decay after n iterations is min(ema_decay, (1 + n) / (10 + n)), so that a short
// run forgets the first weights too.
//
// Every `window` iterations the trainer appends one point to each curve, checks the losses, and
// stores its state if a checkpoint path is given. A killed run resumes from there and ends with
// the same bits (training/checkpoint.h). Noise and dropout use torch's default generator, which is
// seeded at the start and restored at the end. Results depend on the number of threads.
//
// Several processes can train together (training/data_parallel.h). Each takes its slice of the
// real batch, and G generates as many items. Curves are means over the ranks. Rank 0 writes the
// checkpoint.
#pragma once
#include <torch/nn/module.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/random.h"
#include "training/generator.h"
#include "training/optimizer.h"
#include "training/precision.h"

namespace reprise::training {

class Progress;

/// Tensors of one batch: the input of D, labels, latents. Dimension 0 is the item. Diversity is
/// measured on the first tensor.
using Items = std::vector<at::Tensor>;

struct DiscriminatorOutput {
  std::vector<at::Tensor> logits;  ///< one per discriminator, [N] or [N, ...]
  std::vector<at::Tensor> extra;   ///< inputs of the task's extra losses, such as class logits
};

/// A batch with the discriminators' output for it.
struct ScoredBatch {
  const Items& items;
  const DiscriminatorOutput& output;
};

struct AdversarialReport;

struct GanTask {
  std::shared_ptr<torch::nn::Module> G, D;
  std::int64_t discriminators = 1;  ///< K
  std::function<Items(Random& random)> draw_real;
  /// Generates as many items as `real` has, with gradient. `random` belongs to this iteration and
  /// rank alone.
  std::function<Items(const Items& real, Random& random)> generate;
  /// Applies all discriminators. noise: [K], float32, standard deviations.
  std::function<DiscriminatorOutput(const Items& items, const at::Tensor& noise)> discriminate;
  /// Losses added to those of D and of G. May be empty.
  std::function<at::Tensor(const ScoredBatch& real, const ScoredBatch& generated)> extra_loss_D =
      {};
  std::function<at::Tensor(const Items& real, const ScoredBatch& generated)> extra_loss_G = {};
  /// Projects D onto its constraint after step `step` of D, counted from 1. May be empty.
  std::function<void(std::int64_t step)> constrain = {};
  /// Returns metrics of the current G, which has its averaged weights and is in evaluation mode.
  /// Must leave G and torch's default generator unchanged. May be empty.
  std::function<std::map<std::string, double>()> evaluate = {};
  /// Returns the text of the progress line. Empty: losses, accuracies and diversity.
  std::function<std::string(const AdversarialReport& report)> describe = {};
};

enum class AdversarialLoss { Minimax, NonSaturating, Wasserstein };

struct InstanceNoise {
  double sigma = 0;     ///< initial noise_k
  double target = 0;    ///< accuracy that noise_k follows; 0: noise_k is constant
  double speed = 1e-3;  ///< change of noise_k per iteration
  double most = 1;      ///< largest noise_k
};

struct AdversarialOptions {
  std::int64_t iterations = 1000;
  /// Time of training over all resumed runs, seconds. Above 0, the clock ends the training and
  /// `iterations` is ignored; the result is then not reproducible. A resumed run may change it.
  double seconds = 0;
  AdversarialLoss loss = AdversarialLoss::NonSaturating;
  double weight = 1;  ///< weight of the adversarial loss; 0 disables it
  OptimizerOptions G = {}, D = {};
  double decay_from = 1;  ///< fraction of the iterations at which the decay starts; 1: no decay
  std::int64_t discriminator_every = 1;  ///< iterations per step of D
  double r1 = 0;                         ///< weight of the R1 penalty; 0: no penalty
  std::int64_t r1_every = 16;            ///< steps of D per penalty
  InstanceNoise noise = {};
  double ema_decay = 0;  ///< 0: no moving average
  /// Precision of the passes of G and D. Losses, penalty and logits are float32.
  Precision precision = Precision::Float32;
  std::int64_t window = 50;                    ///< iterations per point of a curve
  std::set<std::int64_t> evaluate_after = {};  ///< iterations with an evaluation, counted from 1
  std::uint64_t seed = 0;
  std::filesystem::path checkpoint = {};  ///< "": no checkpoint
};

struct AdversarialReport {
  /// Curves by name. One value per window: the means "loss_D", "loss_G", "r1" (of iterations with
  /// a penalty), "diversity" and "accuracy_K", and the final "noise_K". One value per evaluation:
  /// "iteration", and the metrics of GanTask::evaluate().
  ///
  /// Diversity is the standard deviation of generated values over a batch, divided by that of real
  /// values. Batches of equal real items are left out; a window without any other is NaN.
  std::map<std::string, std::vector<double>> curves;
  std::int64_t iterations = 0;
  /// First iteration of the final period in which diversity stayed below 0.05 (mode collapse to
  /// one item); -1: no such period. A collapse to a few kinds of items is not detected.
  std::int64_t collapsed_since = -1;
  /// First iteration of the final period in which every accuracy stayed above 0.99 (D gives G
  /// nothing to learn from); -1: no such period.
  std::int64_t won_since = -1;
  /// Seconds by phase: "data", "generated", "discriminator", "generator", "looks" (evaluations). A
  /// training that the clock ends has "elapsed", too: all its time.
  std::map<std::string, double> seconds;
  Precision precision = Precision::Float32;  ///< the precision that was used, never Auto
};

/// A generator that trains with fit_adversarial() and keeps the report.
class AdversarialGenerator : public Generator {
 public:
  /// Returns metrics of the generator during training; see GanTask::evaluate.
  using Evaluate = std::function<std::map<std::string, double>(Generator& generator)>;
  void set_evaluate(Evaluate evaluate) { evaluate_ = std::move(evaluate); }
  /// Report of the last fit().
  const AdversarialReport& report() const { return report_; }

 protected:
  void learn(GanTask task, const AdversarialOptions& options, Progress& progress);

 private:
  AdversarialReport report_;
  Evaluate evaluate_;
};

/// Trains G and D. Leaves the averaged weights in G, if there is an average, and G in evaluation
/// mode. UsageError: an option out of range, or an incomplete task. Error: a loss that is not
/// finite or exceeds 1e4 (names the iteration and the option to lower).
AdversarialReport fit_adversarial(const GanTask& task, const AdversarialOptions& options,
                                  Progress& progress);

/// UsageError: an option out of range, or an incomplete task. fit_adversarial() calls it first.
void check_gan_task(const GanTask& task, const AdversarialOptions& options);

/// Losses of the table above, summed over the discriminators.
at::Tensor discriminator_loss(AdversarialLoss loss, const DiscriminatorOutput& real,
                              const DiscriminatorOutput& generated);
at::Tensor generator_loss(AdversarialLoss loss, const DiscriminatorOutput& generated);

/// Accuracy of one discriminator, a number, from its logits of real and of generated items.
at::Tensor discriminator_accuracy(AdversarialLoss loss, const at::Tensor& real,
                                  const at::Tensor& generated);

/// The sum over discriminators of E |grad_x D_k(x)|^2, with gradient and without the factor 1/2.
/// `items`: the batch behind `output`; every tensor that requires a gradient counts.
at::Tensor gradient_penalty(const Items& items, const DiscriminatorOutput& output);

}  // namespace reprise::training
