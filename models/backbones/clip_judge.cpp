#include "models/backbones/clip_judge.h"

#include <fmt/format.h>
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

constexpr std::int64_t clips_at_once = 64, steps_between_looks = 20;
constexpr auto pooled = "avgpool";

Backbone judge_backbone(const ClipJudgeOptions& options, std::uint64_t seed) {
  if (options.classes < 2) throw UsageError("a judge of one class has nothing to tell apart", "give clips of 2 classes or more");
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
      throw UsageError(fmt::format("none of the {} clips that a judge learns from has the class {}", learned, c),
                       "give clips of every class, in no order of classes");
}

}  // namespace

ClipJudge::ClipJudge(const ClipJudgeOptions& options, std::uint64_t seed) : network(judge_backbone(options, seed)), options_(options) {
  network->eval();
}

template <typename See>
at::Tensor ClipJudge::seen(const at::Tensor& clips, const See& see) const {
  const auto& o = options_;
  if (clips.dim() != 5 || clips.sizes().slice(1) != at::IntArrayRef({o.frames, 3, o.size, o.size}))
    throw UsageError(fmt::format("a judge of clips [N, {}, 3, {}, {}] was given {}", o.frames, o.size, o.size, c10::str(clips.sizes())),
                     "give clips as those that it learned from");
  const torch::NoGradGuard no_grad;
  const auto device = network->parameters().front().device();
  std::vector<at::Tensor> parts;
  for (std::int64_t i = 0; i < clips.size(0); i += clips_at_once)
    parts.push_back(see(clips.slice(0, i, i + clips_at_once).to(device).clamp(-1, 1).transpose(1, 2)).cpu());
  if (parts.empty()) throw UsageError("a judge was given no clips", "give one or more");
  return torch::cat(parts);
}

at::Tensor ClipJudge::probabilities(const at::Tensor& clips) const {
  return seen(clips, [this](const at::Tensor& x) { return network->forward(x).softmax(1); });
}

at::Tensor ClipJudge::features(const at::Tensor& clips) const {
  return seen(clips, [this](const at::Tensor& x) { return network->features(x, pooled).flatten(1); });
}

double ClipJudge::fit(const at::Tensor& clips, const at::Tensor& labels, std::uint64_t seed, training::Progress& progress) {
  const auto n = clips.size(0), learned = n - n / 8;
  if (n < 16 || labels.dim() != 1 || labels.size(0) != n || labels.scalar_type() != at::kLong)
    throw UsageError(fmt::format("a judge was given {} clips and labels {}", n, c10::str(labels.sizes())),
                     "give 16 clips or more, and an int64 label for each");
  require_classes(labels, options_.classes, learned);
  features(clips.slice(0, 0, 1));  // refuses other shapes before anything is trained
  const auto device = network->parameters().front().device();
  const auto held_out = clips.slice(0, learned), truth = labels.slice(0, learned).cpu();
  const training::Task task{
      .batches_per_epoch = std::min(options_.steps, steps_between_looks),
      .batch = [&](std::int64_t, std::int64_t, Random& random) -> training::Batch {
        std::vector<std::int64_t> chosen(static_cast<std::size_t>(options_.batch));
        for (auto& item : chosen) item = random.below(learned);
        const auto items = torch::tensor(at::ArrayRef<std::int64_t>(chosen), at::kLong).to(clips.device());
        return {clips.index_select(0, items).to(device).transpose(1, 2), labels.index_select(0, items).to(device)};
      },
      .forward = [&](const torch::Tensor& x) { return network->forward(x); },
      .loss = [](const torch::Tensor& scores, const torch::Tensor& y) { return torch::cross_entropy_loss(scores, y); },
      .validate = [&] { return 1 - metrics::accuracy(probabilities(held_out).argmax(1), truth); }};
  const auto report = training::fit(*network, {{network->parameters(), options_.learning_rate}}, task,
                                    {.epochs = (options_.steps + steps_between_looks - 1) / steps_between_looks, .seed = seed}, progress);
  network->eval();
  return 1 - std::ranges::min(report.validation_error);
}

std::string ClipJudge::protocol(const std::string& metric, std::int64_t n) const {
  std::string bytes;
  for (const auto& [name, tensor] : training::module_state(*network)) {
    const auto values = tensor.cpu().contiguous();
    bytes.append(static_cast<const char*>(values.const_data_ptr()), values.nbytes());
  }
  return fmt::format("{}/judge-{}/N={}", metric, sha256(bytes).substr(0, 8), n);
}

}  // namespace reprise::models
