#include "datasets/scene/gaps.h"

#include <algorithm>
#include <numbers>

namespace reprise::datasets {

Gaps::Gaps(std::int64_t frames, double degradation, const GapOptions& options, Random& random)
    : options_(options) {
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return low + random.below(high - low + 1);
  };
  // The clip starts at any frame of the first clear run and gap, so that its first frame can be
  // damaged too.
  auto clear = between(options.clear_low, options.clear_high);
  auto damaged = between(options.gap_low, options.gap_high);
  for (auto at = -random.below(clear + damaged); at < frames; at += clear + damaged) {
    if (!gaps_.empty()) {
      clear = between(options.clear_low, options.clear_high);
      damaged = between(options.gap_low, options.gap_high);
    }
    // The gap is drawn before its presence is decided, for the same reason as below.
    auto gap =
        draw_gap(options.kinds[static_cast<std::size_t>(random.below(std::ssize(options.kinds)))],
                 degradation, random);
    gap.first = at + clear;
    gap.after = at + clear + damaged;
    // An absent gap consumes the same random numbers, so that the others do not move.
    if (!random.chance(degradation)) gap.after = gap.first;
    gaps_.push_back(gap);
  }
  // Each frame gets its noise from this number plus its own.
  grain_ = static_cast<std::uint64_t>(random.below(std::int64_t{1} << 62));
}

Gaps::Gap Gaps::draw_gap(Damage kind, double degradation, Random& random) {
  Gap gap{.kind = kind};
  gap.strength = degradation * random.uniform(0.8, 1);
  gap.angle = random.uniform(0, std::numbers::pi);
  auto& occluder = gap.occluder;
  occluder.round = random.chance(0.5);
  // Positions are fractions of the side: the occluder covers the middle.
  occluder.x = random.uniform(0.4, 0.6);
  occluder.y = random.uniform(0.4, 0.6);
  occluder.high = random.uniform(0.8, 1.2);
  occluder.tilt = gap.angle;
  for (auto& c : occluder.colour) c = static_cast<float>(random.uniform(10, 235));
  occluder.stripe = static_cast<float>(random.uniform(0, 40));
  return gap;
}

const Gaps::Gap* Gaps::find_gap(std::int64_t t) const {
  const auto found = std::find_if(gaps_.begin(), gaps_.end(),
                                  [&](const Gap& gap) { return t >= gap.first && t < gap.after; });
  return found == gaps_.end() ? nullptr : &*found;
}

std::optional<Gaps::At> Gaps::at(std::int64_t t) const {
  const auto* gap = find_gap(t);
  if (!gap) return std::nullopt;
  return At{.kind = gap->kind, .first = gap->first, .strength = gap->strength, .angle = gap->angle};
}

void Gaps::apply(Canvas& canvas, std::int64_t t) const {
  const auto* gap = find_gap(t);
  if (!gap) return;
  const auto side = static_cast<double>(canvas.size);
  switch (gap->kind) {
    case Damage::Hidden: {
      auto occluder = gap->occluder;
      occluder.width = gap->strength * options_.hidden_size;
      return occlude(canvas, occluder);
    }
    case Damage::Dark:
      for (auto& value : canvas.pixels)
        value *= static_cast<float>(1 - gap->strength * options_.dark_loss);
      return add_noise(canvas, static_cast<float>(gap->strength * options_.dark_std_dev),
                       grain_ + static_cast<std::uint64_t>(t));
    case Damage::Blurred:
      return smear(canvas, gap->strength * options_.blur_length * side, gap->angle);
    case Damage::Defocused:
      return defocus(canvas, gap->strength * options_.defocus_radius * side);
    // The renderer of the scene makes these two (header).
    case Damage::Frozen:
    case Damage::Jumped:
      return;
  }
}

}  // namespace reprise::datasets
