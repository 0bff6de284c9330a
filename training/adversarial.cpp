#include "training/adversarial.h"

#include <ATen/ops/_foreach_lerp.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/sha256.h"
#include "training/adversarial_curves.h"
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

/// Returns the root of the mean variance of a value over the items.
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
    // Buffers are averaged too: they hold the batch statistics of G. Counters are integers.
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
    counted_from_ = Clock::now();
    for (bool finished = is_finished(); !finished;) {
      iterate();
      // Asked once per iteration: the clock may run out between two questions.
      finished = is_finished();
      if (task_.evaluate && options_.evaluate_after.contains(report_.iterations)) evaluate();
      if (report_.iterations % options_.window == 0 || finished) end_window();
    }
    // The averaged weights are the result.
    const torch::NoGradGuard no_grad;
    take_average();
    broadcast_networks();  // ranks differ in the running statistics of batch norm
    G_->zero_grad();
    D_->zero_grad();
    task_.G->eval();
    const char* collapse =
        report_.collapsed_since < 0 ? "" : "; G generates a single item (mode collapse)";
    progress_.done(task_.describe ? task_.describe(report_)
                                  : fmt::format("{} iterations{}{}", report_.iterations,
                                                curves_.progress_text(), collapse));
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
    // All ranks draw the same real batch and take a slice; each generates its own items.
    if (!data_parallel::is_main()) random = random.split("rank", data_parallel::rank());
    const Items generated = time_phase("generated", [&] { return generate(real, random); });
    if (report_.iterations % options_.discriminator_every == 0)
      time_phase("discriminator", [&] { discriminator_step(real, generated); });
    const at::Tensor loss =
        time_phase("generator", [&] { return generator_step(real, generated); });
    const torch::NoGradGuard no_grad;
    record_point(real_spread, generated, loss);
    adapt_noise();
    update_average();
    ++report_.iterations;
  }

  void record_point(const at::Tensor& real_spread, const Items& generated,
                    const at::Tensor& loss_G) {
    // Real items that are all equal have no spread: NaN, since the ratio would be infinite.
    const auto diversity =
        at::where(real_spread > 0, batch_std_dev(generated[0]) / real_spread, std::nan(""));
    curves_.add({.loss_D = loss_D_,
                 .loss_G = loss_G,
                 .r1 = r1_,
                 .diversity = weight_by_rows(diversity),
                 .accuracy = accuracy_});
  }

  /// Moves the noise towards the target accuracy of D.
  void adapt_noise() {
    if (options_.noise.target == 0) return;
    // Only the sign of the difference counts: a constant step per iteration.
    noise_
        .add_((data_parallel::average(accuracy_) - options_.noise.target).sign(),
              options_.noise.speed)
        .clamp_(0, options_.noise.most);
  }

  void update_average() {
    if (average_.empty()) return;
    // The decay grows with n, so that a short run forgets the first weights too.
    const auto n = static_cast<double>(report_.iterations);
    at::_foreach_lerp_(average_, averaged_, 1 - std::min(options_.ema_decay, (1 + n) / (10 + n)));
  }

  /// Returns this rank's rows of a real batch.
  Items real_slice(Random& random) {
    // Every rank draws the whole batch, so that their random streams stay equal.
    Items items = task_.draw_real(random);
    rows_ = items[0].size(0);
    for (auto& item : items) item = data_parallel::slice(item);
    return items;
  }

  /// Scales a mean over this rank's slice for the average over the ranks.
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
    // Passes may be in bfloat16; all else is float32.
    for (auto& item : items)
      if (item.is_floating_point()) item = item.to(at::kFloat);
    return items;
  }

  DiscriminatorOutput discriminate(const Items& items) {
    const PrecisionGuard precision(report_.precision, device_.type());
    DiscriminatorOutput output = task_.discriminate(items, noise_);
    // Losses, penalty and accuracy are computed in float32.
    for (auto* tensors : {&output.logits, &output.extra})
      for (auto& tensor : *tensors) tensor = tensor.to(at::kFloat);
    return output;
  }

  /// Returns the time of training so far, with that of earlier runs, seconds.
  double elapsed() const {
    const auto before = report_.seconds.find("elapsed");
    const std::chrono::duration<double> since = Clock::now() - counted_from_;
    return (before == report_.seconds.end() ? 0 : before->second) + since.count();
  }

  bool is_finished() const {
    return options_.seconds > 0 ? elapsed() >= options_.seconds
                                : report_.iterations >= options_.iterations;
  }

  /// Returns the fraction of the training that is done.
  double fraction_done() const {
    if (options_.seconds > 0) return std::min(1.0, elapsed() / options_.seconds);
    return static_cast<double>(report_.iterations) /
           static_cast<double>(std::max<std::int64_t>(options_.iterations, 1));
  }

  /// Returns the factor of the learning rates in this iteration: 1, and from decay_from on a
  /// straight line that would reach 0 after the last iteration.
  double rate_factor() const {
    if (options_.seconds > 0) {
      const double falling = 1 - options_.decay_from;
      return falling > 0 ? std::min(1.0, (1 - fraction_done()) / falling) : 1;
    }
    const auto all = static_cast<double>(options_.iterations);
    const auto left = all - static_cast<double>(report_.iterations);
    return std::min(1.0, left / std::max(1.0, all * (1 - options_.decay_from)));
  }

  void discriminator_step(Items real, const Items& generated) {
    const auto step = report_.iterations / options_.discriminator_every;
    const bool penalised = options_.r1 > 0 && step % options_.r1_every == 0;
    // The penalty is on D's gradient with respect to its real input.
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
    // A projection follows the step, so that D always meets its constraint.
    if (task_.constrain) task_.constrain(step + 1);
    std::vector<at::Tensor> right;
    for (std::size_t k = 0; k < of_real.logits.size(); ++k)
      right.push_back(discriminator_accuracy(options_.loss, of_real.logits[k].detach(),
                                             of_generated.logits[k].detach()));
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

  /// Switches off the gradients of D's weights while G learns. They would cost a third of the
  /// backward pass.
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
    // Training continues with G's own weights.
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

  /// Adds a value to each curve, stores the state and shows the progress.
  void end_window() {
    curves_.end_window(noise_);
    if (options_.seconds > 0) {
      report_.seconds["elapsed"] = elapsed();
      counted_from_ = Clock::now();
    }
    if (!options_.checkpoint.empty() && data_parallel::is_main()) store();
    progress_.update(fraction_done(),
                     task_.describe ? task_.describe(report_)
                                    : fmt::format("iteration {}/{}{}", report_.iterations,
                                                  options_.iterations, curves_.progress_text()));
  }

  std::string identity() const {
    const auto& o = options_;
    // 5: version of this text. Every option that changes the numbers is part of it.
    std::string text = fmt::format(
        "adversarial 5 {} {} {} {} {} {} | {} | {} | {} {} {} {} | {} {} {} {} | {} {}\n",
        o.seconds > 0 ? "clock" : std::to_string(o.iterations), o.window,
        fmt::join(o.evaluate_after, ","), static_cast<int>(o.precision), static_cast<int>(o.loss),
        o.weight, options_text(o.G), options_text(o.D), o.decay_from, o.discriminator_every, o.r1,
        o.r1_every, o.noise.sigma, o.noise.target, o.noise.speed, o.noise.most, o.ema_decay,
        o.seed);
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
    progress_.update(fraction_done(),
                     fmt::format("resuming after iteration {}", report_.iterations));
  }

  /// Fills the state from the checkpoint. Returns false if this run has none.
  bool read_state() {
    const auto checkpoint = read_checkpoint(options_.checkpoint, identity_);
    if (!checkpoint) return false;
    // state() lists the tensors of this run, which restore() fills.
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

  using Clock = std::chrono::steady_clock;

  const GanTask& task_;
  const AdversarialOptions& options_;
  Progress& progress_;
  Clock::time_point counted_from_ = Clock::now();  ///< the report has the time before
  std::unique_ptr<Optimizer> G_, D_;
  at::Device device_;
  DefaultGenerator generator_;
  std::vector<at::Tensor> averaged_, average_;  ///< G's own tensors, and their moving averages
  at::Tensor noise_;
  at::Tensor loss_D_ = at::zeros({}, at::TensorOptions(device_)),
             r1_ = at::zeros({}, at::TensorOptions(device_)),
             accuracy_ = at::zeros({task_.discriminators},
                                   at::TensorOptions(device_));  ///< of the last step that had them
  std::int64_t rows_ = 0;  ///< of the real batch over all ranks
  AdversarialReport report_;
  AdversarialCurves curves_{task_.discriminators, options_, report_};
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
  check_gan_task(task, options);
  return GanTrainer(task, options, progress).train();
}

}  // namespace reprise::training
