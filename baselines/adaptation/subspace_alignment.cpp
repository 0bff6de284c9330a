#include "baselines/adaptation/subspace_alignment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/error.h"

namespace reprise::baselines {
namespace {

using training::Domain;

/// Leading eigenvectors of the covariance, [P, d], by decreasing variance. Signs are chosen such
/// that their sums are not negative.
at::Tensor principal_directions(const at::Tensor& centred, std::int64_t d) {
  const auto x = centred.to(at::kDouble);
  const auto vectors = std::get<1>(at::linalg_eigh(x.t().matmul(x))).flip(1).slice(1, 0, d);
  return (vectors * at::where(vectors.sum(0) < 0, -1.0, 1.0)).to(at::kFloat).contiguous();
}

}  // namespace

SubspaceAlignment::SubspaceAlignment(std::int64_t d) : d_(d) {
  for (std::size_t k = 0; k < 2; ++k) {
    mean_.at(k) = register_buffer(fmt::format("mean_{}", k + 1), torch::empty({0}));
    directions_.at(k) = register_buffer(fmt::format("directions_{}", k + 1), torch::empty({0}));
  }
  known_ = register_buffer("known", torch::empty({0}));
  classes_ = register_buffer("classes", torch::empty({0}));
  shape_ = register_buffer("shape", torch::zeros({3}, at::kLong));
}

void SubspaceAlignment::fit(const training::AdaptationData& data, std::uint64_t,
                            training::Progress&) {
  const auto K = std::max<std::int64_t>(2, training::count_classes(data));
  const torch::NoGradGuard no_grad;
  const auto source = data.source.flatten(1), target = data.target.flatten(1);
  const auto d = std::min({d_, source.size(0), target.size(0), source.size(1)});
  for (std::size_t k = 0; k < 2; ++k) {
    const auto& x = k == 0 ? source : target;
    mean_.at(k).set_data(x.mean(0, true));
    directions_.at(k).set_data(principal_directions(x - mean_.at(k), d));
  }
  // X_S M: the source's directions, aligned.
  directions_[0].set_data(directions_[0].matmul(directions_[0].t().matmul(directions_[1])));
  known_.set_data((source - mean_[0]).matmul(directions_[0]));
  classes_.set_data(torch::one_hot(data.labels, K).to(at::kFloat));
  for (std::int64_t i = 0; i < 3; ++i) shape_[i] = data.source.size(i + 1);
}

at::Tensor SubspaceAlignment::probabilities(const at::Tensor& x, Domain of) {
  if (known_.numel() == 0) throw UsageError("this adapter was not fitted", "call fit() first");
  const std::vector<std::int64_t> wanted{shape_[0].item<std::int64_t>(),
                                         shape_[1].item<std::int64_t>(),
                                         shape_[2].item<std::int64_t>()};
  if (x.dim() != 4 || x.sizes().slice(1) != at::IntArrayRef(wanted))
    throw UsageError(fmt::format("pictures are [{}], and those it was fitted on [N, {}]",
                                 fmt::join(x.sizes(), ", "), fmt::join(wanted, ", ")),
                     "give pictures like those of fit()");
  const torch::NoGradGuard no_grad;
  const std::size_t k = of == Domain::A ? 0 : 1;
  constexpr std::int64_t at_a_time = 256;
  std::vector<at::Tensor> parts;
  for (const auto& part : x.split(at_a_time)) {
    const auto places =
        (part.to(known_.device()).flatten(1) - mean_.at(k)).matmul(directions_.at(k));
    parts.push_back(classes_.index_select(0, at::cdist(places, known_).argmin(1)).to(x.device()));
  }
  return at::cat(parts);
}

}  // namespace reprise::baselines
