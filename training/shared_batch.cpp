#include "training/shared_batch.h"

#include <ATen/Context.h>
#include <fmt/format.h>
#include <torch/torch.h>

#include <numeric>
#include <vector>

#include "core/error.h"
#include "training/world.h"

namespace reprise::training {
namespace {

struct Share {
  World* world = nullptr;
  std::int64_t all = 0, first = 0, own = 0;  ///< rows
};
Share& share() {
  static Share now;
  return now;
}

/// d sum / d values of each process is the sum of what comes back in all of them: the same operation.
class SumOverProcesses : public torch::autograd::Function<SumOverProcesses> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& values, std::int64_t world) {
    context->saved_data["world"] = world;
    at::Tensor sum = values.detach().clone(at::MemoryFormat::Contiguous);
    reinterpret_cast<World*>(world)->sum(sum);  // NOLINT(performance-no-int-to-ptr): autograd keeps numbers, not pointers
    return sum;
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context, torch::autograd::tensor_list gradients) {
    return {apply(gradients[0], context->saved_data["world"].toInt()), at::Tensor()};
  }
};

/// Rows of x to an item of the batch.
std::int64_t rows_to_an_item(const at::Tensor& x) {
  const auto own = share().own;
  if (x.size(0) % own != 0)
    throw Error(fmt::format("a layer was given {} rows of a batch of which this process has {}", x.size(0), own),
                "give it a multiple, or let the game draw by own_rows()");
  return x.size(0) / own;
}

/// Room for the whole batch of which x is this process's rows, laid out as x where rows follow each other in memory: the order in which numbers
/// are drawn goes by that.
at::Tensor of_all_like(const at::Tensor& x) {
  if (share().world == nullptr) return x;
  auto sizes = x.sizes().vec();
  sizes[0] = rows_of_all(x);
  std::int64_t row = 1;
  for (std::int64_t i = 1; i < x.dim(); ++i) row += (x.size(i) - 1) * x.stride(i);
  return x.stride(0) >= row ? at::empty_strided(sizes, x.strides(), x.options()) : at::empty(sizes, x.options());
}

}  // namespace

SharedBatch::SharedBatch(World& world, std::int64_t rows) {
  if (world.alone()) return;
  if (rows < world.size())
    throw UsageError(fmt::format("a batch of {} for {} processes", rows, world.size()),
                     "start fewer processes, or train with larger batches");
  const auto [first, own] = world.part(rows);
  share() = {&world, rows, first, own};
}

SharedBatch::~SharedBatch() { share() = {}; }

std::int64_t rows_of_all(const at::Tensor& x) { return share().world == nullptr ? x.size(0) : share().all * rows_to_an_item(x); }

at::Tensor own_rows(const at::Tensor& of_all, Rows rows) {
  const auto& [world, all, first, own] = share();
  if (world == nullptr || !of_all.defined()) return of_all;
  const auto k = of_all.size(0) / all;
  if (rows == Rows::OfItems) return of_all.narrow(0, first * k, own * k);
  return of_all.unflatten(0, {k, all}).narrow(1, first, own).flatten(0, 1);
}

at::Tensor normals_like(const at::Tensor& x, Rows rows) {
  const auto all = of_all_like(x);
  if (!all.is_non_overlapping_and_dense()) return own_rows(at::randn_like(all), rows);
  return own_rows(at::randn({all.numel()}, all.options()).as_strided(all.sizes(), all.strides()), rows);
}

at::Tensor dropout(const at::Tensor& x, double rate, bool training, Rows rows) {
  if (share().world == nullptr || !training || rate == 0) return at::dropout(x, rate, training);
  return x * own_rows(at::empty_like(of_all_like(x)).bernoulli_(1 - rate), rows).div_(1 - rate);
}

at::Tensor sum_over_processes(const at::Tensor& values) {
  auto* world = share().world;
  return world == nullptr ? values : SumOverProcesses::apply(values, reinterpret_cast<std::int64_t>(world));
}

at::Tensor batch_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& running_mean,
                      const at::Tensor& running_var, double momentum, double epsilon) {
  if (share().world == nullptr)
    return at::batch_norm(x, weight, bias, running_mean, running_var, /*training=*/true, momentum, epsilon,
                          at::globalContext().userEnabledCuDNN());
  std::vector<std::int64_t> others(static_cast<std::size_t>(x.dim() - 1)), to_channels(static_cast<std::size_t>(x.dim()), 1);
  std::iota(others.begin(), others.end(), 1);
  others[0] = 0;
  to_channels[1] = x.size(1);
  const auto values = x.to(at::kFloat);
  const std::int64_t in_a_row = x.numel() / (x.size(0) * x.size(1));
  const auto count = static_cast<double>(rows_of_all(x) * in_a_row);
  const auto mean = sum_over_processes(values.sum(others)) / count;
  const auto away = values - mean.view(to_channels);
  const auto variance = sum_over_processes(away.square().sum(others)) / count;
  {
    const torch::NoGradGuard no_grad;
    at::Tensor(running_mean).lerp_(mean.detach(), momentum);
    at::Tensor(running_var).lerp_(variance.detach() * (count / (count - 1)), momentum);
  }
  auto y = away * (variance + epsilon).rsqrt().view(to_channels);
  if (weight.defined()) y = y * weight.view(to_channels);
  if (bias.defined()) y = y + bias.view(to_channels);
  return y.to(x.scalar_type());
}

}  // namespace reprise::training
