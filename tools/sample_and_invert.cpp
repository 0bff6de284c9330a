#include <fmt/format.h>
#include <torch/torch.h>

#include <memory>

#include "core/error.h"
#include "core/outputs.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/formats/npy.h"
#include "experiments/run/device.h"
#include "metrics/image_quality.h"
#include "models/diffusion/methods.h"
#include "models/diffusion/noise_level.h"
#include "tools/media_inputs.h"
#include "tools/prior_items.h"
#include "tools/tools.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

// Items per pass of the network. It limits the memory; items are independent, so that it changes
// results by rounding only.
constexpr std::int64_t batch = 32;

struct SampleOptions {
  fs::path prior;
  fs::path out;
  std::vector<std::string> labels;
  std::int64_t count = 8;
  std::int64_t steps = 18;
  double guidance = 1;
  std::uint64_t seed = 0;
  std::string device = "auto";
};

struct InvertOptions {
  std::vector<fs::path> images;
  fs::path prior;
  fs::path out;
  double sigma = 0;
  std::string method = "backprop";
  std::string device = "auto";
  bool resize = false;
  std::uint64_t seed = 0;
};

/// Draws unit noise for items first .. first + n - 1. Each item has a separate random stream, so
/// that it does not depend on the number of items.
at::Tensor draw_item_noise(const models::Prior& prior, const char* stream, std::uint64_t seed,
                           std::int64_t first, std::int64_t n) {
  const Random streams(seed);
  std::vector<at::Tensor> all;
  for (auto i = first; i < first + n; ++i)
    all.push_back(models::draw_unit_noise(
        torch::empty(prior.metadata.item),
        training::torch_generator(streams.split(stream, i).below(INT64_MAX))));
  return at::stack(all);
}

/// Lists the endings of a file for all samples. The first one is also that of single samples.
std::vector<std::string> list_endings(models::ItemKind kind) {
  if (kind == models::ItemKind::Videos) return {".avi", ".mp4", ".gif"};
  return {kind == models::ItemKind::Images ? ".png" : ".wav"};
}

/// Returns whether --out means a folder: an existing one, or a name without an ending.
bool is_folder(const fs::path& out) { return fs::is_directory(out) || !out.has_extension(); }

at::Tensor draw_samples(const models::Prior& prior, const SampleOptions& options,
                        const at::Tensor& labels) {
  const auto D = make_denoiser(prior, options.guidance, labels.defined());
  const at::Device device(options.device);
  const auto n =
      options.count * std::max<std::int64_t>(1, static_cast<std::int64_t>(options.labels.size()));
  const auto sampler = models::make_sampler_options(prior, options.steps);
  training::Progress progress(stderr, "sample");
  std::vector<at::Tensor> all;
  for (std::int64_t i = 0; i < n; i += batch) {
    progress.update(static_cast<double>(i) / static_cast<double>(n), fmt::format("{} of {}", i, n));
    const auto noise =
        draw_item_noise(prior, "sample", options.seed, i, std::min(batch, n - i)).to(device);
    const auto part = labels.defined() ? labels.slice(0, i, i + batch).to(device) : labels;
    all.push_back(models::edm_sample(*D, noise * sampler.sigma_max, sampler, {}, part).cpu());
  }
  return at::cat(all);
}

void write_one(const models::Prior& prior, const fs::path& path, const at::Tensor& item,
               std::uint64_t seed) {
  if (prior.metadata.kind == models::ItemKind::Sounds)
    return datasets::write_wav(path, convert_to_sound(prior, item, seed));
  const auto frames = convert_to_frames(prior, item.unsqueeze(0))[0];
  if (prior.metadata.kind == models::ItemKind::Images) return datasets::write_png(path, frames[0]);
  write_animation(path, frames, frames_per_second);
}

/// Writes all items into one file: a grid of pictures or videos, or sounds in sequence with 0.2 s
/// of silence between.
void write_all(const models::Prior& prior, const fs::path& path, const at::Tensor& items,
               std::uint64_t seed) {
  if (prior.metadata.kind != models::ItemKind::Sounds) {
    const auto sheet = arrange_in_grid(convert_to_frames(prior, items));
    return prior.metadata.kind == models::ItemKind::Images
               ? datasets::write_png(path, sheet[0].contiguous())
               : write_animation(path, sheet, frames_per_second);
  }
  std::vector<at::Tensor> samples;
  int rate = 0;
  for (std::int64_t i = 0; i < items.size(0); ++i) {
    const auto sound = convert_to_sound(prior, items[i], seed + static_cast<std::uint64_t>(i));
    // All sounds of a prior have one rate.
    rate = sound.rate;
    // A fifth of a second of silence between two sounds.
    if (i > 0) samples.push_back(torch::zeros({rate / 5}));
    samples.push_back(sound.samples);
  }
  datasets::write_wav(path, {at::cat(samples), rate});
}

fs::path sample_file(const models::Prior& prior, const SampleOptions& options, std::int64_t i) {
  return options.out /
         fmt::format("sample-{:04}{}", i + 1, list_endings(prior.metadata.kind).front());
}

std::vector<std::string> write_samples(const models::Prior& prior, const SampleOptions& options,
                                       const at::Tensor& items) {
  if (!is_folder(options.out)) {
    write_all(prior, options.out, items, options.seed);
    return {options.out.string()};
  }
  std::vector<std::string> files;
  for (std::int64_t i = 0; i < items.size(0); ++i) {
    const auto path = sample_file(prior, options, i);
    write_one(prior, path, items[i], options.seed + static_cast<std::uint64_t>(i));
    files.push_back(path.string());
  }
  return files;
}

/// Draws and writes the samples. All checks of options and outputs come before the sampling.
void sample(const Call& call, SampleOptions options) {
  options.device = choose_device(options.device);
  const auto prior = load_usable_prior(options.prior, options.device);
  const auto rows = parse_labels(prior, options.labels);
  // --count samples of the first label, then of the second, and so on.
  const auto labels = rows.defined() ? rows.repeat_interleave(options.count, 0) : rows;
  make_denoiser(prior, options.guidance, labels.defined());
  if (!is_folder(options.out)) check_ending(options.out, list_endings(prior.metadata.kind));
  const auto count = options.count * std::max<std::int64_t>(1, std::ssize(options.labels));
  // Samples in a folder have a file each. All must be writable before the sampling begins.
  for (std::int64_t i = 0; i < count && is_folder(options.out); ++i)
    expect_output(sample_file(prior, options, i));
  const auto items = draw_samples(prior, options, labels);
  check_finite(items, "a sample of " + options.prior.string());
  const auto files = write_samples(prior, options, items);
  json asked = json::array();
  std::string text = fmt::format("{}: {} {} of {}\n", options.out.string(), items.size(0),
                                 models::name_of(prior.metadata.kind), prior.metadata.data);
  for (std::size_t i = 0; i < options.labels.size(); ++i) {
    const auto first = static_cast<std::int64_t>(i) * options.count + 1;
    asked.push_back(options.labels[i]);
    text += fmt::format("{} to {}: {}\n", first, first + options.count - 1, options.labels[i]);
  }
  call.answer({{"files", files},
               {"kind", models::name_of(prior.metadata.kind)},
               {"data", prior.metadata.data},
               {"labels", asked},
               {"count", items.size(0)}},
              text);
}

/// An image and its output files.
struct Inverted {
  fs::path image;
  fs::path latent;
  fs::path picture;
};

/// Lists the images. Throws a UsageError if an image does not exist, two have the same name, or an
/// output must not be written.
std::vector<Inverted> list_images(const InvertOptions& options) {
  const auto inputs = list_inputs(options.images, datasets::Media::Pictures);
  std::vector<Inverted> all;
  std::vector<fs::path> names;
  for (const auto& input : inputs) {
    const auto name = options.out / fs::path(input.name).replace_extension();
    names.push_back(name);
    reprise::note_input(input.file);  // of core/outputs.h
    all.push_back(
        {.image = input.file, .latent = name.string() + ".npy", .picture = name.string() + ".png"});
  }
  require_distinct_outputs(inputs, names);
  for (const auto& files : all) {
    expect_output(files.latent);
    expect_output(files.picture);
  }
  return all;
}

/// Reads the images into one tensor. Removes damaged images from `files`.
at::Tensor read_all(const InvertOptions& options, const models::Prior& prior,
                    std::vector<Inverted>& files, DamagedInputs& damaged) {
  const auto& item = prior.metadata.item;
  std::vector<at::Tensor> images;
  std::vector<Inverted> good;
  for (const auto& file : files) {
    at::Tensor picture;
    // A damaged image is left out and reported; a wrong size is an error of the command line.
    if (!damaged.try_to_read([&] { picture = datasets::read_image(file.image); })) continue;
    good.push_back(file);
    try {
      images.push_back(convert_to_item(picture, file.image.string(), item[0], item[1], item[2],
                                       options.resize ? Size::Resized : Size::Exact));
    } catch (const UsageError& error) {
      throw UsageError(
          error.problem(),
          error.fix() + ", or add --resize, which crops and resizes it to the prior's size");
    }
  }
  // The outputs then match the rows of the tensor.
  files = good;
  return images.empty() ? at::Tensor() : at::cat(images);
}

/// Measures the noise level of each latent, divided by sigma. D's error is measured on the same
/// images with true noise.
std::vector<double> measure_noise_levels(const models::Prior& prior, const at::Tensor& x_0,
                                         const at::Tensor& x_sigma, double sigma,
                                         std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t times = 8;  // noise samples per image
  std::vector<double> levels;
  for (std::int64_t i = 0; i < x_0.size(0); ++i) {
    const auto noise = draw_item_noise(prior, "level", seed, i * times, times).to(x_0.device());
    const auto error =
        models::mmse(*prior.D, x_0.slice(0, i, i + 1).expand_as(noise), sigma, noise);
    // 1 means that the latent has exactly the noise of level sigma.
    levels.push_back(
        models::noise_level(*prior.D, x_sigma.slice(0, i, i + 1), sigma, error).item<double>() /
        sigma);
  }
  return levels;
}

/// Inverts the images and writes their latents and denoised pictures.
void invert(Call& call, InvertOptions options) {
  options.device = choose_device(options.device);
  const models::InversionOptions inversion{.method =
                                               models::find_inversion(options.method).algorithm};
  const auto prior = load_usable_prior(options.prior, options.device);
  if (prior.metadata.kind != models::ItemKind::Images)
    throw UsageError(fmt::format("{} is a prior of {}, and only images can be inverted",
                                 options.prior.string(), models::name_of(prior.metadata.kind)),
                     "give a prior of images");
  models::check_level(prior, options.sigma);
  if (models::find_inversion_method(inversion.method).climbs &&
      options.sigma <= inversion.sigma_min)
    throw UsageError(fmt::format("--method {} starts at sigma = {}, which is not below --sigma {}",
                                 options.method, inversion.sigma_min, options.sigma),
                     "give a higher --sigma, or another method");
  // Inputs and outputs are checked before any image is read.
  auto files = list_images(options);
  DamagedInputs damaged;
  auto x_0 = read_all(options, prior, files, damaged);
  damaged.finish(call, files.size());
  x_0 = x_0.to(at::Device(options.device));
  models::check_items(prior, x_0);

  const auto n = x_0.size(0);
  training::Progress progress(stderr, "invert");
  std::vector<at::Tensor> latents;
  std::vector<at::Tensor> denoised_parts;
  for (std::int64_t i = 0; i < n; i += batch) {
    progress.update(static_cast<double>(i) / static_cast<double>(n), fmt::format("{} of {}", i, n));
    const auto part = x_0.slice(0, i, i + batch);
    const auto noise =
        draw_item_noise(prior, "invert", options.seed, i, part.size(0)).to(part.device());
    latents.push_back(models::invert(*prior.D, part, options.sigma, inversion, noise));
    const torch::NoGradGuard no_grad;
    // What D sees in the latent, to compare with the image.
    denoised_parts.push_back((*prior.D)(latents.back(), options.sigma));
  }
  const auto x_sigma = at::cat(latents);
  const auto denoised = at::cat(denoised_parts);
  // Divergence is an error here: nothing is written.
  check_finite(x_sigma, "a latent by " + options.method);
  check_finite(denoised, "a denoised latent");
  // The PSNR of an exact inversion is infinite, and JSON has no infinity: 99 dB stands in its place.
  const auto psnr = metrics::psnr(denoised.clamp(-1, 1), x_0, 2).clamp_max(99);
  const auto levels = measure_noise_levels(prior, x_0, x_sigma, options.sigma, options.seed);
  const auto pictures = convert_to_frames(prior, denoised);
  json items = json::array();
  std::string text;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& [file, latent, picture] = files[static_cast<std::size_t>(i)];
    const auto image = file.string();
    const auto decibels = psnr[i].item<double>();
    const auto level = levels[static_cast<std::size_t>(i)];
    datasets::write_npy(latent, x_sigma[i].to(at::kFloat).cpu().contiguous());
    datasets::write_png(picture, pictures[i][0]);
    items.push_back({{"image", image},
                     {"latent", latent.string()},
                     {"picture", picture.string()},
                     {"psnr", decibels},
                     {"level", level}});
    text += fmt::format("{}: PSNR {:.2f} dB, level {:.3f} of sigma: {}\n", image, decibels, level,
                        latent.string());
  }
  call.answer({{"sigma", options.sigma},
               {"method", options.method},
               {"items", items},
               {"damaged", damaged.as_json()}},
              text);
}

}  // namespace

void add_sample(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "sample",
      "Draw pictures, videos or sounds from a trained diffusion prior. Uses the Heun "
      "sampler of EDM and writes PNG, AVI or WAV. Sample i of a seed does not depend on "
      "--count, up to rounding: a pixel may differ by one gray level.",
      "reprise sample --prior digits.safetensors --label 3 --label 7 --count 4 "
      "--guidance 1.5 --out digits.png\n"
      "reprise sample --prior solids.safetensors --label 'a red cube' --out cubes/");
  const auto options = std::make_shared<SampleOptions>();
  verb->add_option("--prior", options->prior,
                   "trained prior: prior.safetensors of a cell prior/SET/edm of study langevin")
      ->required();
  verb->add_option(
          "--label", options->labels,
          "class, or text in the prior's words (default: no label). A wrong label lists the "
          "known ones")
      ->allow_extra_args(false);
  verb->add_option("--count", options->count, "samples per label")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  verb->add_option(
          "--guidance", options->guidance,
          "weight w in D + (w - 1) (D - D without label). Above 1 it strengthens the label")
      ->capture_default_str();
  verb->add_option("--steps", options->steps, "steps N of the sampler")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  check_seed(verb->add_option("--seed", options->seed, "seed of the noise")->capture_default_str());
  add_device(*verb, options->device);
  add_output(
      *verb, "--out", options->out,
      "folder for one file per sample, or one file for all samples. Images: .png. Videos: .avi, "
      ".mp4 or .gif. Sounds: .wav")
      ->required();
  verb->callback([options, &call] { sample(call, *options); });
}

void add_invert(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "invert",
      "Invert images to noisy latents x_sigma of a diffusion prior. Writes NAME.npy, the "
      "latent (float32, [C, H, W]), and NAME.png, D(x_sigma). Prints the PSNR of "
      "D(x_sigma) and the measured noise level divided by sigma (1: as the prior expects).",
      "reprise invert me.png you.png --prior prior.safetensors --sigma 1 --out latents/\n"
      "reprise invert photos/ --prior prior.safetensors --sigma 1 --resize --out latents/");
  const auto options = std::make_shared<InvertOptions>();
  verb->add_option("IMAGE", options->images,
                   "images of the prior's size, or folders of them. Orientation tags are applied, "
                   "transparent pixels are put on white, and a gray prior gets gray images")
      ->required();
  verb->add_option("--prior", options->prior, "trained prior of images, prior.safetensors")
      ->required();
  verb->add_option("--sigma", options->sigma,
                   "noise level, within the prior's training range; images are in [-1, 1]")
      ->required();
  verb->add_option(
          "--method", options->method,
          "inversion method. naive: adds noise. ode: follows the probability-flow ODE upwards. "
          "noised_ode: the same from sigma_min epsilon. backprop: naive, then Adam on the "
          "denoised image")
      ->type_name(join(models::inversion_names(), "|"))
      ->capture_default_str();
  verb->add_flag("--resize", options->resize,
                 "crop the centre of each image and resize it to the prior's size");
  check_seed(verb->add_option("--seed", options->seed, "seed of the noise")->capture_default_str());
  add_device(*verb, options->device);
  add_output(*verb, "--out", options->out, "folder to write")->required();
  verb->callback([options, &call] { invert(call, *options); });
}

}  // namespace reprise::reproduce
