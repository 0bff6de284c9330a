#include "models/backbones/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/sha256.h"
#include "metrics/classification.h"
#include "models/backbones/known_backbones.h"
#include "training/fit.h"
#include "training/module_state.h"
#include "training/progress.h"

namespace reprise::models {
namespace {

constexpr std::int64_t items_at_once = 64, steps_between_looks = 20;
constexpr auto pooled = "avgpool";

Backbone judge_backbone(const JudgeOptions& options, std::uint64_t seed) {
  if (options.classes < 2) throw UsageError("a judge of one class has nothing to tell apart", "give items of 2 classes or more");
  Random random(seed);
  return small_network(
      {.channels = 3, .size = options.size, .frames = options.frames, .trunk = options.trunk, .width = 0, .outputs = options.classes},
      random);
}

void require_classes(const at::Tensor& labels, std::int64_t classes, std::int64_t learned) {
  if (labels.min().item<std::int64_t>() < 0 || labels.max().item<std::int64_t>() >= classes)
    throw UsageError(fmt::format("a label is outside 0 to {}", classes - 1), "number the classes from 0");
  const auto counts = labels.slice(0, 0, learned).bincount({}, classes);
  for (std::int64_t c = 0; c < classes; ++c)
    if (counts[c].item<std::int64_t>() == 0)
      throw UsageError(fmt::format("none of the {} items that a judge learns from has the class {}", learned, c),
                       "give items of every class, in no order of classes");
}

}  // namespace

Judge::Judge(const JudgeOptions& options, std::uint64_t seed) : network(judge_backbone(options, seed)), options_(options) {
  network->eval();
}

template <typename See>
at::Tensor Judge::seen(const at::Tensor& items, const See& see) const {
  const auto& o = options_;
  std::vector<std::int64_t> shape{3, o.size, o.size};
  if (o.frames > 0) shape.insert(shape.begin(), o.frames);
  if (items.dim() != std::ssize(shape) + 1 || items.sizes().slice(1) != at::IntArrayRef(shape))
    throw UsageError(fmt::format("a judge of {} [N, {}] was given {}", o.frames > 0 ? "clips" : "pictures", fmt::join(shape, ", "),
                                 c10::str(items.sizes())),
                     "give items as those that it learned from");
  const torch::NoGradGuard no_grad;
  const auto device = network->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (std::int64_t i = 0; i < items.size(0); i += items_at_once)
    parts.push_back(see(input(items.slice(0, i, i + items_at_once).to(device).clamp(-1, 1))).cpu());
  if (parts.empty()) throw UsageError("a judge was given nothing", "give one item or more");
  return torch::cat(parts);
}

at::Tensor Judge::probabilities(const at::Tensor& items) const {
  return seen(items, [this](const at::Tensor& x) { return network->forward(x).softmax(1); });
}

at::Tensor Judge::features(const at::Tensor& items) const {
  return seen(items, [this](const at::Tensor& x) { return network->features(x, pooled).flatten(1); });
}

training::FitReport Judge::fit(const at::Tensor& items, const at::Tensor& labels, std::uint64_t seed, training::Progress& progress) {
  const auto n = items.size(0), learned = n - held_out(items).size(0);
  if (n < 16 || labels.dim() != 1 || labels.size(0) != n || labels.scalar_type() != at::kLong)
    throw UsageError(fmt::format("a judge was given {} items and labels {}", n, c10::str(labels.sizes())),
                     "give 16 items or more, and an int64 label for each");
  require_classes(labels, options_.classes, learned);
  features(items.slice(0, 0, 1));  // refuses other shapes before anything is trained
  const auto device = network->parameters().front().device();
  const auto unseen = held_out(items), truth = held_out(labels).cpu();
  const training::Task task{
      .batches_per_epoch = std::min(options_.steps, steps_between_looks),
      .batch = [&](std::int64_t, std::int64_t, Random& random) -> training::Batch {
        std::vector<std::int64_t> chosen(static_cast<std::size_t>(options_.batch));
        for (auto& item : chosen) item = random.below(learned);
        const auto places = torch::tensor(at::ArrayRef<std::int64_t>(chosen), at::kLong).to(items.device());
        return {input(items.index_select(0, places).to(device)), labels.index_select(0, places).to(device)};
      },
      .forward = [&](const torch::Tensor& x) { return network->forward(x); },
      .loss = [](const torch::Tensor& scores, const torch::Tensor& y) { return torch::cross_entropy_loss(scores, y); },
      .validate = [&] { return 1 - metrics::accuracy(probabilities(unseen).argmax(1), truth); }};
  const auto report = training::fit(*network, {{network->parameters(), options_.learning_rate}}, task,
                                    {.epochs = (options_.steps + steps_between_looks - 1) / steps_between_looks, .seed = seed}, progress);
  network->eval();
  return report;
}

std::string Judge::protocol(const std::string& metric, std::int64_t n) const {
  std::string bytes;
  for (const auto& [name, tensor] : training::module_state(*network)) {
    const auto values = tensor.cpu().contiguous();
    bytes.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  return fmt::format("{}/judge-{}/N={}", metric, sha256(bytes).substr(0, 8), n);
}

}  // namespace reprise::models
