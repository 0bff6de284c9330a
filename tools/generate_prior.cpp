#include "tools/generate_prior.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/error.h"
#include "core/file_lock.h"
#include "core/say.h"
#include "core/sha256.h"
#include "core/text.h"
#include "datasets/formats/images.h"
#include "datasets/generators/solids.h"
#include "experiments/names.h"
#include "experiments/run/device.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "models/representations/canvas.h"
#include "models/representations/coordinate_images.h"
#include "models/representations/radiance_field.h"
#include "tools/help.h"
#include "tools/prior_items.h"
#include "tools/resumable_synthesis.h"
#include "tools/sample_checks.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

enum class Shape { Picture, Panorama, Painting, Field, Video, Sound };

/// A form of result (--representation), the options that it takes, and their defaults.
struct Form {
  std::string name;
  Shape shape;
  models::ItemKind kind;                             ///< kind of the priors that fit
  std::vector<std::string> endings;                  ///< endings of --out
  bool length = false, from = false, known = false;  ///< takes this option
  /// Default sigma of the last round. Fitted networks (mlp, nerf) cannot represent finer noise.
  double last = 0.05;
  /// Default sigma of the first round. At higher levels overlapping windows disagree and average
  /// to a blank result; in videos that stays so in later rounds.
  double first = 5;
  /// Default guidance with a label. Without guidance the views of a nerf average to a blob.
  double guidance = 1;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> all{{.name = "image",
                                      .shape = Shape::Picture,
                                      .kind = models::ItemKind::Images,
                                      .endings = {".png"},
                                      .from = true,
                                      .known = true},
                                     {.name = "panorama",
                                      .shape = Shape::Panorama,
                                      .kind = models::ItemKind::Images,
                                      .endings = {".png"},
                                      .length = true,
                                      .from = true,
                                      .known = true},
                                     {.name = "mlp",
                                      .shape = Shape::Painting,
                                      .kind = models::ItemKind::Images,
                                      .endings = {".png"},
                                      .from = true,
                                      .last = 0.2},
                                     {.name = "nerf",
                                      .shape = Shape::Field,
                                      .kind = models::ItemKind::Images,
                                      .endings = {".avi", ".mp4", ".gif", ".png"},
                                      .last = 0.2,
                                      .guidance = 4},
                                     {.name = "video",
                                      .shape = Shape::Video,
                                      .kind = models::ItemKind::Videos,
                                      .endings = {".avi", ".mp4", ".gif"},
                                      .length = true,
                                      .first = 2},
                                     {.name = "audio",
                                      .shape = Shape::Sound,
                                      .kind = models::ItemKind::Sounds,
                                      .endings = {".wav"},
                                      .length = true}};
  return all;
}

template <typename Chosen>
std::string list_forms(const Chosen& chosen) {
  std::vector<std::string> names;
  for (const auto& form : forms())
    if (chosen(form)) names.push_back(form.name);
  return join(names, ", ");
}

/// Checks the options as far as that is possible without reading a file.
void check(const PriorOptions& options, const Form& form) {
  const auto refuse = [&](bool given, const char* option, bool Form::*takes) {
    if (given && !(form.*takes))
      throw UsageError(fmt::format("--representation {} takes no {}", form.name, option),
                       "leave it out; these take one: " +
                           list_forms([&](const Form& other) { return other.*takes; }));
  };
  refuse(options.length.has_value(), "--length", &Form::length);
  refuse(!options.from.empty(), "--from", &Form::from);
  refuse(!options.known.empty(), "--known", &Form::known);
  if (options.labels.size() > 1 && !form.length)
    throw UsageError(fmt::format("--representation {} has no parts, and there are {} labels",
                                 form.name, options.labels.size()),
                     "give one --label; these have parts: " +
                         list_forms([](const Form& other) { return other.length; }));
  if (!options.known.empty() && options.from.empty())
    throw UsageError("--known is a mask of --from, and --from is missing",
                     "give the picture with --from");
  check_ending(options.out, form.endings);
}

/// Throws a UsageError if the prior cannot generate this form.
void check_fits(const models::Prior& prior, const Form& form, const fs::path& path) {
  const auto& [kind, item] = std::pair(prior.metadata.kind, prior.metadata.item);
  if (kind != form.kind)
    throw UsageError(
        fmt::format("{} is a prior of {}, and --representation {} needs one of {}", path.string(),
                    models::name_of(kind), form.name, models::name_of(form.kind)),
        "give another prior; this one fits --representation " +
            list_forms([&](const Form& other) { return other.kind == kind; }));
  if (form.shape == Shape::Field && (item[0] != 3 || item[1] != item[2]))
    throw UsageError(
        fmt::format(
            "{}: views of {} x {} pixels and {} channels; a nerf needs square views of 3 channels",
            path.string(), item[2], item[1], item[0]),
        "give a prior of such views (data set solids of study langevin), or another "
        "representation");
}

/// Throws a UsageError if D' was trained on other data than D.
void check_aux(const models::Prior& aux, const models::Prior& prior, const fs::path& path) {
  models::check_data(aux, prior.metadata.data, path);
  models::check_items(aux, torch::empty(prior.metadata.item).unsqueeze(0));
}

/// Inputs of a run, read and checked.
struct PreparedRun {
  const Form& form;
  models::Prior prior;
  std::optional<models::Prior> aux;
  std::shared_ptr<models::Denoiser> D;
  std::int64_t length = 1;  ///< length of the result, items of the prior
  at::Tensor from, known;   ///< [1, C, H, W]; known: bool, true for pixels to keep
  Generation generation;

  models::Denoiser& D_aux() const { return aux ? *aux->D : *prior.D; }
  const std::vector<std::int64_t>& item() const { return prior.metadata.item; }
};

models::SynthesisOptions make_synthesis_options(const PriorOptions& options,
                                                const PreparedRun& run) {
  models::SynthesisOptions synthesis{.rounds = options.rounds, .seed = options.seed};
  synthesis.inversion.method = models::find_inversion(options.inversion).algorithm;
  synthesis.churning = models::parse_churn_options(options.churn);
  // A picture without a mask is to be improved, and sigma = 5 would erase it. With a mask its known
  // pixels are kept at every level.
  const double usual = run.from.defined() && !run.known.defined() ? 2 : run.form.first;
  synthesis.sigma_first = options.first.value_or(std::min(usual, run.prior.sigma_high()));
  synthesis.sigma_last = options.last.value_or(std::max(run.form.last, run.prior.sigma_low()));
  for (const auto sigma : {synthesis.sigma_first, synthesis.sigma_last}) {
    models::check_level(run.prior, sigma);
    if (run.aux) models::check_level(*run.aux, sigma);
  }
  if (models::find_inversion_method(synthesis.inversion.method).climbs &&
      std::min(synthesis.sigma_first, synthesis.sigma_last) <= synthesis.inversion.sigma_min)
    throw UsageError(
        fmt::format("--inversion {} starts at sigma = {}, and not all levels are above it",
                    options.inversion, synthesis.inversion.sigma_min),
        "give a higher --last");
  return synthesis;
}

/// Collects all options that affect the result; files by the hash of their content.
json collect_identity(const PriorOptions& options, const models::SynthesisOptions& synthesis,
                      std::int64_t length, double guidance) {
  const auto hash = [](const fs::path& file) {
    return file.empty() ? "" : sha256_file(file).substr(0, 16);
  };
  return {{"--representation", options.representation},
          {"--prior", hash(options.prior)},
          {"--prior-aux", hash(options.prior_aux)},
          {"--label", join(options.labels, " | ")},
          {"--length", length},
          {"--from", hash(options.from)},
          {"--known", hash(options.known)},
          {"--rounds", synthesis.rounds},
          {"--first", synthesis.sigma_first},
          {"--last", synthesis.sigma_last},
          {"--churn", options.churn},
          {"--inversion", options.inversion},
          {"--guidance", guidance},
          {"--seed", options.seed},
          {"--device", options.device}};
}

/// Returns a function from views to the index of their label. The parts of the result are equally
/// long; a window takes the label of the part that holds its middle.
std::function<at::Tensor(const at::Tensor&)> make_part_lookup(std::size_t parts,
                                                              const PreparedRun& run) {
  const auto& item = run.item();
  const auto window = run.form.shape == Shape::Video ? item[0] / 3 : item[2],
             whole = window * run.length;
  const auto count = static_cast<std::int64_t>(parts);
  return [=](const at::Tensor& psi) {
    const auto middle = (psi.select(1, 1) + window / 2).remainder(whole);
    return (middle * count).div(whole, "floor").to(at::kLong).clamp_max(count - 1);
  };
}

PreparedRun prepare(const PriorOptions& options) {
  constexpr std::int64_t usual_length = 4;  // items of the prior; named in --help
  PreparedRun r{.form = find_named(forms(), "representation", options.representation),
                .prior = {},
                .aux = {},
                .D = {},
                .from = {},
                .known = {},
                .generation = {}};
  check(options, r.form);
  r.prior = load_usable_prior(options.prior, options.device);
  check_fits(r.prior, r.form, options.prior);
  if (!options.prior_aux.empty()) {
    r.aux = load_usable_prior(options.prior_aux, options.device);
    check_aux(*r.aux, r.prior, options.prior_aux);
  }
  r.length = r.form.length ? options.length.value_or(usual_length) : 1;
  const auto label = options.labels.empty() ? at::Tensor() : parse_labels(r.prior, options.labels);
  const auto guidance = options.guidance.value_or(label.defined() ? r.form.guidance : 1);
  r.D = make_denoiser(r.prior, guidance, label.defined());
  const at::Device device(options.device);
  const auto channels = r.item()[0], height = r.item()[1], width = r.item()[2] * r.length;
  if (!options.from.empty())
    r.from = read_item(options.from, channels, height, width, Size::Exact).to(device);
  if (!options.known.empty())
    r.known = (read_item(options.known, 1, height, width, Size::Exact) > 0).to(device);
  r.generation.synthesis = make_synthesis_options(options, r);
  r.generation.conditions.D = label.defined() ? label.to(device) : label;
  if (options.labels.size() > 1)
    r.generation.conditions.row = make_part_lookup(options.labels.size(), r);
  r.generation.out = options.out;
  r.generation.options = collect_identity(options, r.generation.synthesis, r.length, guidance);
  return r;
}

/// Makes the canvas of a picture, panorama, sound or video; empty, or with the picture of --from.
std::unique_ptr<models::Canvas> make_canvas(const PreparedRun& run) {
  const auto& item = run.item();
  if (run.form.shape == Shape::Video) {
    const auto frames = item[0] / 3;
    return std::make_unique<models::Canvas>(
        torch::zeros({1, frames * run.length, 3, item[1], item[2]}),
        models::CanvasOptions{.axis = 0, .window = frames, .item = item});
  }
  const auto content =
      run.from.defined() ? run.from : torch::zeros({1, item[0], item[1], item[2] * run.length});
  return std::make_unique<models::Canvas>(
      content, models::CanvasOptions{.axis = 2,
                                     .window = item[2],
                                     .wrap = run.form.shape == Shape::Panorama && run.length > 1});
}

/// Makes a nerf with the camera of the training views (datasets/generators/solids.h).
std::unique_ptr<models::RadianceField> make_field(const PreparedRun& run) {
  const auto size = run.item()[1];
  return std::make_unique<models::RadianceField>(
      models::RadianceFieldOptions{.size = size,
                                   .focal = datasets::solid_focal(static_cast<int>(size)),
                                   .camera_radius = datasets::solid_distance,
                                   .elevation_low = 10,
                                   .elevation_high = 50,
                                   .fit = {.steps = 15, .rate = 5e-3},
                                   .seed = run.generation.synthesis.seed});
}

/// Makes the representation of the result in its initial state.
std::unique_ptr<models::Representation> make_representation(const PreparedRun& run,
                                                            const at::Device& device) {
  if (run.form.shape == Shape::Field) {
    auto field = make_field(run);
    field->to(device);
    return field;
  }
  if (run.form.shape != Shape::Painting) {
    auto canvas = make_canvas(run);
    canvas->to(device);
    return canvas;
  }
  const auto& item = run.item();
  auto painting = std::make_unique<models::CoordinateImages>(
      models::CoordinateImagesOptions{.channels = item[0],
                                      .height = item[1],
                                      .width = item[2],
                                      .seed = run.generation.synthesis.seed});
  painting->to(device);
  return painting;
}

/// Fits an MLP to the picture of --from. A canvas already holds it.
void fit_to_picture(models::Representation& phi, const PreparedRun& run) {
  constexpr int fits = 30;  // chosen by hand
  if (run.form.shape != Shape::Painting || !run.from.defined()) return;
  for (int i = 0; i < fits; ++i) phi.fit(torch::zeros({1, 1}, at::kDouble), run.from);
}

/// Writes the known pixels of --from back into the canvas.
void hold_known(models::Representation& phi, const PreparedRun& run) {
  if (!run.known.defined()) return;
  const torch::NoGradGuard no_grad;
  auto content = dynamic_cast<models::Canvas&>(phi).content();
  content.copy_(at::where(run.known, run.from, content));
}

/// Returns `count` views around the object: [count, 13], a row of 0 and a camera pose.
at::Tensor turntable_views(std::int64_t count) {
  constexpr double elevation = 25;  // degrees; training views have 10 to 50
  std::vector<at::Tensor> psi;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto pose = datasets::solid_pose(
        360.0 * static_cast<double>(i) / static_cast<double>(count), elevation);
    psi.push_back(at::cat({torch::zeros({1}, at::kDouble), pose.flatten()}));
  }
  return at::stack(psi);
}

/// Renders the complete canvas, the picture, or views of the object.
at::Tensor render_result(models::Representation& phi, const PreparedRun& run) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t strip = 8;          // views in a .png
  constexpr std::int64_t turn = 36;          // frames of a turntable video, 10 degrees apart
  constexpr std::int64_t views_at_once = 4;  // limits the memory
  if (auto* canvas = dynamic_cast<models::Canvas*>(&phi)) return canvas->content().detach();
  if (run.form.shape == Shape::Painting)
    return phi.render(torch::zeros({1, 1}, at::kDouble)).detach();
  std::vector<at::Tensor> views;
  for (const auto& psi : turntable_views(run.generation.out.extension() == ".png" ? strip : turn)
                             .split(views_at_once))
    views.push_back(phi.render(psi).detach());
  return at::cat(views);
}

void write_result(models::Representation& phi, const PreparedRun& run) {
  constexpr double turntable_rate = 12;  // frames per second: one turn in three seconds
  const auto& out = run.generation.out;
  const auto x = render_result(phi, run);
  models::check_finite_views(x, "final rendering");
  if (run.form.shape == Shape::Sound)
    return datasets::write_wav(out,
                               convert_to_sound(run.prior, x[0], run.generation.synthesis.seed));
  if (run.form.shape == Shape::Video)
    return write_animation(out, convert_to_frames(run.prior, x.flatten(1, 2))[0],
                           frames_per_second);
  const auto pictures = convert_to_frames(run.prior, x).squeeze(1);
  if (run.form.shape == Shape::Field && out.extension() != ".png")
    return write_animation(out, pictures, turntable_rate);
  // [N, H, W, 3] -> [H, N W, 3]: views from left to right.
  datasets::write_png(out, pictures.permute({1, 0, 2, 3}).flatten(1, 2).contiguous());
}

}  // namespace

void add_prior_options(CLI::App& verb, PriorOptions& options, const std::string& group) {
  const auto add = [&](const char* name, auto& value, const std::string& what) {
    return verb.add_option(name, value, what)->group(group);
  };
  const auto add_rare = [&](const char* name, auto& value, const std::string& what) {
    return verb.add_option(name, value, what)->group(rarely_used(group));
  };
  add("--representation", options.representation,
      "form of the result. Priors of images: image, panorama (wraps around), mlp (an image "
      "stored in a network), nerf (a 3-D object). Priors of videos: video. Priors of "
      "sounds: audio")
      ->type_name("image|panorama|mlp|nerf|video|audio");
  add("--prior", options.prior,
      "denoiser D: prior.safetensors of a cell prior/SET/edm of study langevin");
  add_rare("--prior-aux", options.prior_aux,
           "denoiser D' for the inversion, a prior of the same data, usually smaller (default: "
           "D)");
  add("--label", options.labels,
      "class, or text in the prior's words. A wrong label lists the known ones. Repeated "
      "labels of a panorama, video or audio apply to its parts, from left to right or "
      "first to last")
      ->allow_extra_args(false);
  add_rare("--length", options.length,
           "length of a panorama, video or audio, in items of the prior (default: 4)")
      ->check(CLI::Range(1, 10000));
  add_rare("--known", options.known,
           "mask of an image or panorama, of the size of --from. White pixels keep the values "
           "of --from");
  add("--rounds", options.rounds, "rounds of Algorithm 1 (nerf: 60 or more)")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_rare("--first", options.first,
           "sigma of the first round, within the prior's training range (default: 5, or 2 for "
           "video and with --from alone)");
  add_rare("--last", options.last,
           "sigma of the last round, within the prior's training range (default: 0.05, or 0.2 "
           "for mlp and nerf)");
  add_rare("--churn", options.churn,
           "churn method and step h = beta dt, such as \"langevin 0.3\" or \"balanced 1\"")
      ->capture_default_str();
  add_rare("--inversion", options.inversion, "inversion method of the views")
      ->type_name(join(models::inversion_names(), "|"))
      ->capture_default_str();
  add("--guidance", options.guidance,
      "weight w in D + (w - 1) (D - D without label) (default: 1, or 4 for nerf with a "
      "label). Above 1 it strengthens the label");
}

void generate_from_prior(const Call& call, PriorOptions options) {
  options.device = choose_device(options.device);
  const auto made = prepare(options);
  const auto partial = partial_file(options.out);
  if (options.out.has_parent_path()) fs::create_directories(options.out.parent_path());
  const FileLock lock(fs::weakly_canonical(options.out).string() + ".lock",
                      {.name = options.out.string(),
                       .holder = "another run",
                       .fix = "wait for it to end, or choose another file with --out"});
  const auto begin = std::chrono::steady_clock::now();
  const auto phi = make_representation(made, at::Device(options.device));
  const auto first = resume(*phi, made.generation);
  training::Progress progress(stderr, options.out.filename().string());
  if (first > 0)
    progress.update(static_cast<double>(first) / static_cast<double>(options.rounds),
                    fmt::format("resuming after round {}", first));
  if (first == 0) fit_to_picture(*phi, made);
  generate(*phi, *made.D, made.D_aux(), made.generation, first,
           [&](const models::SynthesisRound& round) {
             hold_known(*phi, made);
             progress.update(
                 static_cast<double>(round.number + 1) / static_cast<double>(options.rounds),
                 fmt::format("round {}/{}, sigma {:.3g}", round.number + 1, options.rounds,
                             round.sigma));
           });
  write_result(*phi, made);
  fs::remove(partial);
  const auto sample_check =
      check_sample(*phi, made.prior, made.generation.conditions, made.generation.synthesis.seed);
  const auto warnings = list_warnings(sample_check, options.out, options.labels);
  for (const auto& warning : warnings) say("warning: " + warning + "\n");
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto& synthesis = made.generation.synthesis;
  json answer{{"file", options.out.string()},
              {"representation", made.form.name},
              {"rounds", options.rounds},
              {"resumed_after", first},
              {"sigma", {synthesis.sigma_first, synthesis.sigma_last}},
              {"contrast", sample_check.contrast},
              {"warnings", warnings},
              {"seconds", seconds}};
  if (sample_check.label_fraction) answer["label_heard"] = *sample_check.label_fraction;
  call.answer(answer, fmt::format("{}: {}, {} rounds from sigma {:.3g} to {:.3g}, {:.1f} s\n",
                                  options.out.string(), made.form.name, options.rounds,
                                  synthesis.sigma_first, synthesis.sigma_last, seconds));
}

}  // namespace reprise::reproduce
