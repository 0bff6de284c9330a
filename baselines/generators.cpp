#include "baselines/generators.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "baselines/degenerate_clips.h"
#include "baselines/example_generators.h"
#include "core/error.h"
#include "core/random.h"
#include "training/torch_generator.h"

namespace reprise::baselines {
namespace {

using training::Examples;
using training::Progress;
using training::SampleRequest;

/// Repeats one frame of an example.
class Still : public TrainingItems {
 public:
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(x_);
    auto clips = x_.index_select(0, choose_examples(labels_, x_.size(0), request));
    // A picture is its own still.
    if (clips.dim() == 4) {
      require_length(request, x_);
      return clips;
    }
    const auto frames = request.frames == 0 ? x_.size(1) : request.frames;
    // Another stream than the one that chooses the example.
    const auto shown = Random(request.seed + 1).below(x_.size(1));
    return clips.slice(1, shown, shown + 1).expand({-1, frames, -1, -1, -1}).contiguous();
  }
};

/// x = mean(label) + sum_k s_k z_k v_k,   z_k ~ N(0, 1). v_k and s_k are principal directions and
/// standard deviations around the class means.
class Gaussian : public training::Generator {
 public:
  Gaussian() {
    shape_ = register_buffer("shape", torch::empty({0}, at::kLong));
    means_ = register_buffer("means", torch::empty({0}));
    moves_ = register_buffer("moves", torch::empty({0}));
  }
  void fit(const Examples& examples, std::uint64_t, Progress&) override {
    require_examples(examples);
    // One row per example.
    const auto x = examples.x.flatten(1).to(at::kDouble);
    const auto n = x.size(0);
    const auto labels = examples.labels.defined() ? examples.labels : torch::zeros({n}, at::kLong);
    const auto classes = labels.max().item<std::int64_t>() + 1;
    // Class sums over class counts. A class without examples has the mean 0.
    const auto one_hot = torch::one_hot(labels, classes).to(at::kDouble);
    const auto means = one_hot.t().matmul(x) / one_hot.sum(0).clamp_min(1).unsqueeze(1);
    const auto rest = x - means.index_select(0, labels);
    // Singular values of the centred rows are standard deviations times sqrt(n - 1).
    const auto [u, s, v] = at::linalg_svd(rest, /*full_matrices=*/false);
    const auto k = std::min<std::int64_t>(components, s.size(0));
    const auto scale =
        s.slice(0, 0, k) / std::sqrt(static_cast<double>(std::max<std::int64_t>(n - 1, 1)));
    // Buffers are stored with the weights, so a loaded generator knows the shape of its items.
    shape_.set_data(torch::tensor(examples.x.sizes().slice(1), at::kLong));
    means_.set_data(means.to(at::kFloat));
    moves_.set_data((v.slice(0, 0, k) * scale.unsqueeze(1)).to(at::kFloat));
  }
  at::Tensor sample(const SampleRequest& request) override {
    require_fitted(means_);
    std::vector<std::int64_t> shape{request.count};
    for (std::int64_t i = 0; i < shape_.numel(); ++i)
      shape.push_back(shape_[i].item<std::int64_t>());
    require_length(request, torch::empty(shape, at::kMeta));
    const auto generator = training::torch_generator(request.seed);
    // Without requested classes all classes are equally likely.
    auto labels = request.labels.defined()
                      ? request.labels
                      : torch::randint(means_.size(0), {request.count}, generator, at::kLong);
    // A generator fitted without labels ignores the requested ones.
    if (means_.size(0) == 1) labels = torch::zeros_like(labels);
    if (labels.max().item<std::int64_t>() >= means_.size(0) ||
        labels.min().item<std::int64_t>() < 0)
      throw UsageError(fmt::format("a class beyond 0 to {} was requested", means_.size(0) - 1),
                       "request a class of the examples");
    const auto z = torch::randn({request.count, moves_.size(0)}, generator);
    return (means_.index_select(0, labels) + z.matmul(moves_)).clamp(-1, 1).view(shape);
  }

 private:
  static constexpr std::int64_t components = 32;  ///< principal components that are kept
  at::Tensor shape_, means_, moves_;
};

/// Lists the generators of pictures and clips.
std::vector<GeneratorMethod> generators_of_any_data() {
  using training::Role;
  return {
      {.info = {.id = "training_items",
                .title = "training items again",
                .role = Role::Bound,
                .source = "trivial baseline: nothing new, all of it real",
                .cost = "a copy per item"},
       .conditional = true,
       .make = [] { return std::make_unique<TrainingItems>(); }},
      {.info = {.id = "still",
                .title = "a still",
                .role = Role::Control,
                .source = "trivial baseline: no motion",
                .cost = "a copy per frame"},
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
}

}  // namespace

const std::vector<GeneratorMethod>& generators() {
  static const std::vector<GeneratorMethod> all = [] {
    auto methods = generators_of_any_data();
    for (auto& method : degenerate_clips()) methods.push_back(std::move(method));
    return methods;
  }();
  return all;
}

}  // namespace reprise::baselines
