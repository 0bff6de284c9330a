#include "examples/gratings.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <numbers>

#include "core/error.h"
#include "core/random.h"

namespace reprise::datasets {

LabelledClips generate_gratings(std::int64_t n, std::int64_t frames, int size,
                                const std::vector<std::int64_t>& people, std::uint64_t seed) {
  if (size < 16 || size > 1024)
    throw UsageError(fmt::format("a size of {} pixels is out of range", size),
                     "choose a size from 16 to 1024");
  ClipPlan plan(n, frames, {"right", "down", "left", "up"}, people, seed);
  plan.set.colour = at::empty({n, frames, size, size, 3}, at::kByte);
  const auto s = (at::arange(size, at::kDouble) + 0.5) / size;  // pixel centres, in sides
  const auto t = at::arange(frames, at::kDouble).unsqueeze(1);
  for (std::int64_t i = 0; i < n; ++i) {
    // Each clip has its own random numbers, so it does not depend on the number of clips.
    auto random = Random(seed).split("grating", i);
    const bool sideways = plan.label(i) % 2 == 0;
    const bool forwards = plan.label(i) < 2;
    const auto k = static_cast<double>(2 + random.below(3));
    const double speed = (forwards ? -1 : 1) / random.uniform(4, 8);  // stripes per frame
    const double phi = random.uniform(0, 2 * std::numbers::pi);
    // The same for all clips of a person, so that a split by person tests new contrasts.
    const double contrast = Random(seed).split("contrast", plan.person(i)).uniform(30, 120);
    // Stripes are constant across the direction of motion: one row or column, repeated by copy_().
    const auto stripes =
        (128 + contrast * at::cos(2 * std::numbers::pi * (k * s + speed * t) + phi))
            .round();  // [frames, size]
    plan.set.colour[i].copy_(stripes.unsqueeze(sideways ? 1 : 2).unsqueeze(3));
  }
  return std::move(plan.set);
}

}  // namespace reprise::datasets
