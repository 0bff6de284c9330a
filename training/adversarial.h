// Alternating training of a generator G against discriminators D_1 .. D_K. It knows no paper: a
// game says what is real, what G makes of a draw, how D judges both, and which losses there are
// beside the adversarial one.
//
// An iteration draws one real batch x and one generated batch y; both steps share them. With logits
// a_k = D_k(x), b_k = D_k(y):
//
//     loss            D minimises                                  G minimises
//     Minimax         sum_k E softplus(-a_k) + E softplus(b_k)     sum_k -E softplus(b_k)      G maximises what D minimises
//     NonSaturating   the same                                     sum_k  E softplus(-b_k)     Goodfellow et al. 2014, section 3
//     Wasserstein     sum_k -E a_k + E b_k                         sum_k -E b_k                Arjovsky et al. 2017
// Both are taken `weight` times; the losses that a game adds of its own are not.
// softplus(-a) = -log sigmoid(a), so the first line is the objective -log D(x) - log(1 - D(y)).
//
// What keeps D and G in balance, each of them optional:
//   - learning rates of their own, and several iterations to a step of D; from the fraction decay_from of the iterations on both fall
//     linearly to 0, so that the weights come to rest;
//   - R1 (Mescheder et al. 2018): r1 / 2 E |grad_x D_k(x)|^2, every r1_every-th iteration and then r1_every times as strong (Karras et al.
//     2020: lazy). D_k(x) is the mean of an item's logits;
//   - instance noise (Sonderby et al. 2017): D_k sees its input with Gaussian noise of standard deviation noise_k, or has it before every
//     convolution; how, is the game's affair. With a target, noise_k follows D_k's accuracy: after each iteration it rises by `speed` when
//     D_k tells more than `target` of the items apart, and falls by as much when fewer.
// Accuracy: the mean of the fractions of real and of generated logits on the right side of 0, or
// with Wasserstein's loss of the middle of their means.
//
// The moving average of G's weights and of its buffers (batch statistics) is what is kept, when
// there is one: with the decay min(ema_decay, (1 + n) / (10 + n)) after n iterations, so that it
// forgets the first weights in a short run too.
//
// Every `window` iterations the report gets a point of each curve, the losses are looked at, and
// with a path the whole state is stored: a run that was killed and is started again resumes there
// and ends with the same bits (training/checkpoint.h). torch's default generator feeds noise and
// dropout; it is seeded when the run starts and given back as it was. One thread count, one result.
//
// Several processes may train together (training/data_parallel.h): each takes its slice of the real
// batch, and G makes as many items. Curves are means over the ranks. Rank 0 writes the checkpoint.
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

/// A batch as the game needs it: what D sees, labels, latents. Dimension 0 of each is the item. Of
/// the first, diversity is measured.
using Items = std::vector<at::Tensor>;

struct Verdict {
  std::vector<at::Tensor> logits;  ///< one per discriminator, [N] or [N, ...]
  std::vector<at::Tensor> more;  ///< what the game's own losses need, such as the logits of a class
};

/// A batch and what D says of it.
struct Judged {
  const Items& items;
  const Verdict& verdict;
};

struct Game {
  std::shared_ptr<torch::nn::Module> G, D;
  std::int64_t discriminators = 1;  ///< K
  std::function<Items(Random& random)> real;
  /// What G makes, with gradient: as many items as `real` has. `random` belongs to this iteration
  /// and rank alone.
  std::function<Items(const Items& real, Random& random)> generated;
  /// noise: [K], float32.
  std::function<Verdict(const Items& items, const at::Tensor& noise)> judge;
  /// Losses added to D's and to G's; may be empty.
  std::function<at::Tensor(const Judged& real, const Judged& generated)> more_of_D = {};
  std::function<at::Tensor(const Items& real, const Judged& generated)> more_of_G = {};
  /// Called after step `step` of D, counted from 1: puts D back into its constraint. May be empty.
  std::function<void(std::int64_t step)> constrain = {};
  /// Numbers of what G makes at this moment, with the average of its weights and in evaluation
  /// mode. May be empty; it must leave G and torch's default generator as they are.
  std::function<std::map<std::string, double>()> look = {};
};

enum class AdversarialLoss { Minimax, NonSaturating, Wasserstein };

struct InstanceNoise {
  double sigma = 0;               ///< noise_k at the start
  double target = 0;              ///< the accuracy that noise_k follows; 0: noise_k stays as it is
  double speed = 1e-3, most = 1;  ///< change per iteration; the largest noise_k
};

struct AdversarialOptions {
  std::int64_t iterations = 1000;
  AdversarialLoss loss = AdversarialLoss::NonSaturating;
  double weight = 1;  ///< of the adversarial loss; 0: D is there and nobody learns from it
  OptimizerOptions G = {}, D = {};
  double decay_from =
      1;  ///< the fraction of the iterations from which the learning rates fall; 1: they stay
  std::int64_t discriminator_every = 1;  ///< iterations to a step of D
  double r1 = 0;                         ///< 0: none
  std::int64_t r1_every = 16;
  InstanceNoise noise = {};
  double ema_decay = 0;  ///< 0: none
  Precision precision =
      Precision::Float32;  ///< of G's and D's passes; losses, penalty and logits are float32
  std::int64_t window = 50;
  std::set<std::int64_t> looks =
      {};  ///< after which iterations, counted from 1, there is a look of the game
  std::uint64_t seed = 0;
  std::filesystem::path checkpoint = {};  ///< "": none is kept
};

struct AdversarialReport {
  /// A mean per window: "loss_D", "loss_G", "r1" (of iterations that had it), "diversity", and per
  /// discriminator "accuracy_K"; at its end: "noise_K". Diversity: the standard deviation of a
  /// generated value over a batch, as a fraction of a real value's, over the batches whose real
  /// items are not all equal; NaN where a window has none. A value per look: "iteration", after how
  /// many it was, and the look's numbers by their names.
  std::map<std::string, std::vector<double>> curves;
  std::int64_t iterations = 0;
  /// The iteration since when, up to the end, diversity has been below 0.05 (generated items are
  /// one item), or every accuracy above 0.99 (G learns from a judge that has won). -1: neither
  /// holds at the end. That a few kinds of items are missing is not seen here.
  std::int64_t collapsed_since = -1, won_since = -1;
  std::map<std::string, double> seconds;  ///< data, generated, discriminator, generator, looks
  Precision precision =
      Precision::Float32;  ///< of the passes: what Auto came to; a run that is resumed keeps it
};

/// A generator that learns this way, and says how it went.
class AdversarialGenerator : public Generator {
 public:
  /// Numbers of what it makes while it learns, at the looks of fit()'s options: see Game.
  using Look = std::function<std::map<std::string, double>(Generator& generator)>;
  void set_look(Look look) { look_ = std::move(look); }
  /// Of the last fit().
  const AdversarialReport& report() const { return report_; }

 protected:
  void learn(Game game, const AdversarialOptions& options, Progress& progress);

 private:
  AdversarialReport report_;
  Look look_;
};

/// Leaves the averaged weights in G, where there is an average, and G in evaluation mode. Error: a
/// loss that is not finite, or beyond 1e4, names the iteration and says which option to lower.
AdversarialReport fit_adversarial(const Game& game, const AdversarialOptions& options,
                                  Progress& progress);

/// Sum over discriminators; see the table above.
at::Tensor discriminator_loss(AdversarialLoss loss, const Verdict& real, const Verdict& generated);
at::Tensor generator_loss(AdversarialLoss loss, const Verdict& generated);

/// The sum over discriminators of E |grad_x D_k(x)|^2, with gradient. `items`: those which
/// `verdict` was made of, each that requires a gradient counted. Not divided by 2.
at::Tensor gradient_penalty(const Items& items, const Verdict& verdict);

}  // namespace reprise::training
