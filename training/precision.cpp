#include "training/precision.h"

#include <ATen/autocast_mode.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace reprise::training {

Precision faster_precision(const std::function<void(Precision)>& pass, double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::array both{Precision::Float32, Precision::BFloat16};
  for (const auto precision : both) pass(precision);
  std::array<double, 2> least{std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
  const auto since = [](Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto begun = Clock::now();
  do {
    for (std::size_t i = 0; i < both.size(); ++i) {
      const auto start = Clock::now();
      pass(both[i]);
      least[i] = std::min(least[i], since(start));
    }
  } while (since(begun) < seconds);
  return least[1] < 0.9 * least[0] ? Precision::BFloat16 : Precision::Float32;
}

PassesIn::PassesIn(Precision precision, c10::DeviceType device)
    : device_(device), was_enabled_(at::autocast::is_autocast_enabled(device)), was_(at::autocast::get_autocast_dtype(device)) {
  at::autocast::set_autocast_enabled(device, precision == Precision::BFloat16);
  at::autocast::set_autocast_dtype(device, at::kBFloat16);
  at::autocast::increment_nesting();
}

PassesIn::~PassesIn() {
  // Weights that were rounded are kept for the guard's life alone: a step of the optimiser changes them.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_enabled_);
  at::autocast::set_autocast_dtype(device_, was_);
}

}  // namespace reprise::training
