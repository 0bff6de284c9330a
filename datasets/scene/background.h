// Random backgrounds: what stands behind a head when no photograph is at hand.
//
// One of four kinds: a sky or wall that fades, a room (wall, frames, shelf), lights out of focus in
// the dark, foliage-like noise. All are soft, as a lens focused on the face would see them.
#pragma once
#include <ATen/core/Tensor.h>

#include "core/random.h"

namespace reprise::datasets {

/// [height, width, 3], uint8. UsageError: a side below 1.
at::Tensor background(std::int64_t height, std::int64_t width, Random& random);

/// The same into memory of height * width * 3 bytes.
void paint_background(std::uint8_t* image, std::int64_t height, std::int64_t width, Random& random);

}  // namespace reprise::datasets
