#include "baselines/example_generators.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <map>

#include "core/error.h"
#include "core/random.h"

namespace reprise::baselines {
namespace {

/// Hands out `items` in a random order, and starts again in a new order after the last.
class Deck {
 public:
  Deck(const at::Tensor& items, Random random) : items_(items), random_(random) {}
  std::int64_t next() {
    if (out_ == order_.size()) {
      order_ = random_.permutation(items_.numel());
      out_ = 0;
    }
    return items_[order_[out_++]].item<std::int64_t>();
  }

 private:
  at::Tensor items_;
  Random random_;
  std::vector<std::int64_t> order_;
  std::size_t out_ = 0;
};

}  // namespace

void require_examples(const training::Examples& examples) {
  const auto& x = examples.x;
  if (!x.defined() || x.size(0) == 0 || (x.dim() != 4 && x.dim() != 5))
    throw UsageError("there are no examples to learn from",
                     "give x as [N, C, H, W] or [N, T, C, H, W], N at least 1");
  if (examples.labels.defined() && examples.labels.size(0) != x.size(0))
    throw UsageError(fmt::format("{} labels for {} examples", examples.labels.size(0), x.size(0)),
                     "give one label per example");
}

void require_fitted(const at::Tensor& x) {
  if (!x.defined() || x.numel() == 0)
    throw UsageError("this generator was not fitted", "call fit() first");
}

void require_length(const training::SampleRequest& request, const at::Tensor& examples) {
  if (request.frames == 0) return;
  if (examples.dim() != 5)
    throw UsageError(
        fmt::format("{} frames were requested, and the examples are pictures", request.frames),
        "leave frames at 0");
  if (request.frames != examples.size(1))
    throw UsageError(fmt::format("{} frames were requested, and the examples have {}",
                                 request.frames, examples.size(1)),
                     "request as many, or use a generator of any length");
}

at::Tensor choose_examples(const at::Tensor& labels, std::int64_t examples,
                           const training::SampleRequest& request) {
  const Random random(request.seed);
  const bool by_class = request.labels.defined() && labels.defined() && labels.numel() > 0;
  // One deck per class, so that each example of a class is used before any repeats.
  std::map<std::int64_t, Deck> decks;
  auto chosen = at::empty({request.count}, at::kLong);
  for (std::int64_t i = 0; i < request.count; ++i) {
    const auto wanted = by_class ? request.labels[i].item<std::int64_t>() : 0;
    auto deck = decks.find(wanted);
    if (deck == decks.end()) {
      const auto items =
          by_class ? (labels == wanted).nonzero().flatten() : at::arange(examples, at::kLong);
      if (items.numel() == 0)
        throw UsageError(fmt::format("no example has the class {}", wanted),
                         "request a class of the examples");
      deck = decks.emplace(wanted, Deck(items, random.split("examples", wanted))).first;
    }
    chosen[i] = deck->second.next();
  }
  return chosen;
}

TrainingItems::TrainingItems() {
  x_ = register_buffer("x", at::empty({0}));
  labels_ = register_buffer("labels", at::empty({0}, at::kLong));
}

void TrainingItems::fit(const training::Examples& examples, std::uint64_t, training::Progress&) {
  require_examples(examples);
  x_.set_data(examples.x.clone());
  if (examples.labels.defined()) labels_.set_data(examples.labels.clone());
}

at::Tensor TrainingItems::sample(const training::SampleRequest& request) {
  require_fitted(x_);
  require_length(request, x_);
  return x_.index_select(0, choose_examples(labels_, x_.size(0), request));
}

}  // namespace reprise::baselines
