// Random synthetic backgrounds for rendered people.
//
// Four kinds:
//
// - a sky or wall with a gradient
// - an indoor scene: wall, frames, shelf
// - lights out of focus in the dark
// - foliage-like noise
//
// All are blurred, as in a photograph that is focused on the face.
#pragma once
#include <ATen/core/Tensor.h>

#include "core/random.h"

namespace reprise::datasets {

/// Paints a background: [height, width, 3], uint8. UsageError: a side below 1.
at::Tensor background(std::int64_t height, std::int64_t width, Random& random);

/// Paints a background into memory of height * width * 3 bytes.
void paint_background(std::uint8_t* image, std::int64_t height, std::int64_t width, Random& random);

}  // namespace reprise::datasets
