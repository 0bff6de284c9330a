#include "baselines/generators.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"
#include "core/random.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

using training::Examples;
using training::Progress;
using training::SampleRequest;

void require_examples(const Examples& examples) {
  const auto& x = examples.x;
  if (!x.defined() || x.size(0) == 0 || (x.dim() != 4 && x.dim() != 5))
    throw UsageError("there are no examples to learn from", "give x as [N, C, H, W] or [N, T, C, H, W], N at least 1");
  if (examples.labels.defined() && examples.labels.size(0) != x.size(0))
    throw UsageError(fmt::format("{} labels for {} examples", examples.labels.size(0), x.size(0)), "give one label per example");
}

void require_fitted(const at::Tensor& x) {
  if (!x.defined() || x.numel() == 0) throw UsageError("this generator was not fitted", "call fit() first");
}

void require_length(const SampleRequest& request, const at::Tensor& examples) {
  if (request.frames == 0) return;
  if (examples.dim() != 5)
    throw UsageError(fmt::format("{} frames were asked for, and the examples are pictures", request.frames), "leave frames at 0");
  if (request.frames != examples.size(1))
    throw UsageError(fmt::format("{} frames were asked for, and the examples have {}", request.frames, examples.size(1)),
                     "ask for as many, or use a generator of any length");
}

/// An example for each sample: any, or one of the class asked for. UsageError: no example has that class.
at::Tensor chosen_examples(const at::Tensor& labels, std::int64_t examples, const SampleRequest& request) {
  Random random(request.seed);
  const bool by_class = request.labels.defined() && labels.defined() && labels.numel() > 0;
  auto chosen = at::empty({request.count}, at::kLong);
  for (std::int64_t i = 0; i < request.count; ++i) {
    if (!by_class) {
      chosen[i] = random.below(examples);
      continue;
    }
    const auto wanted = request.labels[i].item<std::int64_t>();
    const auto of_class = (labels == wanted).nonzero().flatten();
    if (of_class.numel() == 0) throw UsageError(fmt::format("no example has the class {}", wanted), "ask for a class of the examples");
    chosen[i] = of_class[random.below(of_class.numel())];
  }
  return chosen;
}

class TrainingItems : public training::Generator {
 public:
  TrainingItems() {
    x_ = register_buffer("x", torch::empty({0}));
    labels_ = register_buffer("labels", torch::empty({0}, at::kLong));
  }
  void fit(const Examples& examples, std::uint64_t, Progress&) override {
    require_examples(examples);
    x_.set_data(examples.x.clone());
    if (examples.labels.defined()) labels_.set_data(examples.labels.clone());
  }
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    require_length(request, x_);
    return x_.index_select(0, chosen_examples(labels_, x_.size(0), request));
  }

 protected:
  at::Tensor x_, labels_;
};

class Still : public TrainingItems {
 public:
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    auto clips = x_.index_select(0, chosen_examples(labels_, x_.size(0), request));
    if (clips.dim() == 4) {
      require_length(request, x_);
      return clips;
    }
    const auto frames = request.frames == 0 ? x_.size(1) : request.frames;
    const auto shown = Random(request.seed + 1).below(x_.size(1));
    return clips.slice(1, shown, shown + 1).expand({-1, frames, -1, -1, -1}).contiguous();
  }
};

/// x = mean(label) + sum_k s_k z_k v_k,   z_k ~ N(0, 1); v_k and s_k: principal directions and standard deviations of what the class means
/// leave.
class Gaussian : public training::Generator {
 public:
  Gaussian() {
    shape_ = register_buffer("shape", torch::empty({0}, at::kLong));
    means_ = register_buffer("means", torch::empty({0}));
    moves_ = register_buffer("moves", torch::empty({0}));
  }
  void fit(const Examples& examples, std::uint64_t, Progress&) override {
    require_examples(examples);
    const auto x = examples.x.flatten(1).to(at::kDouble);
    const auto n = x.size(0);
    const auto labels = examples.labels.defined() ? examples.labels : torch::zeros({n}, at::kLong);
    const auto classes = labels.max().item<std::int64_t>() + 1;
    const auto one_hot = torch::one_hot(labels, classes).to(at::kDouble);
    const auto means = one_hot.t().matmul(x) / one_hot.sum(0).clamp_min(1).unsqueeze(1);
    const auto rest = x - means.index_select(0, labels);
    const auto [u, s, v] = at::linalg_svd(rest, /*full_matrices=*/false);
    const auto k = std::min<std::int64_t>(components, s.size(0));
    const auto scale = s.slice(0, 0, k) / std::sqrt(static_cast<double>(std::max<std::int64_t>(n - 1, 1)));
    shape_.set_data(torch::tensor(examples.x.sizes().slice(1), at::kLong));
    means_.set_data(means.to(at::kFloat));
    moves_.set_data((v.slice(0, 0, k) * scale.unsqueeze(1)).to(at::kFloat));
  }
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(means_);
    std::vector<std::int64_t> shape{request.count};
    for (std::int64_t i = 0; i < shape_.numel(); ++i) shape.push_back(shape_[i].item<std::int64_t>());
    require_length(request, torch::empty(shape, at::kMeta));
    const auto generator = training::torch_generator(request.seed);
    auto labels = request.labels.defined() ? request.labels : torch::randint(means_.size(0), {request.count}, generator, at::kLong);
    if (means_.size(0) == 1) labels = torch::zeros_like(labels);
    if (labels.max().item<std::int64_t>() >= means_.size(0) || labels.min().item<std::int64_t>() < 0)
      throw UsageError(fmt::format("a class beyond 0 to {} was asked for", means_.size(0) - 1), "ask for a class of the examples");
    const auto z = torch::randn({request.count, moves_.size(0)}, generator);
    return (means_.index_select(0, labels) + z.matmul(moves_)).clamp(-1, 1).view(shape);
  }

 private:
  static constexpr std::int64_t components = 32;
  at::Tensor shape_, means_, moves_;
};

}  // namespace

const std::vector<GeneratorMethod>& generators() {
  using training::Role;
  static const std::vector<GeneratorMethod> all{
      {.info = {.id = "training_items",
                .title = "training items again",
                .role = Role::Bound,
                .source = "null row: nothing new, all of it real",
                .cost = "a copy per item"},
       .conditional = true,
       .make = [] { return std::make_unique<TrainingItems>(); }},
      {.info = {.id = "still", .title = "a still", .role = Role::Control, .source = "null row: no motion", .cost = "a copy per frame"},
       .conditional = true,
       .any_length = true,
       .make = [] { return std::make_unique<Still>(); }},
      {.info = {.id = "gaussian",
                .title = "Gaussian, 32 components",
                .role = Role::Control,
                .source = "Tipping, Bishop 1999",
                .cost = "one product per item"},
       .conditional = true,
       .make = [] { return std::make_unique<Gaussian>(); }},
  };
  return all;
}

}  // namespace reprise::baselines
