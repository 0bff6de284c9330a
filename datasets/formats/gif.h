// Short animations as GIF89a files, for users who ask for one by name (generate --out FILE.gif).
// Results hold WebP (webp.h).
//
// One palette serves all frames: the colours themselves where there are 256 or fewer, else 256
// found by cutting the box of colours with the largest sum of squared distances from its mean,
// along its longest axis, again and again. There is no dithering: it flickers, and compresses
// badly. A frame stores the rectangle that changed since the one before, compressed by LZW. The
// animation repeats for ever.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace reprise::datasets {

/// frames: uint8 [T, H, W, 3], RGB. The format counts hundredths of a second: a frame is shown for
/// the nearest whole number of them, 2 at least, since browsers slow down what claims less. The
/// same frames give the same bytes. UsageError: see check_animation (webp.h); a side is at most
/// 65535 pixels.
std::string gif_bytes(const at::Tensor& frames, double frames_per_second);
/// Error: the file cannot be written.
void write_gif(const std::filesystem::path& path, const at::Tensor& frames,
               double frames_per_second);

}  // namespace reprise::datasets
