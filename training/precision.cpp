#include "training/precision.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "training/data_parallel.h"
#include "training/torch_generator.h"

namespace reprise::training {
namespace {

constexpr double worthwhile = 0.9;  // a smaller gain in time does not justify the rounding

/// Returns whether the best time of `second` is below nine tenths of that of `first`. Both run in turns, at
/// least `turns` times and for about `seconds`, after one uncounted run each.
bool is_faster(const std::function<void()>& second, const std::function<void()>& first, int turns,
               double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const auto timed = [&](const std::function<void()>& work) {
    const auto start = Clock::now();
    work();
    return since(start);
  };
  // The first run of each allocates memory and selects kernels.
  first();
  second();
  // The shortest time of each: other programs can only slow a run down.
  double least_first = std::numeric_limits<double>::max();
  double least_second = least_first;
  const auto begun = Clock::now();
  for (int turn = 0; turn < turns || since(begun) < seconds; ++turn) {
    least_first = std::min(least_first, timed(first));
    least_second = std::min(least_second, timed(second));
  }
  return least_second < worthwhile * least_first;
}

}  // namespace

Precision measure_faster_precision(const std::function<void(Precision)>& pass, double seconds) {
  using enum Precision;
  return is_faster([&] { pass(BFloat16); }, [&] { pass(Float32); }, /*turns=*/1, seconds) ? BFloat16
                                                                                          : Float32;
}

Precision agree_on_precision(const weights::StateDict& state, DefaultGenerator& generator,
                             const std::function<void(Precision)>& pass) {
  auto narrow = at::zeros({1});
  if (data_parallel::is_main()) {
    // The passes change batch statistics and draw dropout; the run must start as without them.
    const auto stream = generator.state().clone();
    std::vector<at::Tensor> before;
    for (const auto& [name, tensor] : state) before.push_back(tensor.detach().clone());
    narrow.fill_(measure_faster_precision(pass) == Precision::BFloat16 ? 1 : 0);
    generator.set_state(stream);
    const at::NoGradGuard no_grad;
    for (std::size_t i = 0; i < state.size(); ++i) at::Tensor(state[i].second).copy_(before[i]);
  }
  // All ranks must compute in one precision.
  data_parallel::broadcast({narrow});
  return narrow.item<float>() > 0 ? Precision::BFloat16 : Precision::Float32;
}

PrecisionGuard::PrecisionGuard(Precision precision, c10::DeviceType device)
    : device_(device),
      was_enabled_(at::autocast::is_autocast_enabled(device)),
      was_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device, precision == Precision::BFloat16);
  at::autocast::set_autocast_dtype(device, at::kBFloat16);
  // Guards can be nested; the cache belongs to the outermost one.
  at::autocast::increment_nesting();
}

PrecisionGuard::~PrecisionGuard() {
  // The cache holds rounded weights, which the next step of the optimiser makes invalid.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, was_);
}

}  // namespace reprise::training
