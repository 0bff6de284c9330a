// Short animations as WebP files, which every browser plays without a script.
//
// Two encodings by libwebp are compared. The lossless one is written unless the lossy one, at
// quality 90, has less than half its bytes. Measured with libwebp 1.2.4 on 8-bit frames before any
// palette, bytes of lossy over lossless:
//
//     clips of 16 pixels per side, enlarged 4 times (mocogan)  0.81 to 2.00  lossless
//     views of an object, 32 pixels per side (langevin)        0.37 to 0.76  either
//     heads with noise, enlarged smoothly (dynamic_face)       0.19 to 0.26  lossy, PSNR 36 dB
//
// Enlarged pixels thus stay exact, and noise is not stored bit for bit. The animation loops.
#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>

namespace reprise::datasets {

/// Checks frames before encoding. UsageError: frames are not uint8 [T, H, W, 3] with T at least 1,
/// or a side exceeds `longest_side` pixels. UsageError: a rate outside 0.01 to 50 frames per
/// second, since browsers slow down faster animations.
void check_animation(const at::Tensor& frames, double frames_per_second, std::int64_t longest_side);

/// Encodes frames: uint8 [T, H, W, 3], RGB. Frame t appears at the whole millisecond nearest to t /
/// frames_per_second. Equal neighbours are merged into one longer frame. The same frames give the
/// same bytes. UsageError: see check_animation; a side exceeds 16383 pixels. Error: libwebp fails
/// (with its reason).
std::string encode_webp(const at::Tensor& frames, double frames_per_second);
/// Writes encode_webp() to a file. Error: the file cannot be written.
void write_webp(const std::filesystem::path& path, const at::Tensor& frames,
                double frames_per_second);

}  // namespace reprise::datasets
