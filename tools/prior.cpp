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
#include "tools/prior_use.h"
#include "tools/tools.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr std::int64_t batch = 32;  // items at once: memory, not result

struct SampleOptions {
  fs::path prior, out;
  std::vector<std::string> labels;
  std::int64_t count = 8, steps = 18;
  double guidance = 1;
  std::uint64_t seed = 0;
  std::string device = "auto";
};

struct InvertOptions {
  std::vector<fs::path> images;
  fs::path prior, out;
  double sigma = 0;
  std::string method = "backprop", device = "auto";
  bool resize = false;
  std::uint64_t seed = 0;
};

/// Unit noise of items first .. first + n - 1, each from a stream of its own: an item does not
/// depend on how many there are.
at::Tensor noise_of_items(const models::Prior& prior, const char* stream, std::uint64_t seed,
                          std::int64_t first, std::int64_t n) {
  const Random streams(seed);
  std::vector<at::Tensor> all;
  for (auto i = first; i < first + n; ++i)
    all.push_back(models::draw_unit_noise(
        torch::empty(prior.metadata.item),
        training::torch_generator(streams.split(stream, i).below(INT64_MAX))));
  return at::stack(all);
}

/// The kind of file that holds all samples: its endings, the first that of a sample's own file.
std::vector<std::string> list_endings(models::ItemKind kind) {
  if (kind == models::ItemKind::Videos) return {".avi", ".mp4", ".gif"};
  return {kind == models::ItemKind::Images ? ".png" : ".wav"};
}

bool is_folder(const fs::path& out) { return fs::is_directory(out) || !out.has_extension(); }

at::Tensor drawn(const models::Prior& prior, const SampleOptions& options,
                 const at::Tensor& labels) {
  const auto D = denoiser_for(prior, options.guidance, labels.defined());
  const at::Device device(options.device);
  const auto n =
      options.count * std::max<std::int64_t>(1, static_cast<std::int64_t>(options.labels.size()));
  const auto sampler = models::make_sampler_options(prior, options.steps);
  training::Progress progress(stderr, "sample");
  std::vector<at::Tensor> all;
  for (std::int64_t i = 0; i < n; i += batch) {
    progress.update(static_cast<double>(i) / static_cast<double>(n), fmt::format("{} of {}", i, n));
    const auto noise =
        noise_of_items(prior, "sample", options.seed, i, std::min(batch, n - i)).to(device);
    const auto part = labels.defined() ? labels.slice(0, i, i + batch).to(device) : labels;
    all.push_back(models::edm_sample(*D, noise * sampler.sigma_max, sampler, {}, part).cpu());
  }
  return at::cat(all);
}

void write_one(const models::Prior& prior, const fs::path& path, const at::Tensor& item,
               std::uint64_t seed) {
  if (prior.metadata.kind == models::ItemKind::Sounds)
    return datasets::write_wav(path, sound_of_item(prior, item, seed));
  const auto frames = frames_of(prior, item.unsqueeze(0))[0];
  if (prior.metadata.kind == models::ItemKind::Images) return datasets::write_png(path, frames[0]);
  write_animation(path, frames, frames_per_second);
}

/// All in one file: pictures and videos beside each other, sounds one after another with a short
/// silence between.
void write_all(const models::Prior& prior, const fs::path& path, const at::Tensor& items,
               std::uint64_t seed) {
  if (prior.metadata.kind != models::ItemKind::Sounds) {
    const auto sheet = side_by_side(frames_of(prior, items));
    return prior.metadata.kind == models::ItemKind::Images
               ? datasets::write_png(path, sheet[0].contiguous())
               : write_animation(path, sheet, frames_per_second);
  }
  std::vector<at::Tensor> samples;
  int rate = 0;
  for (std::int64_t i = 0; i < items.size(0); ++i) {
    const auto sound = sound_of_item(prior, items[i], seed + static_cast<std::uint64_t>(i));
    rate = sound.rate;
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

void sample(const Call& call, SampleOptions options) {
  options.device = chosen_device(options.device);
  const auto prior = prior_for_use(options.prior, options.device);
  const auto rows = labels_of(prior, options.labels);
  const auto labels = rows.defined() ? rows.repeat_interleave(options.count, 0) : rows;
  denoiser_for(prior, options.guidance, labels.defined());
  if (!is_folder(options.out)) check_ending(options.out, list_endings(prior.metadata.kind));
  const auto count = options.count * std::max<std::int64_t>(1, std::ssize(options.labels));
  for (std::int64_t i = 0; i < count && is_folder(options.out); ++i)
    expect_output(sample_file(prior, options, i));
  const auto items = drawn(prior, options, labels);
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

/// An image and the files that are written for it.
struct Inverted {
  fs::path image, latent, picture;
};

/// UsageError: an image that is not there; two with one name; an output that may not be written.
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

/// The images that can be read, one after another; `files` keeps theirs.
at::Tensor read_all(const InvertOptions& options, const models::Prior& prior,
                    std::vector<Inverted>& files, DamagedInputs& damaged) {
  const auto& item = prior.metadata.item;
  std::vector<at::Tensor> images;
  std::vector<Inverted> good;
  for (const auto& file : files) {
    at::Tensor picture;
    if (!damaged.try_to_read([&] { picture = datasets::read_image(file.image); })) continue;
    good.push_back(file);
    try {
      images.push_back(item_of_picture(picture, file.image.string(), item[0], item[1], item[2],
                                       options.resize ? Size::Resized : Size::Exact));
    } catch (const UsageError& error) {
      throw UsageError(
          error.problem(),
          error.fix() + "; --resize takes the central part of an image to the prior's size");
    }
  }
  files = good;
  return images.empty() ? at::Tensor() : at::cat(images);
}

/// The level of the noise in each latent over sigma. D's own error is measured on the same images
/// with true noise, eight times each.
std::vector<double> levels_of(const models::Prior& prior, const at::Tensor& x_0,
                              const at::Tensor& x_sigma, double sigma, std::uint64_t seed) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t times = 8;
  std::vector<double> levels;
  for (std::int64_t i = 0; i < x_0.size(0); ++i) {
    const auto noise = noise_of_items(prior, "level", seed, i * times, times).to(x_0.device());
    const auto error =
        models::mmse(*prior.D, x_0.slice(0, i, i + 1).expand_as(noise), sigma, noise);
    levels.push_back(
        models::noise_level(*prior.D, x_sigma.slice(0, i, i + 1), sigma, error).item<double>() /
        sigma);
  }
  return levels;
}

void invert(Call& call, InvertOptions options) {
  options.device = chosen_device(options.device);
  const models::InversionOptions inversion{.method =
                                               models::find_inversion(options.method).algorithm};
  const auto prior = prior_for_use(options.prior, options.device);
  if (prior.metadata.kind != models::ItemKind::Images)
    throw UsageError(fmt::format("{} knows {}, and images are inverted", options.prior.string(),
                                 models::name_of(prior.metadata.kind)),
                     "give a prior of images");
  models::check_level(prior, options.sigma);
  if (models::find_inversion_method(inversion.method).climbs &&
      options.sigma <= inversion.sigma_min)
    throw UsageError(fmt::format("--method {} begins at sigma = {}, which is not below {}",
                                 options.method, inversion.sigma_min, options.sigma),
                     "give a higher --sigma, or another method");
  auto files = list_images(options);
  DamagedInputs damaged;
  auto x_0 = read_all(options, prior, files, damaged);
  damaged.finish(call, files.size());
  x_0 = x_0.to(at::Device(options.device));
  models::check_items(prior, x_0);

  const auto n = x_0.size(0);
  training::Progress progress(stderr, "invert");
  std::vector<at::Tensor> latents, says;
  for (std::int64_t i = 0; i < n; i += batch) {
    progress.update(static_cast<double>(i) / static_cast<double>(n), fmt::format("{} of {}", i, n));
    const auto part = x_0.slice(0, i, i + batch);
    const auto noise =
        noise_of_items(prior, "invert", options.seed, i, part.size(0)).to(part.device());
    latents.push_back(models::invert(*prior.D, part, options.sigma, inversion, noise));
    const torch::NoGradGuard no_grad;
    says.push_back((*prior.D)(latents.back(), options.sigma));
  }
  const auto x_sigma = at::cat(latents), seen = at::cat(says);
  check_finite(x_sigma, "a latent by " + options.method);
  check_finite(seen, "what a latent says");
  const auto psnr = metrics::psnr(seen.clamp(-1, 1), x_0, 2).clamp_max(99);
  const auto levels = levels_of(prior, x_0, x_sigma, options.sigma, options.seed);
  const auto pictures = frames_of(prior, seen);
  json items = json::array();
  std::string text;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto& [file, latent, picture] = files[static_cast<std::size_t>(i)];
    const auto image = file.string();
    const auto decibels = psnr[i].item<double>(), level = levels[static_cast<std::size_t>(i)];
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
  auto* verb = add_verb(
      app, "sample",
      "Draw pictures, videos or sounds from a trained diffusion prior. By EDM's sampler (Heun), as PNG, AVI or WAV. Sample number i of a seed is the same however many are asked for, to rounding: a pixel may differ by one gray level.",
      "reprise sample --prior digits.safetensors --label 3 --label 7 --count 4 "
      "--guidance 1.5 --out digits.png\n"
      "  reprise sample --prior solids.safetensors --label 'a red cube' --out cubes/");
  const auto options = std::make_shared<SampleOptions>();
  verb->add_option("--prior", options->prior,
                   "prior.safetensors of a cell prior/WORLD/edm of study langevin")
      ->required();
  verb->add_option(
          "--label", options->labels,
          "a class, or a text in the prior's words; a wrong one lists what the prior knows; left out: anything")
      ->allow_extra_args(false);
  verb->add_option("--count", options->count, "samples of each label")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  verb->add_option("--guidance", options->guidance,
                   "w of D + (w - 1) (D - D without label): above 1, more of what the label says")
      ->capture_default_str();
  verb->add_option("--steps", options->steps, "N of the sampler")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  check_seed(verb->add_option("--seed", options->seed, "seed of the noise")->capture_default_str());
  verb->add_option("--device", options->device, "where to compute")
      ->type_name(device_type)
      ->capture_default_str();
  add_output(
      *verb, "--out", options->out,
      "a folder, for a file a sample; or one file for all: .png (images), .avi, .mp4 or .gif (videos), .wav (sounds)")
      ->required();
  verb->callback([options, &call] { sample(call, *options); });
}

void add_invert(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, "invert",
      "Invert images to noisy latents x_sigma of a prior. Written for each: NAME.npy, the latent (float32, [C, H, W]), and "
      "NAME.png, D(x_sigma). Printed for each: the PSNR of D(x_sigma), and the measured noise level divided by sigma (1: as the "
      "prior expects it).",
      "reprise invert me.png you.png --prior prior.safetensors --sigma 1 --out latents/\n"
      "reprise invert photos/ --prior prior.safetensors --sigma 1 --resize --out latents/");
  const auto options = std::make_shared<InvertOptions>();
  verb->add_option(
          "IMAGE", options->images,
          "images of the prior's size, or folders of them, as they are shown: turned as their camera was held, transparent pixels over "
          "white; colours become gray for a prior of gray ones")
      ->required();
  verb->add_option("--prior", options->prior, "prior.safetensors of a prior of images")->required();
  verb->add_option(
          "--sigma", options->sigma,
          "the level of the noise, within those that the prior was trained on; images are in [-1, 1]")
      ->required();
  verb->add_option(
          "--method", options->method,
          "how images are inverted. naive: noise added; ode: the probability-flow ODE upwards; noised_ode: the same from sigma_min "
          "epsilon; backprop: naive, then Adam on the denoised image")
      ->type_name(join(models::inversion_names(), "|"))
      ->capture_default_str();
  verb->add_flag("--resize", options->resize,
                 "bring the central part of each image to the prior's size");
  check_seed(verb->add_option("--seed", options->seed, "seed of the noise")->capture_default_str());
  verb->add_option("--device", options->device, "where to compute")
      ->type_name(device_type)
      ->capture_default_str();
  add_output(*verb, "--out", options->out, "the folder to write to")->required();
  verb->callback([options, &call] { invert(call, *options); });
}

}  // namespace reprise::reproduce
