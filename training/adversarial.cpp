#include "training/adversarial.h"

#include <ATen/ops/_foreach_lerp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/error.h"
#include "core/sha256.h"
#include "training/checkpoint.h"
#include "training/data_parallel.h"
#include "training/module_state.h"
#include "training/phase_timer.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::training {

NLOHMANN_JSON_SERIALIZE_ENUM(Precision, {{Precision::Auto, "auto"},
                                         {Precision::Float32, "float32"},
                                         {Precision::BFloat16, "bfloat16"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AdversarialReport, curves, iterations, collapsed_since,
                                   won_since, seconds, precision)

namespace {

constexpr double beyond = 1e4, one_item = 0.05, has_won = 0.99;

void check_game(const Game& game, const AdversarialOptions& options) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("adversarial training: " + problem, fix);
  };
  require(game.G && game.D && game.real && game.generated && game.judge,
          "the game lacks G, D, real, generated or judge", "give the game all five");
  require(!game.G->parameters().empty() && !game.D->parameters().empty(),
          "G or D has no parameters", "give both some to train");
  for (const auto* network : {&options.G, &options.D})
    require(network->learning_rate >= 0 && std::isfinite(network->learning_rate),
            fmt::format("a learning rate of {}", network->learning_rate),
            "use a finite rate of at least 0");
  require(game.discriminators >= 1, fmt::format("{} discriminators", game.discriminators),
          "give at least one");
  require(options.iterations >= 0 && options.window >= 1 && options.r1_every >= 1 &&
              options.discriminator_every >= 1,
          "iterations is below 0, or window, r1_every or discriminator_every below 1",
          "use counts");
  const auto first_look = options.looks.empty() ? 1 : *options.looks.begin();
  require(first_look > 0, fmt::format("a look after iteration {}", first_look),
          "look after 1 at the earliest");
  require(options.decay_from >= 0 && options.decay_from <= 1,
          fmt::format("the learning rates fall from {} on", options.decay_from),
          "use a fraction of the iterations from 0 to 1; 1: they stay");
  require(options.weight >= 0,
          fmt::format("the adversarial loss has a weight of {}", options.weight),
          "use 0 (nobody learns from it) or more");
  require(options.r1 >= 0, fmt::format("r1 is {}", options.r1), "use 0 (none) or more");
  require(options.ema_decay >= 0 && options.ema_decay < 1,
          fmt::format("ema_decay is {}", options.ema_decay), "use a decay in [0, 1); 0 is none");
  const auto& noise = options.noise;
  require(noise.sigma >= 0 && noise.speed >= 0 && noise.most >= noise.sigma,
          fmt::format("noise from {} to at most {}, {} per iteration", noise.sigma, noise.most,
                      noise.speed),
          "use a sigma from 0 to `most`, and a speed of at least 0");
  require(noise.target == 0 || (noise.target > 0.5 && noise.target < 1),
          fmt::format("the noise follows an accuracy of {}", noise.target),
          "use a target between 0.5 (chance) and 1, or 0: the noise stays as it is");
}

at::Tensor accuracy(AdversarialLoss loss, const at::Tensor& a, const at::Tensor& b) {
  const auto middle =
      loss == AdversarialLoss::Wasserstein ? (a.mean() + b.mean()) / 2 : at::zeros({}, a.options());
  return ((a > middle).to(at::kFloat).mean() + (b < middle).to(at::kFloat).mean()) / 2;
}

at::Tensor spread(const at::Tensor& x) {
  return x.detach().var(/*dim=*/0, /*unbiased=*/false).mean().sqrt();
}

std::string text_of(const OptimizerOptions& o) {
  return fmt::format("{} {} {} {} {}", o.name, o.learning_rate, o.b1, o.b2, o.weight_decay);
}

class Duel {
 public:
  Duel(const Game& game, const AdversarialOptions& options, Progress& progress)
      : game_(game),
        options_(options),
        progress_(progress),
        G_(make_optimizer(game.G->parameters(), options.G)),
        D_(make_optimizer(game.D->parameters(), options.D)),
        device_(game.G->parameters().front().device()),
        generator_(device_, data_parallel::rank_seed(options.seed)),
        noise_(at::full({game.discriminators}, options.noise.sigma, at::TensorOptions(device_))) {
    const torch::NoGradGuard no_grad;
    broadcast_networks();
    if (options.ema_decay == 0) return;
    for (const auto& [name, tensor] : module_state(*game.G))
      if (tensor.is_floating_point()) {
        averaged_.push_back(tensor);
        average_.push_back(tensor.detach().clone());
      }
  }

  AdversarialReport all() {
    game_.G->train();
    game_.D->train();
    report_.precision = options_.precision;
    if (!options_.checkpoint.empty()) resume();
    if (report_.precision == Precision::Auto) report_.precision = chosen_precision();
    const torch::AutoGradMode gradients(true);
    while (report_.iterations < options_.iterations) {
      iterate();
      if (game_.look && options_.looks.contains(report_.iterations)) look();
      if (report_.iterations % options_.window == 0 || report_.iterations == options_.iterations)
        end_window();
    }
    const torch::NoGradGuard no_grad;
    take_average();
    broadcast_networks();  // ranks differ in the running statistics of batch norm
    G_->zero_grad();
    D_->zero_grad();
    game_.G->eval();
    progress_.done(
        fmt::format("{} iterations{}{}", report_.iterations, state_in_words(),
                    report_.collapsed_since < 0 ? "" : "; what is generated is one item"));
    return report_;
  }

 private:
  template <typename Work>
  auto timed(const char* phase, Work work) {
    const PhaseTimer timer(report_.seconds[phase]);
    return work();
  }

  /// By D's way there and back of a real batch.
  Precision chosen_precision() {
    std::optional<Items> real;
    const auto chosen =
        agreed_precision(module_state(*game_.D), generator_, [&](Precision precision) {
          if (!real) {
            Random random = Random(options_.seed).split("iteration", 0);
            real = real_slice(random);
          }
          report_.precision = precision;
          const auto verdict = judged(*real);
          const auto loss = discriminator_loss(options_.loss, verdict, verdict);
          loss.backward();
          loss.item<float>();  // waits for a device's work in flight
        });
    D_->zero_grad();
    return chosen;
  }

  void iterate() {
    Random random = Random(options_.seed).split("iteration", report_.iterations);
    const Items real = timed("data", [&] { return real_slice(random); });
    const auto spread_of_real = spread(real[0]);
    if (!data_parallel::is_main()) random = random.split("rank", data_parallel::rank());
    const Items generated = timed("generated", [&] { return made(real, random); });
    if (report_.iterations % options_.discriminator_every == 0)
      timed("discriminator", [&] { discriminator_step(real, generated); });
    const at::Tensor loss = timed("generator", [&] { return generator_step(real, generated); });
    const torch::NoGradGuard no_grad;
    // Real items that are all equal measure nothing: no number, in place of one that is infinite.
    const auto diversity =
        at::where(spread_of_real > 0, spread(generated[0]) / spread_of_real, std::nan(""));
    points_.push_back(at::cat({at::stack({loss_D_, loss, r1_, weighted(diversity)}), accuracy_}));
    if (options_.noise.target > 0)
      noise_
          .add_((data_parallel::average(accuracy_) - options_.noise.target).sign(),
                options_.noise.speed)
          .clamp_(0, options_.noise.most);
    if (!average_.empty()) {
      const auto n = static_cast<double>(report_.iterations);
      at::_foreach_lerp_(average_, averaged_, 1 - std::min(options_.ema_decay, (1 + n) / (10 + n)));
    }
    ++report_.iterations;
  }

  /// This rank's rows of a real batch.
  Items real_slice(Random& random) {
    Items items = game_.real(random);
    rows_ = items[0].size(0);
    for (auto& item : items) item = data_parallel::slice(item);
    return items;
  }

  /// A mean over this rank's slice, scaled for the average over the ranks.
  at::Tensor weighted(const at::Tensor& mean) const { return data_parallel::weighted(mean, rows_); }

  void broadcast_networks() const {
    for (const auto& network : {game_.G, game_.D})
      for (const auto& [name, tensor] : module_state(*network)) data_parallel::broadcast({tensor});
  }

  Items made(const Items& real, Random& random) {
    const PassesIn precision(report_.precision, device_.type());
    Items items = game_.generated(real, random);
    for (auto& item : items)
      if (item.is_floating_point()) item = item.to(at::kFloat);
    return items;
  }

  Verdict judged(const Items& items) {
    const PassesIn precision(report_.precision, device_.type());
    Verdict verdict = game_.judge(items, noise_);
    for (auto* outputs : {&verdict.logits, &verdict.more})
      for (auto& output : *outputs) output = output.to(at::kFloat);
    return verdict;
  }

  /// Of the learning rates in this iteration.
  double rate() const {
    const auto all = static_cast<double>(options_.iterations),
               left = all - static_cast<double>(report_.iterations);
    return std::min(1.0, left / std::max(1.0, all * (1 - options_.decay_from)));
  }

  void discriminator_step(Items real, const Items& generated) {
    const auto step = report_.iterations / options_.discriminator_every;
    const bool penalised = options_.r1 > 0 && step % options_.r1_every == 0;
    if (penalised)
      for (auto& item : real)
        if (item.is_floating_point()) item = item.detach().requires_grad_();
    Items given;
    for (const auto& item : generated) given.push_back(item.detach());
    const Verdict of_real = judged(real), of_generated = judged(given);
    auto loss = options_.weight * discriminator_loss(options_.loss, of_real, of_generated);
    if (game_.more_of_D) loss = loss + game_.more_of_D({real, of_real}, {given, of_generated});
    loss_D_ = weighted(loss.detach());
    if (penalised) {
      const auto penalty = gradient_penalty(real, of_real);
      r1_ = weighted(penalty.detach());
      loss = loss + options_.r1 / 2 * static_cast<double>(options_.r1_every) * penalty;
    }
    D_->zero_grad();
    weighted(loss).backward();
    data_parallel::average_gradients(game_.D->parameters());
    D_->step(rate());
    if (game_.constrain) game_.constrain(step + 1);
    std::vector<at::Tensor> right;
    for (std::size_t k = 0; k < of_real.logits.size(); ++k)
      right.push_back(
          accuracy(options_.loss, of_real.logits[k].detach(), of_generated.logits[k].detach()));
    accuracy_ = weighted(at::stack(right));
  }

  at::Tensor generator_step(const Items& real, const Items& generated) {
    const Frozen frozen(*game_.D);
    const Verdict verdict = judged(generated);
    auto loss = options_.weight * generator_loss(options_.loss, verdict);
    if (game_.more_of_G) loss = loss + game_.more_of_G(real, {generated, verdict});
    G_->zero_grad();
    loss = weighted(loss);
    loss.backward();
    data_parallel::average_gradients(game_.G->parameters());
    G_->step(rate());
    return loss.detach();
  }

  /// D's weights need no gradient while G learns: that is a third of the work of the way back.
  class Frozen {
   public:
    explicit Frozen(const torch::nn::Module& network) : parameters_(network.parameters()) {
      ask(false);
    }
    ~Frozen() { ask(true); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

   private:
    void ask(bool gradient) {
      for (auto& parameter : parameters_) parameter.requires_grad_(gradient);
    }
    std::vector<at::Tensor> parameters_;
  };

  void take_average() {
    for (std::size_t i = 0; i < average_.size(); ++i) averaged_[i].copy_(average_[i]);
  }

  void look() {
    const torch::NoGradGuard no_grad;
    std::vector<at::Tensor> own;
    for (const auto& tensor : averaged_) own.push_back(tensor.clone());
    take_average();
    game_.G->eval();
    report_.curves["iteration"].push_back(static_cast<double>(report_.iterations));
    for (const auto& [name, value] : timed("looks", [&] { return game_.look(); }))
      report_.curves[name].push_back(value);
    game_.G->train();
    for (std::size_t i = 0; i < own.size(); ++i) averaged_[i].copy_(own[i]);
  }

  /// Looks at all losses of the window at once: on a device, each look waits for the work in
  /// flight.
  void end_window() {
    const at::Tensor points = data_parallel::average(at::stack(points_).to(at::kCPU, at::kDouble));
    auto means = points.mean(0);
    if (const auto diversity = points.select(1, 3); at::isnan(diversity).any().item<bool>())
      means[3] = diversity.nanmean();
    points_.clear();
    for (std::int64_t i = 0; i < points.size(0); ++i)
      for (const int column : {0, 1})
        judge_loss(points[i][column].item<double>(), column == 0 ? "D" : "G", points.size(0) - i);
    const auto add = [&](const std::string& name, double value) {
      report_.curves[name].push_back(value);
    };
    add("loss_D", means[0].item<double>());
    add("loss_G", means[1].item<double>());
    if (options_.r1 > 0) add("r1", means[2].item<double>());
    add("diversity", means[3].item<double>());
    const at::Tensor noise = noise_.to(at::kCPU);
    double least = 1;
    for (std::int64_t k = 0; k < game_.discriminators; ++k) {
      const double right = means[4 + k].item<double>();
      least = std::min(least, right);
      add(fmt::format("accuracy_{}", k + 1), right);
      add(fmt::format("noise_{}", k + 1), noise[k].item<double>());
    }
    const auto since = [&](bool now, std::int64_t& when) {
      when = !now ? -1 : when < 0 ? report_.iterations - points.size(0) : when;
    };
    since(means[3].item<double>() < one_item, report_.collapsed_since);
    since(least > has_won, report_.won_since);
    if (!options_.checkpoint.empty() && data_parallel::is_main()) store();
    progress_.update(
        static_cast<double>(report_.iterations) / static_cast<double>(options_.iterations),
        fmt::format("iteration {}/{}{}", report_.iterations, options_.iterations,
                    state_in_words()));
  }

  void judge_loss(double value, const char* whose, std::int64_t from_the_last) const {
    if (std::isfinite(value) && std::abs(value) <= beyond) return;
    throw Error(
        fmt::format("adversarial training broke at iteration {}: the loss of {} is {}",
                    report_.iterations + 1 - from_the_last, whose, value),
        fmt::format(
            "lower the learning rates (now G {}, D {}), or raise r1 (now {}) or the noise (now {})",
            options_.G.learning_rate, options_.D.learning_rate, options_.r1, options_.noise.sigma));
  }

  std::string state_in_words() const {
    if (report_.curves.empty()) return "";
    std::string text;
    for (std::int64_t k = 1; k <= game_.discriminators; ++k)
      text += fmt::format("{}{:.2f}", k == 1 ? "" : " ",
                          report_.curves.at(fmt::format("accuracy_{}", k)).back());
    return fmt::format(": loss D {:.3g}, G {:.3g}, accuracy {}, diversity {:.2f}",
                       report_.curves.at("loss_D").back(), report_.curves.at("loss_G").back(), text,
                       report_.curves.at("diversity").back());
  }

  std::string identity() const {
    const auto& o = options_;
    std::string text = fmt::format(
        "adversarial 5 {} {} {} {} {} {} | {} | {} | {} {} {} {} | {} {} {} {} | {} {}\n",
        o.iterations, o.window, fmt::join(o.looks, ","), static_cast<int>(o.precision),
        static_cast<int>(o.loss), o.weight, text_of(o.G), text_of(o.D), o.decay_from,
        o.discriminator_every, o.r1, o.r1_every, o.noise.sigma, o.noise.target, o.noise.speed,
        o.noise.most, o.ema_decay, o.seed);
    return sha256(text + weights_text(module_state(*game_.G)) +
                  weights_text(module_state(*game_.D)));
  }

  /// Everything that an iteration changes, by the name under which it is stored; the default
  /// generator's state apart.
  weights::StateDict state() const {
    weights::StateDict all;
    const auto add = [&](const std::string& prefix, const weights::StateDict& tensors) {
      for (const auto& [name, tensor] : tensors) all.emplace_back(prefix + name, tensor);
    };
    add("G.", module_state(*game_.G));
    add("D.", module_state(*game_.D));
    add("optimizer.G.", G_->state());
    add("optimizer.D.", D_->state());
    for (std::size_t i = 0; i < average_.size(); ++i)
      all.emplace_back(fmt::format("ema.{}", i), average_[i]);
    all.emplace_back("noise", noise_);
    all.emplace_back("last.loss_D", loss_D_);
    all.emplace_back("last.accuracy", accuracy_);
    all.emplace_back("last.r1", r1_);
    return all;
  }

  void store() {
    Checkpoint checkpoint{.identity = identity_, .tensors = state(), .report = report_};
    checkpoint.tensors.emplace_back("generator", generator_.state());
    write_checkpoint(options_.checkpoint, checkpoint);
  }

  void resume() {
    identity_ = identity();
    if (!broadcast_restored(data_parallel::is_main() && restored(), report_, {state()})) return;
    progress_.update(static_cast<double>(report_.iterations) /
                         static_cast<double>(std::max<std::int64_t>(options_.iterations, 1)),
                     fmt::format("resuming after iteration {}", report_.iterations));
  }

  bool restored() {
    const auto checkpoint = read_checkpoint(options_.checkpoint, identity_);
    if (!checkpoint) return false;
    at::Tensor generator = generator_.state();
    restore(checkpoint->tensors, "", state(), options_.checkpoint);
    restore(checkpoint->tensors, "", {{"generator", generator}}, options_.checkpoint);
    generator_.set_state(generator);
    try {
      checkpoint->report.get_to(report_);
    } catch (const nlohmann::json::exception&) {
      refuse_checkpoint(options_.checkpoint, "its report is not that of an adversarial run");
    }
    return true;
  }

  const Game& game_;
  const AdversarialOptions& options_;
  Progress& progress_;
  std::unique_ptr<Optimizer> G_, D_;
  at::Device device_;
  DefaultGenerator generator_;
  std::vector<at::Tensor> averaged_, average_;  ///< G's own tensors, and their moving averages
  at::Tensor noise_;
  at::Tensor loss_D_ = at::zeros({}, at::TensorOptions(device_)),
             r1_ = at::zeros({}, at::TensorOptions(device_)),
             accuracy_ = at::zeros({game_.discriminators},
                                   at::TensorOptions(device_));  ///< of the last step that had them
  std::vector<at::Tensor> points_;
  std::int64_t rows_ = 0;  // of the whole real batch, of which this rank has a slice
  AdversarialReport report_;
  std::string identity_;
};

}  // namespace

void AdversarialGenerator::learn(Game game, const AdversarialOptions& options, Progress& progress) {
  if (look_) game.look = [this] { return look_(*this); };
  report_ = fit_adversarial(game, options, progress);
}

AdversarialReport fit_adversarial(const Game& game, const AdversarialOptions& options,
                                  Progress& progress) {
  check_game(game, options);
  return Duel(game, options, progress).all();
}

}  // namespace reprise::training
