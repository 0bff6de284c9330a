#include "baselines/trackers/simple_filters.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>

#include "core/error.h"

namespace reprise::baselines {
namespace {

constexpr double no_estimate = std::numeric_limits<double>::quiet_NaN();

/// Returns the weight of the new value in an exponential mean. frequency: the cutoff, cycles per
/// frame.
double smoothing_weight(double frequency) {
  return 1 / (1 + 1 / (2 * std::numbers::pi * frequency));
}

}  // namespace

AngleStep moving_average_step(std::int64_t frames) {
  if (frames < 1)
    throw UsageError(fmt::format("a moving average over {} frames", frames), "give 1 or more");
  const auto last = std::make_shared<std::deque<double>>();
  return [last, frames](double x) {
    // A missing measurement (NaN) does not change the average.
    if (std::isfinite(x)) last->push_back(x);
    if (std::ssize(*last) > frames) last->pop_front();
    return last->empty() ? no_estimate
                         : std::accumulate(last->begin(), last->end(), 0.0) /
                               static_cast<double>(last->size());
  };
}

AngleStep one_euro_step(double cutoff, double beta) {
  if (!(cutoff > 0) || !(beta >= 0) || !std::isfinite(cutoff + beta))
    throw UsageError(
        fmt::format("a one-euro filter with a cutoff of {} and a beta of {}", cutoff, beta),
        "give a cutoff above 0 cycles per frame and a beta of 0 or more");
  constexpr double speed_cutoff = 1.0 / 6;  // cycles per frame; in the paper 1 Hz
  struct State {
    double y = no_estimate, speed = 0;
  };
  const auto state = std::make_shared<State>();
  return [state, cutoff, beta](double x) {
    if (!std::isfinite(x)) return state->y;
    // The filter starts at the first measurement.
    if (!std::isfinite(state->y)) return state->y = x;
    state->speed += smoothing_weight(speed_cutoff) * (x - state->y - state->speed);
    return state->y += smoothing_weight(cutoff + beta * std::abs(state->speed)) * (x - state->y);
  };
}

AngleTrack run_over_track(const AngleStep& step, const std::vector<double>& x) {
  auto track = make_unknown_track(x.size());
  for (std::size_t t = 0; t < x.size(); ++t) track.angle[t] = step(x[t]);
  return track;
}

}  // namespace reprise::baselines
