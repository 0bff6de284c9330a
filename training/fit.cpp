#include "training/fit.h"

#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_lerp.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/stack.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_set>

#include "core/error.h"
#include "core/sha256.h"
#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/data_parallel.h"
#include "training/module_state.h"
#include "training/phase_timer.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::training {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FitReport, train_loss, validation_error, start_error, best_epoch,
                                   steps, seconds, precision)

namespace {

constexpr double explosion = 1e3;  // times the first epoch's mean loss: training has diverged
// Reading a loss from a device waits for all its work, so that losses are read in groups.
constexpr std::size_t losses_per_read = 32;

void check(const torch::nn::Module& network, const std::vector<ParameterGroup>& groups,
           const Task& task, const FitOptions& options) {
  const auto require = [](bool right, const std::string& problem, const std::string& fix) {
    if (!right) throw Error("fit: " + problem, fix);
  };
  require(task.batch && task.forward && task.loss && task.validate,
          "the task lacks batch, forward, loss or validate", "give the task all four functions");
  require(task.batches_per_epoch >= 1, fmt::format("{} batches per epoch", task.batches_per_epoch),
          "give at least one batch per epoch");
  require(options.epochs >= 0 && options.warmup_steps >= 0 && options.patience >= 0,
          "epochs, warmup_steps or patience is negative", "use 0 or more");
  require(options.clip_norm >= 0 && options.weight_decay >= 0,
          "clip_norm or weight_decay is negative or no number", "use 0 or more");
  require(options.ema_decay >= 0 && options.ema_decay < 1,
          fmt::format("ema_decay is {}", options.ema_decay), "use a decay in [0, 1); 0 is none");
  require(!groups.empty(), "there is no parameter group",
          "name the parameters to train, with a learning rate");
  // Parameters outside the network would not be stored with it.
  std::unordered_set<const void*> own;
  for (const auto& parameter : network.parameters()) own.insert(parameter.unsafeGetTensorImpl());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const auto& parameter : groups[g].parameters)
      require(own.contains(parameter.unsafeGetTensorImpl()),
              fmt::format("group {} has a parameter that is not the network's", g),
              "register the parameter in the network, so that it is stored and restored with it");
}

class Trainer {
 public:
  Trainer(torch::nn::Module& network, const std::vector<ParameterGroup>& groups, const Task& task,
          const FitOptions& options, Progress& progress)
      : network_(network),
        groups_(groups),
        task_(task),
        options_(options),
        progress_(progress),
        adam_(groups, options.weight_decay),
        device_(groups[0].parameters[0].device()),
        state_(module_state(network)),
        generator_(device_, data_parallel::rank_seed(options.seed)) {
    for (const auto& group : groups)
      trained_.insert(trained_.end(), group.parameters.begin(), group.parameters.end());
    const torch::NoGradGuard no_grad;
    // All ranks start with rank 0's weights.
    data_parallel::broadcast(tensors(state_));
    for (const auto& [name, tensor] : state_) best_.emplace_back(name, tensor.detach().clone());
    if (options.ema_decay > 0)
      for (const auto& parameter : trained_)
        ema_.emplace_back(std::to_string(ema_.size()), parameter.detach().clone());
  }

  FitReport train() {
    report_.precision = options_.precision;
    if (!options_.checkpoint.empty()) resume();
    if (report_.precision == Precision::Auto && options_.epochs > 0)
      report_.precision = choose_precision();
    // A resumed run has its start error in the report.
    if (options_.validate_start && report_.start_error.empty())
      report_.start_error.push_back(validate());
    while (epochs_done() < options_.epochs && !stalled()) {
      train_epoch();
      report_.validation_error.push_back(validate());
      if (!options_.checkpoint.empty()) store();
    }
    // The result: the best weights, equal on all ranks, without gradients.
    const torch::NoGradGuard no_grad;
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i].second.copy_(best_[i].second);
    // Ranks differ in the running statistics of batch norm.
    data_parallel::broadcast(tensors(state_));
    network_.eval();
    adam_.zero_grad();
    const bool validated = !report_.start_error.empty() || report_.best_epoch >= 0;
    progress_.done(!validated
                       ? "no epoch was requested"
                       : fmt::format("{} epochs, best validation error {:.4g} (epoch {})",
                                     epochs_done(), best_error(report_), report_.best_epoch + 1));
    return report_;
  }

 private:
  std::int64_t epochs_done() const { return static_cast<std::int64_t>(report_.train_loss.size()); }
  /// Whether `patience` epochs have passed without improvement.
  bool stalled() const {
    return options_.patience > 0 && epochs_done() - 1 - report_.best_epoch >= options_.patience;
  }

  template <typename Work>
  auto time_phase(const char* phase, Work work) {
    const PhaseTimer timer(report_.seconds[phase]);
    return work();
  }

  void train_epoch() {
    const torch::AutoGradMode gradients(true);
    network_.train();
    loss_sum_ = 0;
    for (std::int64_t index = 0; index < task_.batches_per_epoch; ++index) {
      // A stream per step, so that a resumed run draws the same batches.
      Random random = Random(options_.seed).split("batch", report_.steps);
      const Batch batch =
          time_phase("data", [&] { return batch_slice(epochs_done(), index, random); });
      const at::Tensor loss = time_phase("forward", [&] {
        return data_parallel::weight_by_rows(task_.loss(predict(batch.x), batch.y), rows_);
      });
      // backward() needs a single value.
      if (loss.numel() != 1)
        throw Error(fmt::format("fit: the loss has {} values", loss.numel()),
                    "reduce the loss to one value (mean or sum)");
      record_loss(loss.detach(), index);
      time_phase("backward", [&] {
        adam_.zero_grad();
        loss.backward();
        data_parallel::average_gradients(trained_);
      });
      time_phase("step", [&] { step(); });
      const double fraction = static_cast<double>(report_.steps) /
                              static_cast<double>(options_.epochs * task_.batches_per_epoch);
      progress_.update(
          fraction, fmt::format("epoch {}/{}{}", epochs_done() + 1, options_.epochs, last_error()));
    }
    report_.train_loss.push_back(loss_sum_ / static_cast<double>(task_.batches_per_epoch));
  }

  /// This rank's rows of a batch.
  Batch batch_slice(std::int64_t epoch, std::int64_t index, Random& random) {
    const Batch batch = task_.batch(epoch, index, random);
    rows_ = batch.x.size(0);
    if (data_parallel::size() > 1 && batch.y.defined() && batch.y.size(0) != batch.x.size(0))
      throw Error(fmt::format("fit: a batch of {} rows of x and {} of y cannot be sliced",
                              batch.x.size(0), batch.y.size(0)),
                  "give a row of y for each of x");
    return {data_parallel::slice(batch.x), data_parallel::slice(batch.y)};
  }

  at::Tensor predict(const at::Tensor& x) const {
    const PrecisionGuard precision(report_.precision, device_.type());
    auto prediction = task_.forward(x);
    // Losses are computed in float32.
    return prediction.scalar_type() == at::kBFloat16 ? prediction.to(at::kFloat) : prediction;
  }

  /// Chooses the faster precision by timing forward and backward passes of the first batch.
  Precision choose_precision() {
    const torch::AutoGradMode gradients(true);
    network_.train();
    std::optional<Batch> batch;
    const auto chosen = agree_on_precision(state_, generator_, [&](Precision precision) {
      if (!batch) {
        Random random = Random(options_.seed).split("batch", 0);
        batch = batch_slice(0, 0, random);
      }
      report_.precision = precision;
      const auto loss = task_.loss(predict(batch->x), batch->y);
      loss.backward();
      loss.item<float>();  // waits for a device's work in flight
    });
    adam_.zero_grad();
    return chosen;
  }

  void step() {
    // Gradients are averaged over the ranks here, so all ranks clip by one norm.
    if (options_.clip_norm > 0) adam_.clip(options_.clip_norm);
    adam_.step(learning_rate_factor(report_.steps, options_.warmup_steps,
                                    options_.epochs * task_.batches_per_epoch));
    const torch::NoGradGuard no_grad;
    if (!ema_.empty()) at::_foreach_lerp_(tensors(ema_), trained_, 1 - options_.ema_decay);
    ++report_.steps;
  }

  /// Checks losses one by one on the CPU, and in groups on a device.
  void record_loss(at::Tensor loss, std::int64_t index) {
    const bool wait = !loss.is_cpu();
    losses_.push_back(loss.reshape({}));
    if (wait && losses_.size() < losses_per_read && index + 1 < task_.batches_per_epoch) return;
    const at::Tensor values = data_parallel::average(at::stack(losses_).to(at::kCPU, at::kDouble));
    for (std::int64_t i = 0; i < values.numel(); ++i)
      check_loss(values.const_data_ptr<double>()[i], report_.steps + 1 - values.numel() + i);
    losses_.clear();
  }

  /// Adds a loss to the epoch's sum. Diverged: it is not finite, or too large.
  void check_loss(double value, std::int64_t step) {
    // In the first epoch there is no mean yet, and only infinite losses count.
    const double first = report_.train_loss.empty() ? 0 : report_.train_loss[0];
    const bool exploded = first > 0 && value > explosion * first;
    if (!std::isfinite(value) || exploded)
      throw Diverged(
          fmt::format(
              "training diverged at epoch {}, step {}: the loss is {}{}", epochs_done() + 1,
              step + 1, value,
              exploded && std::isfinite(value)
                  ? fmt::format(", more than 1000 times the first epoch's mean of {:.4g}", first)
                  : ""),
          fmt::format(
              "lower the learning rates, lower clip_norm (now {}), or raise warmup_steps (now {})",
              options_.clip_norm, options_.warmup_steps));
    loss_sum_ += value;
  }

  /// Validates the weights, or their average if there is one, and keeps the best.
  double validate() {
    const torch::NoGradGuard no_grad;
    network_.eval();
    // The average takes the place of the raw weights for the validation alone.
    std::vector<at::Tensor> raw;
    if (!ema_.empty()) {
      for (const auto& parameter : trained_) raw.push_back(parameter.detach().clone());
      at::_foreach_copy_(trained_, tensors(ema_));
    }
    const double error = time_phase("validate", [&] { return validate_on_main(); });
    if (!std::isfinite(error))
      throw Diverged(
          fmt::format("training diverged at epoch {}: the validation error is {}", epochs_done(),
                      error),
          "lower the learning rates, or find the items of the validation split without a finite "
          "error");
    if (epochs_done() > 0 && is_best(error)) {
      report_.best_epoch = epochs_done() - 1;
      for (std::size_t i = 0; i < state_.size(); ++i) best_[i].second.copy_(state_[i].second);
    }
    if (!raw.empty()) at::_foreach_copy_(trained_, raw);
    return error;
  }

  /// Validates on rank 0 and sends the error to all ranks, which must take the same decisions.
  double validate_on_main() {
    auto error = at::full({1}, data_parallel::is_main() ? task_.validate() : 0.0, at::kDouble);
    data_parallel::broadcast({error});
    return error.item<double>();
  }

  bool is_best(double error) const {
    return (report_.best_epoch < 0 && report_.start_error.empty()) || error < best_error(report_);
  }

  std::string identity() const {
    // 3: version of this text.
    std::string text = fmt::format("3 {} {} {} {} {} {} {} {} {}\n", options_.epochs,
                                   options_.warmup_steps, options_.clip_norm, options_.patience,
                                   options_.ema_decay, options_.weight_decay,
                                   options_.validate_start, options_.seed, task_.batches_per_epoch);
    // Added only where it differs, so that checkpoints of float32 runs keep their identity.
    if (options_.precision != Precision::Float32)
      text += fmt::format("precision {}\n", static_cast<int>(options_.precision));
    for (const auto& group : groups_)
      text += fmt::format("group of {} at {}\n", group.parameters.size(), group.learning_rate);
    return sha256(text + weights_text(state_));
  }

  void store() {
    // The ranks have the same weights, so one of them stores.
    if (!data_parallel::is_main()) return;
    Checkpoint checkpoint{.identity = identity_, .tensors = {}, .report = report_};
    const auto add = [&](const std::string& prefix, const weights::StateDict& tensors) {
      for (const auto& [name, tensor] : tensors)
        checkpoint.tensors.emplace_back(prefix + name, tensor);
    };
    add("network.", state_);
    add("best.", best_);
    add("ema.", ema_);
    add("optimizer.", adam_.state());
    checkpoint.tensors.emplace_back("generator", generator_.state());
    write_checkpoint(options_.checkpoint, checkpoint);
  }

  void resume() {
    identity_ = identity();
    if (!broadcast_restored(data_parallel::is_main() && read_state(), report_,
                            {state_, best_, ema_, adam_.state()}))
      return;
    progress_.update(static_cast<double>(epochs_done()) /
                         static_cast<double>(std::max<std::int64_t>(options_.epochs, 1)),
                     fmt::format("resuming after epoch {}", epochs_done()));
  }

  /// Fills the state from the checkpoint. False if there is none of this run.
  bool read_state() {
    const auto checkpoint = read_checkpoint(options_.checkpoint, identity_);
    if (!checkpoint) return false;
    const auto& path = options_.checkpoint;
    at::Tensor generator = generator_.state();
    restore(checkpoint->tensors, "network.", state_, path);
    restore(checkpoint->tensors, "best.", best_, path);
    restore(checkpoint->tensors, "ema.", ema_, path);
    restore(checkpoint->tensors, "optimizer.", adam_.state(), path);
    restore(checkpoint->tensors, "", {{"generator", generator}}, path);
    generator_.set_state(generator);
    try {
      checkpoint->report.get_to(report_);
    } catch (const nlohmann::json::exception&) {
      refuse_checkpoint(path, "its report is not that of a supervised run");
    }
    return true;
  }

  std::string last_error() const {
    return report_.validation_error.empty()
               ? ""
               : fmt::format(", validation error {:.4g}", report_.validation_error.back());
  }
  static std::vector<at::Tensor> tensors(const weights::StateDict& named) {
    std::vector<at::Tensor> list;
    for (const auto& [name, tensor] : named) list.push_back(tensor);
    return list;
  }

  torch::nn::Module& network_;
  const std::vector<ParameterGroup>& groups_;
  const Task& task_;
  const FitOptions& options_;
  Progress& progress_;
  Adam adam_;
  at::Device device_;
  weights::StateDict state_, best_, ema_;
  std::vector<at::Tensor> trained_, losses_;
  DefaultGenerator generator_;
  FitReport report_;
  double loss_sum_ = 0;
  std::int64_t rows_ = 0;  ///< rows of the batch over all ranks
  std::string identity_;
};

}  // namespace

double best_error(const FitReport& report) {
  if (report.best_epoch >= 0)
    return report.validation_error.at(static_cast<std::size_t>(report.best_epoch));
  if (report.start_error.empty())
    throw Error("fit: nothing was validated", "request at least one epoch, or validate_start");
  return report.start_error.front();
}

FitReport fit(torch::nn::Module& network, const std::vector<ParameterGroup>& groups,
              const Task& task, const FitOptions& options, Progress& progress) {
  check(network, groups, task, options);
  return Trainer(network, groups, task, options, progress).train();
}

}  // namespace reprise::training
