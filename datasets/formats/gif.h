// Short animations as GIF89a files, for users who request one by name (generate --out FILE.gif).
// Results use WebP (webp.h).
//
// One palette serves all frames. Up to 256 colours are kept exactly. More colours are reduced by
// splitting, again and again, the box of colours with the largest sum of squared distances from its
// mean. The split runs across its longest axis. There is no dithering, because it flickers and
// compresses badly. A frame stores the rectangle that changed, compressed by LZW. The animation
// loops.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace reprise::datasets {

/// Encodes frames: uint8 [T, H, W, 3], RGB. A frame lasts a whole number of hundredths of a second,
/// at least 2, since browsers slow down shorter ones. The same frames give the same bytes.
/// UsageError: see check_animation (webp.h); a side exceeds 65535 pixels.
std::string encode_gif(const at::Tensor& frames, double frames_per_second);
/// Writes encode_gif() to a file. Error: the file cannot be written.
void write_gif(const std::filesystem::path& path, const at::Tensor& frames,
               double frames_per_second);

}  // namespace reprise::datasets
