// Conversion between a prior's items and files, for `reprise sample`, `invert` and `generate`.
//
// - images: [C, H, W], C = 1 (gray) or 3 (RGB).
// - videos: [3 T, H, W], T frames stacked in the channels. They are written at frames_per_second.
// - sounds: [1, B, T], a spectrogram of B mel bands and T frames
//   (datasets/transforms/spectrogram.h). "rate" in the prior's metadata is in samples per second.
//
// Values are in [-1, 1]; values outside are clamped when a file is written.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/formats/wav.h"
#include "models/diffusion/prior.h"

namespace reprise::reproduce {

inline constexpr double frames_per_second = 8;

/// Loads a prior file onto `device`. Throws a UsageError as models::load_prior() does, if a weight
/// is not finite, and if the items have none of the shapes above.
models::Prior load_usable_prior(const std::filesystem::path& path, const std::string& device);

/// Parses n labels (models::parse_label()) into one tensor: classes [n], or texts [n, words] padded
/// with 0. Returns an undefined tensor for no labels.
at::Tensor parse_labels(const models::Prior& prior, const std::vector<std::string>& labels);

/// Returns D, guided unless `guidance` is 1. Throws a UsageError if it is not finite, or if it is
/// not 1 and there is no label.
std::shared_ptr<models::Denoiser> make_denoiser(const models::Prior& prior, double guidance,
                                                bool labelled);

enum class Size { Exact, Resized };
/// Reads a picture as [1, channels, height, width]. One channel: gray.
/// Resized: crops the largest central part of the same aspect ratio and resizes it, antialiased.
/// Throws a UsageError as datasets::read_image() does, and with Exact for another size.
at::Tensor read_item(const std::filesystem::path& path, std::int64_t channels, std::int64_t height,
                     std::int64_t width, Size size);
/// Converts a picture [H, W, 3] (uint8) as read_item() does. `name` is for messages.
at::Tensor convert_to_item(const at::Tensor& image, const std::string& name, std::int64_t channels,
                           std::int64_t height, std::int64_t width, Size size);

/// Converts items of images (T = 1) or videos to frames [N, T, H, W, 3], uint8.
at::Tensor convert_to_frames(const models::Prior& prior, const at::Tensor& items);
/// Arranges N videos [N, T, H, W, 3] in one video [T, .., .., 3]: a nearly square grid with gray
/// lines of one pixel.
at::Tensor arrange_in_grid(const at::Tensor& frames);
/// Writes frames [T, H, W, 3] as .avi, .mp4 or .gif, by the name's ending; `rate` is in frames per
/// second. Enlarges frames below 128 pixels by repeating pixels. Throws an Error if the file cannot
/// be written.
void write_animation(const std::filesystem::path& path, const at::Tensor& frames, double rate);

/// Reconstructs a sound from a spectrogram [1, B, T] of any length T. `seed` draws the phases.
datasets::Sound convert_to_sound(const models::Prior& prior, const at::Tensor& picture,
                                 std::uint64_t seed);

/// Throws a UsageError if the name ends in none of `endings` (".png", ...).
void check_ending(const std::filesystem::path& out, const std::vector<std::string>& endings);
/// Throws an Error that names `what` if a value is not finite.
void check_finite(const at::Tensor& x, const std::string& what);

}  // namespace reprise::reproduce
