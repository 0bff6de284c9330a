#include "models/backbones/evaluator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/sha256.h"
#include "metrics/classification.h"
#include "models/backbones/known_backbones.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

Backbone evaluator_network(const EvaluatorOptions& options, std::uint64_t seed) {
  if (options.classes < 2)
    throw UsageError("an evaluator needs at least two classes", "give items of 2 classes or more");
  Random random(seed);
  return make_small_network({.channels = options.channels,
                             .size = options.size,
                             .frames = options.frames,
                             .trunk = options.trunk,
                             .width = options.width,
                             .outputs = options.classes},
                            random);
}

/// Refuses labels that are not int64 [N].
void require_labels(const training::Examples& items) {
  const auto& labels = items.labels;
  if (!labels.defined() || labels.dim() != 1 || labels.size(0) != items.x.size(0) ||
      labels.scalar_type() != at::kLong)
    throw UsageError(fmt::format("an evaluator was given {} items and labels {}", items.x.size(0),
                                 labels.defined() ? c10::str(labels.sizes()) : "of none"),
                     "give an int64 label for each item");
}

/// Refuses labels outside 0 to classes - 1.
void require_classes(const at::Tensor& labels, std::int64_t classes) {
  if (labels.min().item<std::int64_t>() < 0 || labels.max().item<std::int64_t>() >= classes)
    throw UsageError(fmt::format("a label is outside 0 to {}", classes - 1),
                     "number the classes from 0");
}

/// Refuses a class without items: it would stay at chance unnoticed.
void require_every_class(const at::Tensor& labels, std::int64_t classes) {
  const auto counts = labels.cpu().bincount({}, classes);
  for (std::int64_t c = 0; c < classes; ++c)
    if (counts[c].item<std::int64_t>() == 0)
      throw UsageError(
          fmt::format("none of the {} items that an evaluator learns from has the class {}",
                      labels.size(0), c),
          "give items of every class in random order");
}

/// Returns the first digits of the SHA-256 of all values.
std::string hash_of_weights(const Backbone& network) {
  // Batch statistics are part of the state: they change what the evaluator measures.
  std::string bytes;
  for (const auto& [name, tensor] : training::module_state(*network)) {
    const auto values = tensor.cpu().contiguous();
    bytes.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  return sha256(bytes).substr(0, 8);
}

}  // namespace

std::pair<training::Examples, training::Examples> hold_out_eighth(const training::Examples& items) {
  // Slicing keeps the order, so that the split does not depend on a seed.
  const auto n = items.x.size(0);
  const auto learned = n - n / 8;
  require_labels(items);
  if (n < 16)
    throw UsageError(fmt::format("an evaluator was given {} items", n), "give 16 items or more");
  return {{.x = items.x.slice(0, 0, learned), .labels = items.labels.slice(0, 0, learned)},
          {.x = items.x.slice(0, learned), .labels = items.labels.slice(0, learned)}};
}

Evaluator::Evaluator(const EvaluatorOptions& options, std::uint64_t seed)
    : network(evaluator_network(options, seed)), options_(options) {
  network->eval();
}

template <typename Run>
at::Tensor Evaluator::run_in_batches(const at::Tensor& items, const Run& run) const {
  const auto& o = options_;
  std::vector<std::int64_t> shape{o.channels, o.size, o.size};
  if (o.frames > 0) shape.insert(shape.begin(), o.frames);
  if (items.dim() != std::ssize(shape) + 1 || items.sizes().slice(1) != at::IntArrayRef(shape))
    throw UsageError(
        fmt::format("an evaluator of {} [N, {}] was given {}", o.frames > 0 ? "clips" : "pictures",
                    fmt::join(shape, ", "), c10::str(items.sizes())),
        "give items as those that it learned from");
  if (items.size(0) == 0)
    throw UsageError("an evaluator was given nothing", "give one item or more");
  const torch::NoGradGuard no_grad;
  const auto device = network->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (const auto& part : items.split(o.items_at_once))
    parts.push_back(run(input(part.to(device).clamp(-1, 1))).cpu());
  return torch::cat(parts);
}

at::Tensor Evaluator::probabilities(const at::Tensor& items) const {
  return run_in_batches(items,
                        [this](const at::Tensor& x) { return network->forward(x).softmax(1); });
}

at::Tensor Evaluator::features(const at::Tensor& items) const {
  // The input of the last layer.
  const std::string last_hidden = options_.width > 0 ? "fc7" : "avgpool";
  return run_in_batches(
      items, [&](const at::Tensor& x) { return network->features(x, last_hidden).flatten(1); });
}

double Evaluator::accuracy(const training::Examples& items) const {
  return metrics::accuracy(probabilities(items.x).argmax(1), items.labels.cpu());
}

training::FitReport Evaluator::fit(const training::Examples& learned,
                                   const training::Examples& validation,
                                   training::FitOptions options, training::Progress& progress) {
  for (const auto* items : {&learned, &validation}) {
    require_labels(*items);
    features(items->x.slice(0, 0, 1));  // refuses other shapes before training
    require_classes(items->labels, options_.classes);
  }
  require_every_class(learned.labels, options_.classes);
  const auto device = network->parameters().front().device();
  const auto epoch = options_.steps_between_validations;
  const training::Task task{
      .batches_per_epoch = std::min(options_.steps, epoch),
      .batch = [&](std::int64_t, std::int64_t, Random& random) -> training::Batch {
        // Items are drawn with replacement: `steps` is not a number of epochs.
        std::vector<std::int64_t> chosen(static_cast<std::size_t>(options_.batch));
        for (auto& item : chosen) item = random.below(learned.x.size(0));
        const auto places =
            torch::tensor(at::ArrayRef<std::int64_t>(chosen), at::kLong).to(learned.x.device());
        return {input(learned.x.index_select(0, places).to(device)),
                learned.labels.index_select(0, places).to(device)};
      },
      .forward = [&](const torch::Tensor& x) { return network->forward(x); },
      .loss = [](const torch::Tensor& scores,
                 const torch::Tensor& y) { return torch::cross_entropy_loss(scores, y); },
      .validate = [&] { return 1 - accuracy(validation); }};
  // The number of steps is rounded up to full epochs.
  options.epochs = (options_.steps + epoch - 1) / epoch;
  return training::fit(*network, {{network->parameters(), options_.learning_rate}}, task, options,
                       progress);
}

void Evaluator::load(const std::filesystem::path& file) {
  training::load_weights(*network, file);
  if (options_.hash_of_file) hash_of_file_ = sha256_file(file).substr(0, 8);
}

std::string Evaluator::protocol(const std::string& metric) const {
  return fmt::format("{}/judge-{}", metric,
                     hash_of_file_.empty() ? hash_of_weights(network) : hash_of_file_);
}

std::string Evaluator::protocol(const std::string& metric, std::int64_t n) const {
  return fmt::format("{}/N={}", protocol(metric), n);
}

}  // namespace reprise::models
