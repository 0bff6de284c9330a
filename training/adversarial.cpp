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

constexpr double largest_loss = 1e4;          // beyond it training has diverged
constexpr double collapsed_diversity = 0.05;  // below it generated items are practically one item
constexpr double won_accuracy = 0.99;         // above it D gives G no usable gradient

void check_task(const GanTask& task, const AdversarialOptions& options) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw UsageError("adversarial training: " + problem, fix);
  };
  require(task.G && task.D && task.draw_real && task.generate && task.discriminate,
          "the GAN task lacks G, D, draw_real, generate or discriminate", "set all five");
  require(!task.G->parameters().empty() && !task.D->parameters().empty(),
          "G or D has no parameters", "give both some to train");
  for (const auto* network : {&options.G, &options.D})
    require(network->learning_rate >= 0 && std::isfinite(network->learning_rate),
            fmt::format("a learning rate of {}", network->learning_rate),
            "use a finite rate of at least 0");
  require(task.discriminators >= 1, fmt::format("{} discriminators", task.discriminators),
          "give at least one");
  require(options.iterations >= 0 && options.window >= 1 && options.r1_every >= 1 &&
              options.discriminator_every >= 1,
          "iterations is below 0, or window, r1_every or discriminator_every below 1",
          "use counts");
  const auto first_evaluation =
      options.evaluate_after.empty() ? 1 : *options.evaluate_after.begin();
  require(first_evaluation > 0, fmt::format("an evaluation after iteration {}", first_evaluation),
          "evaluate after iteration 1 at the earliest");
  require(options.decay_from >= 0 && options.decay_from <= 1,
          fmt::format("the learning rates fall from {} on", options.decay_from),
          "use a fraction of the iterations from 0 to 1; 1: no decay");
  require(options.weight >= 0,
          fmt::format("the adversarial loss has a weight of {}", options.weight),
          "use 0 (no adversarial loss) or more");
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
          "use a target between 0.5 (chance) and 1, or 0: constant noise");
}

/// Fraction of logits on the right side of the threshold, of real (a) and generated (b) items.
at::Tensor accuracy(AdversarialLoss loss, const at::Tensor& a, const at::Tensor& b) {
  const auto threshold =
      loss == AdversarialLoss::Wasserstein ? (a.mean() + b.mean()) / 2 : at::zeros({}, a.options());
  return ((a > threshold).to(at::kFloat).mean() + (b < threshold).to(at::kFloat).mean()) / 2;
}

/// Root mean variance of a value over the items.
at::Tensor batch_std_dev(const at::Tensor& x) {
  return x.detach().var(/*dim=*/0, /*unbiased=*/false).mean().sqrt();
}

std::string options_text(const OptimizerOptions& o) {
  return fmt::format("{} {} {} {} {}", o.name, o.learning_rate, o.b1, o.b2, o.weight_decay);
}

class GanTrainer {
 public:
  GanTrainer(const GanTask& task, const AdversarialOptions& options, Progress& progress)
      : task_(task),
        options_(options),
        progress_(progress),
        G_(make_optimizer(task.G->parameters(), options.G)),
        D_(make_optimizer(task.D->parameters(), options.D)),
        device_(task.G->parameters().front().device()),
        generator_(device_, data_parallel::rank_seed(options.seed)),
        noise_(at::full({task.discriminators}, options.noise.sigma, at::TensorOptions(device_))) {
    const torch::NoGradGuard no_grad;
    broadcast_networks();
    if (options.ema_decay == 0) return;
    for (const auto& [name, tensor] : module_state(*task.G))
      if (tensor.is_floating_point()) {
        averaged_.push_back(tensor);
        average_.push_back(tensor.detach().clone());
      }
  }

  AdversarialReport train() {
    task_.G->train();
    task_.D->train();
    report_.precision = options_.precision;
    if (!options_.checkpoint.empty()) resume();
    if (report_.precision == Precision::Auto) report_.precision = choose_precision();
    const torch::AutoGradMode gradients(true);
    while (report_.iterations < options_.iterations) {
      iterate();
      if (task_.evaluate && options_.evaluate_after.contains(report_.iterations)) evaluate();
      if (report_.iterations % options_.window == 0 || report_.iterations == options_.iterations)
        end_window();
    }
    // The averaged weights are the result.
    const torch::NoGradGuard no_grad;
    take_average();
    broadcast_networks();  // ranks differ in the running statistics of batch norm
    G_->zero_grad();
    D_->zero_grad();
    task_.G->eval();
    progress_.done(fmt::format(
        "{} iterations{}{}", report_.iterations, progress_text(),
        report_.collapsed_since < 0 ? "" : "; G generates a single item (mode collapse)"));
    return report_;
  }

 private:
  template <typename Work>
  auto time_phase(const char* phase, Work work) {
    const PhaseTimer timer(report_.seconds[phase]);
    return work();
  }

  /// Chooses the faster precision by timing D's forward and backward pass of a real batch.
  Precision choose_precision() {
    std::optional<Items> real;
    const auto chosen =
        agree_on_precision(module_state(*task_.D), generator_, [&](Precision precision) {
          if (!real) {
            Random random = Random(options_.seed).split("iteration", 0);
            real = real_slice(random);
          }
          report_.precision = precision;
          const auto output = discriminate(*real);
          const auto loss = discriminator_loss(options_.loss, output, output);
          loss.backward();
          loss.item<float>();  // waits for a device's work in flight
        });
    D_->zero_grad();
    return chosen;
  }

  void iterate() {
    Random random = Random(options_.seed).split("iteration", report_.iterations);
    const Items real = time_phase("data", [&] { return real_slice(random); });
    const auto real_spread = batch_std_dev(real[0]);
    // All ranks draw the same real batch; each generates items of its own.
    if (!data_parallel::is_main()) random = random.split("rank", data_parallel::rank());
    const Items generated = time_phase("generated", [&] { return generate(real, random); });
    if (report_.iterations % options_.discriminator_every == 0)
      time_phase("discriminator", [&] { discriminator_step(real, generated); });
    const at::Tensor loss =
        time_phase("generator", [&] { return generator_step(real, generated); });
    const torch::NoGradGuard no_grad;
    // Real items that are all equal have no spread: NaN, since the ratio would be infinite.
    const auto diversity =
        at::where(real_spread > 0, batch_std_dev(generated[0]) / real_spread, std::nan(""));
    points_.push_back(
        at::cat({at::stack({loss_D_, loss, r1_, weight_by_rows(diversity)}), accuracy_}));
    // The noise follows the accuracy of D by its sign alone, a constant step per iteration.
    if (options_.noise.target > 0)
      noise_
          .add_((data_parallel::average(accuracy_) - options_.noise.target).sign(),
                options_.noise.speed)
          .clamp_(0, options_.noise.most);
    // The decay grows with n, so that a short run forgets the first weights too.
    if (!average_.empty()) {
      const auto n = static_cast<double>(report_.iterations);
      at::_foreach_lerp_(average_, averaged_, 1 - std::min(options_.ema_decay, (1 + n) / (10 + n)));
    }
    ++report_.iterations;
  }

  /// This rank's rows of a real batch.
  Items real_slice(Random& random) {
    Items items = task_.draw_real(random);
    rows_ = items[0].size(0);
    for (auto& item : items) item = data_parallel::slice(item);
    return items;
  }

  /// A mean over this rank's slice, scaled for the average over the ranks.
  at::Tensor weight_by_rows(const at::Tensor& mean) const {
    return data_parallel::weight_by_rows(mean, rows_);
  }

  void broadcast_networks() const {
    for (const auto& network : {task_.G, task_.D})
      for (const auto& [name, tensor] : module_state(*network)) data_parallel::broadcast({tensor});
  }

  Items generate(const Items& real, Random& random) {
    const PrecisionGuard precision(report_.precision, device_.type());
    Items items = task_.generate(real, random);
    for (auto& item : items)
      if (item.is_floating_point()) item = item.to(at::kFloat);
    return items;
  }

  DiscriminatorOutput discriminate(const Items& items) {
    const PrecisionGuard precision(report_.precision, device_.type());
    DiscriminatorOutput output = task_.discriminate(items, noise_);
    for (auto* tensors : {&output.logits, &output.extra})
      for (auto& tensor : *tensors) tensor = tensor.to(at::kFloat);
    return output;
  }

  /// Factor of the learning rates in this iteration.
  double rate_factor() const {
    const auto all = static_cast<double>(options_.iterations);
    const auto left = all - static_cast<double>(report_.iterations);
    return std::min(1.0, left / std::max(1.0, all * (1 - options_.decay_from)));
  }

  void discriminator_step(Items real, const Items& generated) {
    const auto step = report_.iterations / options_.discriminator_every;
    const bool penalised = options_.r1 > 0 && step % options_.r1_every == 0;
    if (penalised)
      for (auto& item : real)
        if (item.is_floating_point()) item = item.detach().requires_grad_();
    // D's step must not reach G.
    Items detached;
    for (const auto& item : generated) detached.push_back(item.detach());
    const DiscriminatorOutput of_real = discriminate(real), of_generated = discriminate(detached);
    auto loss = options_.weight * discriminator_loss(options_.loss, of_real, of_generated);
    if (task_.extra_loss_D)
      loss = loss + task_.extra_loss_D({real, of_real}, {detached, of_generated});
    loss_D_ = weight_by_rows(loss.detach());
    // The lazy penalty is r1_every times as strong, which keeps its mean.
    if (penalised) {
      const auto penalty = gradient_penalty(real, of_real);
      r1_ = weight_by_rows(penalty.detach());
      loss = loss + options_.r1 / 2 * static_cast<double>(options_.r1_every) * penalty;
    }
    D_->zero_grad();
    weight_by_rows(loss).backward();
    data_parallel::average_gradients(task_.D->parameters());
    D_->step(rate_factor());
    if (task_.constrain) task_.constrain(step + 1);
    std::vector<at::Tensor> right;
    for (std::size_t k = 0; k < of_real.logits.size(); ++k)
      right.push_back(
          accuracy(options_.loss, of_real.logits[k].detach(), of_generated.logits[k].detach()));
    accuracy_ = weight_by_rows(at::stack(right));
  }

  at::Tensor generator_step(const Items& real, const Items& generated) {
    const Frozen frozen(*task_.D);
    const DiscriminatorOutput output = discriminate(generated);
    auto loss = options_.weight * generator_loss(options_.loss, output);
    if (task_.extra_loss_G) loss = loss + task_.extra_loss_G(real, {generated, output});
    G_->zero_grad();
    loss = weight_by_rows(loss);
    loss.backward();
    data_parallel::average_gradients(task_.G->parameters());
    G_->step(rate_factor());
    return loss.detach();
  }

  /// Switches off the gradients of D's weights while G learns: a third of the backward pass.
  class Frozen {
   public:
    explicit Frozen(const torch::nn::Module& network) : parameters_(network.parameters()) {
      require_gradients(false);
    }
    ~Frozen() { require_gradients(true); }
    Frozen(const Frozen&) = delete;
    Frozen& operator=(const Frozen&) = delete;

   private:
    void require_gradients(bool required) {
      for (auto& parameter : parameters_) parameter.requires_grad_(required);
    }
    std::vector<at::Tensor> parameters_;
  };

  /// Copies the averages into G.
  void take_average() {
    for (std::size_t i = 0; i < average_.size(); ++i) averaged_[i].copy_(average_[i]);
  }

  /// Evaluates G with its averaged weights, then restores its own.
  void evaluate() {
    const torch::NoGradGuard no_grad;
    std::vector<at::Tensor> own;
    for (const auto& tensor : averaged_) own.push_back(tensor.clone());
    take_average();
    task_.G->eval();
    report_.curves["iteration"].push_back(static_cast<double>(report_.iterations));
    for (const auto& [name, value] : time_phase("looks", [&] { return task_.evaluate(); }))
      report_.curves[name].push_back(value);
    task_.G->train();
    for (std::size_t i = 0; i < own.size(); ++i) averaged_[i].copy_(own[i]);
  }

  /// Reads the losses of the whole window at once, because each read waits for a device's work.
  void end_window() {
    const at::Tensor points = data_parallel::average(at::stack(points_).to(at::kCPU, at::kDouble));
    auto means = points.mean(0);
    if (const auto diversity = points.select(1, 3); at::isnan(diversity).any().item<bool>())
      means[3] = diversity.nanmean();
    points_.clear();
    for (std::int64_t i = 0; i < points.size(0); ++i)
      for (const int column : {0, 1})
        check_loss(points[i][column].item<double>(), column == 0 ? "D" : "G", points.size(0) - i);
    const auto add = [&](const std::string& name, double value) {
      report_.curves[name].push_back(value);
    };
    add("loss_D", means[0].item<double>());
    add("loss_G", means[1].item<double>());
    if (options_.r1 > 0) add("r1", means[2].item<double>());
    add("diversity", means[3].item<double>());
    const at::Tensor noise = noise_.to(at::kCPU);
    double least = 1;
    for (std::int64_t k = 0; k < task_.discriminators; ++k) {
      const double right = means[4 + k].item<double>();
      least = std::min(least, right);
      add(fmt::format("accuracy_{}", k + 1), right);
      add(fmt::format("noise_{}", k + 1), noise[k].item<double>());
    }
    // Remembers the first iteration of the period in which a condition has held without a break.
    const auto track_since = [&](bool holds, std::int64_t& since) {
      if (!holds) since = -1;
      if (holds && since < 0) since = report_.iterations - points.size(0);
    };
    track_since(means[3].item<double>() < collapsed_diversity, report_.collapsed_since);
    track_since(least > won_accuracy, report_.won_since);
    if (!options_.checkpoint.empty() && data_parallel::is_main()) store();
    progress_.update(
        static_cast<double>(report_.iterations) / static_cast<double>(options_.iterations),
        fmt::format("iteration {}/{}{}", report_.iterations, options_.iterations, progress_text()));
  }

  /// Error: the loss diverged. `from_the_last` counts iterations back from the present one.
  void check_loss(double value, const char* whose, std::int64_t from_the_last) const {
    if (std::isfinite(value) && std::abs(value) <= largest_loss) return;
    throw Error(
        fmt::format("adversarial training diverged at iteration {}: the loss of {} is {}",
                    report_.iterations + 1 - from_the_last, whose, value),
        fmt::format(
            "lower the learning rates (now G {}, D {}), or raise r1 (now {}) or the noise (now {})",
            options_.G.learning_rate, options_.D.learning_rate, options_.r1, options_.noise.sigma));
  }

  std::string progress_text() const {
    if (report_.curves.empty()) return "";
    std::string text;
    for (std::int64_t k = 1; k <= task_.discriminators; ++k)
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
        o.iterations, o.window, fmt::join(o.evaluate_after, ","), static_cast<int>(o.precision),
        static_cast<int>(o.loss), o.weight, options_text(o.G), options_text(o.D), o.decay_from,
        o.discriminator_every, o.r1, o.r1_every, o.noise.sigma, o.noise.target, o.noise.speed,
        o.noise.most, o.ema_decay, o.seed);
    return sha256(text + weights_text(module_state(*task_.G)) +
                  weights_text(module_state(*task_.D)));
  }

  /// Everything that an iteration changes except the default generator, by its name in the file.
  weights::StateDict state() const {
    weights::StateDict all;
    const auto add = [&](const std::string& prefix, const weights::StateDict& tensors) {
      for (const auto& [name, tensor] : tensors) all.emplace_back(prefix + name, tensor);
    };
    add("G.", module_state(*task_.G));
    add("D.", module_state(*task_.D));
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
    if (!broadcast_restored(data_parallel::is_main() && read_state(), report_, {state()})) return;
    progress_.update(static_cast<double>(report_.iterations) /
                         static_cast<double>(std::max<std::int64_t>(options_.iterations, 1)),
                     fmt::format("resuming after iteration {}", report_.iterations));
  }

  /// Fills the state from the checkpoint. False if there is none of this run.
  bool read_state() {
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

  const GanTask& task_;
  const AdversarialOptions& options_;
  Progress& progress_;
  std::unique_ptr<Optimizer> G_, D_;
  at::Device device_;
  DefaultGenerator generator_;
  std::vector<at::Tensor> averaged_, average_;  ///< G's own tensors, and their moving averages
  at::Tensor noise_;
  at::Tensor loss_D_ = at::zeros({}, at::TensorOptions(device_)),
             r1_ = at::zeros({}, at::TensorOptions(device_)),
             accuracy_ = at::zeros({task_.discriminators},
                                   at::TensorOptions(device_));  ///< of the last step that had them
  std::vector<at::Tensor> points_;  ///< per iteration: loss D, loss G, R1, diversity, accuracies
  std::int64_t rows_ = 0;           ///< of the real batch over all ranks
  AdversarialReport report_;
  std::string identity_;
};

}  // namespace

void AdversarialGenerator::learn(GanTask task, const AdversarialOptions& options,
                                 Progress& progress) {
  if (evaluate_) task.evaluate = [this] { return evaluate_(*this); };
  report_ = fit_adversarial(task, options, progress);
}

AdversarialReport fit_adversarial(const GanTask& task, const AdversarialOptions& options,
                                  Progress& progress) {
  check_task(task, options);
  return GanTrainer(task, options, progress).train();
}

}  // namespace reprise::training
