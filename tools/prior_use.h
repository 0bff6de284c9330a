// A trained prior in a user's hands: what `reprise sample`, `invert` and `generate` share. Files
// become items of a prior, and its items pictures, videos and sounds.
//
//     kind      item          what it is
//     images    [C, H, W]     C = 1, gray, or 3, RGB
//     videos    [3 T, H, W]   T frames, one after another in the channels; shown at frames_per_second
//     sounds    [1, B, T]     a spectrogram (datasets/transforms/spectrogram.h): B mel bands, T frames, at the prior's "rate" of samples a
//     second
// Values are in [-1, 1]; what leaves that is cut off where it is shown.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/formats/wav.h"
#include "models/diffusion/prior.h"

namespace reprise::reproduce {

inline constexpr double frames_per_second = 8;

/// A prior file, on `device`. UsageError: as models::load_prior(); weights that are not finite;
/// items that are none of the above.
models::Prior prior_for_use(const std::filesystem::path& path, const std::string& device);

/// models::parse_label() of each, a row each: [n] or [n, words], texts filled up with 0. Not
/// defined for none.
at::Tensor labels_of(const models::Prior& prior, const std::vector<std::string>& asked);

/// D, or D guided. UsageError: a guidance other than 1 without a label, which would change nothing;
/// one that is not finite.
std::shared_ptr<models::Denoiser> denoiser_for(const models::Prior& prior, double guidance,
                                               bool labelled);

enum class Size { Exact, Resized };
/// A picture as [1, C, height, width]. C = 1: gray. Resized: the largest central part of that
/// shape, brought to the size by its mean where it shrinks, bilinearly where it grows. UsageError:
/// as datasets::read_image(); a picture of another size (both named) with Exact.
at::Tensor read_item(const std::filesystem::path& path, std::int64_t channels, std::int64_t height,
                     std::int64_t width, Size size);
/// The same of a picture that was read; `name` is for messages. UsageError: a picture of another
/// size with Exact.
at::Tensor item_of_picture(const at::Tensor& image, const std::string& name, std::int64_t channels,
                           std::int64_t height, std::int64_t width, Size size);

/// Items of images or videos as frames: [N, T, H, W, 3], uint8; T = 1 of images.
at::Tensor frames_of(const models::Prior& prior, const at::Tensor& items);
/// [N, T, H, W, 3] -> [T, .., .., 3]: all beside each other, in rows of about as many as there are
/// rows, with a gray line between.
at::Tensor side_by_side(const at::Tensor& frames);
/// frames: [T, H, W, 3]. By the ending: .avi and .mp4 (datasets/formats/video_files.h), .gif. Small
/// frames are enlarged to 128 pixels or more, each pixel a square. Error: the file cannot be
/// written.
void write_animation(const std::filesystem::path& path, const at::Tensor& frames, double rate);

/// picture: [1, B, T], T as long as it likes. Phases are drawn from `seed`.
datasets::Sound sound_of_item(const models::Prior& prior, const at::Tensor& picture,
                              std::uint64_t seed);

/// UsageError: the name ends in none of `endings` (".png", ...).
void check_ending(const std::filesystem::path& out, const std::vector<std::string>& endings);
/// Error: values that are not finite; `what` has them.
void check_finite(const at::Tensor& x, const std::string& what);

}  // namespace reprise::reproduce
