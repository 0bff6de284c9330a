#include "tools/prior_items.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/gif.h"
#include "datasets/formats/images.h"
#include "datasets/formats/video_files.h"
#include "datasets/transforms/spectrogram.h"
#include "tools/media_inputs.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t least_shown = 128;  // shortest side of an animation, pixels

/// Returns the options of the prior's spectrograms: its number of bands and its "rate".
datasets::SpectrogramOptions make_spectrogram_options(const models::Prior& prior) {
  const auto rate = prior.metadata.measures.find("rate");
  datasets::SpectrogramOptions options{.bands = prior.metadata.item[1]};
  if (rate != prior.metadata.measures.end()) options.rate = static_cast<int>(rate->second);
  return options;
}

/// Throws a UsageError if items of this kind cannot have the prior's shape.
void check_kind(const models::Prior& prior, const std::string& where) {
  using models::ItemKind;
  const auto& [kind, item] = std::pair(prior.metadata.kind, prior.metadata.item);
  const auto channels = item[0];
  const bool sides = item[1] > 0 && item[2] > 0;
  const bool fits = (kind == ItemKind::Images && (channels == 1 || channels == 3)) ||
                    (kind == ItemKind::Videos && channels > 0 && channels % 3 == 0) ||
                    (kind == ItemKind::Sounds && channels == 1 && item[2] > 1);
  if (!fits || !sides)
    throw UsageError(
        fmt::format("{}: a prior of \"{}\" with items of shape [{}]", where, models::name_of(kind),
                    fmt::join(item, ", ")),
        "give one of images [1 or 3, H, W], videos [3 frames, H, W] or sounds [1, bands, frames]");
  if (kind == ItemKind::Sounds)
    datasets::mel_filters(make_spectrogram_options(prior));  // throws if the bands are impossible
}

/// Crops the largest central part of x [1, C, H, W] with the aspect ratio of height x width.
at::Tensor crop_centre(const at::Tensor& x, std::int64_t height, std::int64_t width) {
  const auto part = [](std::int64_t side, std::int64_t other, double ratio) {
    return std::clamp<std::int64_t>(std::llround(static_cast<double>(other) * ratio), 1, side);
  };
  const double ratio = static_cast<double>(height) / static_cast<double>(width);
  // One of both sides keeps its full length.
  const auto h = part(x.size(2), x.size(3), ratio);
  const auto w = part(x.size(3), x.size(2), 1 / ratio);
  return x.narrow(2, (x.size(2) - h) / 2, h).narrow(3, (x.size(3) - w) / 2, w);
}

}  // namespace

models::Prior load_usable_prior(const fs::path& path, const std::string& device) {
  auto prior = models::load_prior(path, at::Device(device));
  check_kind(prior, path.string());
  // A training that diverged can leave such weights.
  for (const auto& [name, weight] : prior.D->named_parameters().pairs())
    if (!at::isfinite(weight).all().item<bool>())
      throw UsageError(fmt::format("{}: {} holds values that are not finite", path.string(), name),
                       "train the prior again: a lower learning rate, or more gradient clipping");
  return prior;
}

at::Tensor parse_labels(const models::Prior& prior, const std::vector<std::string>& asked) {
  std::vector<at::Tensor> rows;
  std::int64_t longest = 0;
  for (const auto& label : asked) {
    rows.push_back(models::parse_label(prior, label));
    if (!rows.back().defined() || rows.back().numel() == 0)
      throw UsageError("a --label is empty", "give a class or a text, or leave out --label");
    longest = std::max(longest, rows.back().size(-1));
  }
  if (rows.empty()) return {};
  // Texts of unequal length are padded by word 0, which means no word.
  if (rows[0].dim() == 2)
    for (auto& row : rows) row = at::constant_pad_nd(row, {0, longest - row.size(1)});
  return at::cat(rows);
}

std::shared_ptr<models::Denoiser> make_denoiser(const models::Prior& prior, double guidance,
                                                bool labelled) {
  if (guidance != 1 && !labelled)
    throw UsageError(fmt::format("--guidance {:g} needs a label", guidance),
                     "give a --label, or leave out --guidance");
  return models::make_guided_denoiser(prior, guidance);
}

at::Tensor read_item(const fs::path& path, std::int64_t channels, std::int64_t height,
                     std::int64_t width, Size size) {
  return convert_to_item(datasets::read_image(path), path.string(), channels, height, width, size);
}

at::Tensor convert_to_item(const at::Tensor& image, const std::string& name, std::int64_t channels,
                           std::int64_t height, std::int64_t width, Size size) {
  if (size == Size::Exact && (image.size(0) != height || image.size(1) != width))
    throw UsageError(fmt::format("{} has {} x {} pixels, expected {} x {}", name, image.size(1),
                                 image.size(0), width, height),
                     "resize it to that size");
  // A prior of gray items reads colour pictures as gray.
  const auto pixels = channels == 1 ? datasets::to_gray(image).unsqueeze(2) : image;
  const auto x = datasets::to_values(pixels.permute({2, 0, 1}).unsqueeze(0));
  if (image.size(0) == height && image.size(1) == width) return x.contiguous();
  return at::_upsample_bilinear2d_aa(crop_centre(x, height, width).contiguous(), {height, width},
                                     /*align_corners=*/false);
}

at::Tensor convert_to_frames(const models::Prior& prior, const at::Tensor& items) {
  const auto channels = prior.metadata.item[0] == 1 ? 1 : 3;
  // Frames lie in the channels, [N, 3 T, H, W]; gray items get three equal channels.
  const auto frames =
      items.unflatten(1, std::vector<std::int64_t>{-1, channels}).expand({-1, -1, 3, -1, -1});
  return datasets::to_pixels(frames).permute({0, 1, 3, 4, 2}).cpu().contiguous();
}

at::Tensor arrange_in_grid(const at::Tensor& frames) {
  constexpr int gray = 128;
  const auto n = frames.size(0);
  const auto height = frames.size(2);
  const auto width = frames.size(3);
  const auto columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n))));
  const auto rows = (n + columns - 1) / columns;
  // Gray lines of one pixel separate the items.
  auto sheet = at::full({frames.size(1), rows * (height + 1) - 1, columns * (width + 1) - 1, 3},
                        gray, at::kByte);
  for (std::int64_t i = 0; i < n; ++i)
    sheet.narrow(1, i / columns * (height + 1), height)
        .narrow(2, i % columns * (width + 1), width)
        .copy_(frames[i]);
  return sheet;
}

void write_animation(const fs::path& path, const at::Tensor& frames, double rate) {
  const auto shorter = std::min(frames.size(1), frames.size(2));
  // Whole multiples keep pixels sharp.
  const auto times = (least_shown + shorter - 1) / shorter;
  const auto large = frames.repeat_interleave(times, 1).repeat_interleave(times, 2).contiguous();
  if (path.extension() == ".gif") return datasets::write_gif(path, large, rate);
  datasets::VideoWriter video(path, rate);
  for (const auto& frame : large.unbind(0)) video.write(frame);
  close_video(video);
}

datasets::Sound convert_to_sound(const models::Prior& prior, const at::Tensor& picture,
                                 std::uint64_t seed) {
  const auto options = make_spectrogram_options(prior);
  return {
      .samples = datasets::reconstruct_sound(picture[0].cpu().contiguous(), options, Random(seed)),
      .rate = options.rate};
}

void check_ending(const fs::path& out, const std::vector<std::string>& endings) {
  if (std::find(endings.begin(), endings.end(), out.extension().string()) == endings.end())
    throw UsageError("--out " + out.string() + ": unknown file format",
                     "end its name in " + join(endings, " or "));
}

void check_finite(const at::Tensor& x, const std::string& what) {
  if (!at::isfinite(x).all().item<bool>())
    throw Error(what + " has values that are not finite",
                "lower --guidance, or choose other noise levels or another method");
}

}  // namespace reprise::reproduce
