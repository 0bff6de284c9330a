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
#include "tools/generation.h"
#include "tools/help.h"
#include "tools/looks.h"
#include "tools/prior_use.h"
#include "training/progress.h"
#include "training/torch_generator.h"

namespace reprise::reproduce {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

enum class Shape { Picture, Panorama, Painting, Field, Video, Sound };

/// What a representation is made for, and which options it knows.
struct Form {
  std::string name;
  Shape shape;
  models::ItemKind kind;             ///< of the priors that fit
  std::vector<std::string> endings;  ///< of --out
  bool length = false, from = false, known = false;
  double last = 0.05;  ///< sigma: where networks are fitted, noise this fine is beyond them
  double first =
      5;  ///< sigma: windows that do not agree yet average to nothing, in videos for good
  double guidance =
      1;  ///< towards a label: views that have to agree of one thing make pebbles of cubes without it
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
std::string names_of_forms(const Chosen& chosen) {
  std::vector<std::string> names;
  for (const auto& form : forms())
    if (chosen(form)) names.push_back(form.name);
  return join(names, ", ");
}

/// What can be known to be wrong without a file.
void check(const PriorOptions& options, const Form& form) {
  const auto refuse = [&](bool given, const char* option, bool Form::*takes) {
    if (given && !(form.*takes))
      throw UsageError(fmt::format("--representation {} takes no {}", form.name, option),
                       "leave it out; these take one: " +
                           names_of_forms([&](const Form& other) { return other.*takes; }));
  };
  refuse(options.length.has_value(), "--length", &Form::length);
  refuse(!options.from.empty(), "--from", &Form::from);
  refuse(!options.known.empty(), "--known", &Form::known);
  if (options.labels.size() > 1 && !form.length)
    throw UsageError(fmt::format("--representation {} has no parts, and there are {} labels",
                                 form.name, options.labels.size()),
                     "give one --label; parts have: " +
                         names_of_forms([](const Form& other) { return other.length; }));
  if (!options.known.empty() && options.from.empty())
    throw UsageError("--known says which part of --from is held, and --from is missing",
                     "give the picture, too");
  check_ending(options.out, form.endings);
}

void check_fits(const models::Prior& prior, const Form& form, const fs::path& path) {
  const auto& [kind, item] = std::pair(prior.metadata.kind, prior.metadata.item);
  if (kind != form.kind)
    throw UsageError(
        fmt::format("{} is a prior of {}, and --representation {} needs one of {}", path.string(),
                    models::name_of(kind), form.name, models::name_of(form.kind)),
        "it fits: --representation " +
            names_of_forms([&](const Form& other) { return other.kind == kind; }));
  if (form.shape == Shape::Field && (item[0] != 3 || item[1] != item[2]))
    throw UsageError(
        fmt::format(
            "{}: views of {} x {} pixels and {} channels, and those of a nerf are square and coloured",
            path.string(), item[2], item[1], item[0]),
        "give a prior of such views (world solids of study langevin), or another representation");
}

void check_aux(const models::Prior& aux, const models::Prior& prior, const fs::path& path) {
  models::check_data(aux, prior.metadata.data, path);
  models::check_items(aux, torch::empty(prior.metadata.item).unsqueeze(0));
}

/// All that a run needs, read and checked.
struct Ready {
  const Form& form;
  models::Prior prior;
  std::optional<models::Prior> aux;
  std::shared_ptr<models::Denoiser> D;
  std::int64_t length = 1;  ///< in windows
  at::Tensor from, known;   ///< [1, C, H, W]; known: bool, true where held
  Generation generation;

  models::Denoiser& D_aux() const { return aux ? *aux->D : *prior.D; }
  const std::vector<std::int64_t>& item() const { return prior.metadata.item; }
};

models::SynthesisOptions synthesis_of(const PriorOptions& options, const Ready& ready) {
  models::SynthesisOptions synthesis{.rounds = options.rounds, .seed = options.seed};
  synthesis.inversion.method = models::find_inversion(options.inversion).algorithm;
  synthesis.churning = models::parse_churn_options(options.churn);
  // A picture that is to be kept in part says little of where to begin; one that is to be improved
  // is lost at a high level.
  const double usual = ready.from.defined() && !ready.known.defined() ? 2 : ready.form.first;
  synthesis.sigma_first = options.first.value_or(std::min(usual, ready.prior.sigma_high()));
  synthesis.sigma_last = options.last.value_or(std::max(ready.form.last, ready.prior.sigma_low()));
  for (const auto sigma : {synthesis.sigma_first, synthesis.sigma_last}) {
    models::check_level(ready.prior, sigma);
    if (ready.aux) models::check_level(*ready.aux, sigma);
  }
  if (models::find_inversion_method(synthesis.inversion.method).climbs &&
      std::min(synthesis.sigma_first, synthesis.sigma_last) <= synthesis.inversion.sigma_min)
    throw UsageError(
        fmt::format("--inversion {} begins at sigma = {}, and not all levels are above it",
                    options.inversion, synthesis.inversion.sigma_min),
        "give a higher --last");
  return synthesis;
}

/// Everything that the result depends on; files by what is in them.
json identity(const PriorOptions& options, const models::SynthesisOptions& synthesis,
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

/// Parts are equally long; a window is asked for what its middle lies in.
std::function<at::Tensor(const at::Tensor&)> part_of_window(std::size_t parts, const Ready& ready) {
  const auto& item = ready.item();
  const auto window = ready.form.shape == Shape::Video ? item[0] / 3 : item[2],
             whole = window * ready.length;
  const auto count = static_cast<std::int64_t>(parts);
  return [=](const at::Tensor& psi) {
    const auto middle = (psi.select(1, 1) + window / 2).remainder(whole);
    return (middle * count).div(whole, "floor").to(at::kLong).clamp_max(count - 1);
  };
}

Ready ready(const PriorOptions& options) {
  constexpr std::int64_t usual_length = 4;
  Ready r{.form = find_named(forms(), "representation", options.representation),
          .prior = {},
          .aux = {},
          .D = {},
          .from = {},
          .known = {},
          .generation = {}};
  check(options, r.form);
  r.prior = prior_for_use(options.prior, options.device);
  check_fits(r.prior, r.form, options.prior);
  if (!options.prior_aux.empty()) {
    r.aux = prior_for_use(options.prior_aux, options.device);
    check_aux(*r.aux, r.prior, options.prior_aux);
  }
  r.length = r.form.length ? options.length.value_or(usual_length) : 1;
  const auto label = options.labels.empty() ? at::Tensor() : labels_of(r.prior, options.labels);
  const auto guidance = options.guidance.value_or(label.defined() ? r.form.guidance : 1);
  r.D = denoiser_for(r.prior, guidance, label.defined());
  const at::Device device(options.device);
  const auto channels = r.item()[0], height = r.item()[1], width = r.item()[2] * r.length;
  if (!options.from.empty())
    r.from = read_item(options.from, channels, height, width, Size::Exact).to(device);
  if (!options.known.empty())
    r.known = (read_item(options.known, 1, height, width, Size::Exact) > 0).to(device);
  r.generation.synthesis = synthesis_of(options, r);
  r.generation.conditions.D = label.defined() ? label.to(device) : label;
  if (options.labels.size() > 1)
    r.generation.conditions.row = part_of_window(options.labels.size(), r);
  r.generation.out = options.out;
  r.generation.options = identity(options, r.generation.synthesis, r.length, guidance);
  return r;
}

std::unique_ptr<models::Canvas> canvas_of(const Ready& ready) {
  const auto& item = ready.item();
  if (ready.form.shape == Shape::Video) {
    const auto frames = item[0] / 3;
    return std::make_unique<models::Canvas>(
        torch::zeros({1, frames * ready.length, 3, item[1], item[2]}),
        models::CanvasOptions{.axis = 0, .window = frames, .item = item});
  }
  const auto content = ready.from.defined()
                           ? ready.from
                           : torch::zeros({1, item[0], item[1], item[2] * ready.length});
  return std::make_unique<models::Canvas>(
      content,
      models::CanvasOptions{.axis = 2,
                            .window = item[2],
                            .wrap = ready.form.shape == Shape::Panorama && ready.length > 1});
}

/// A camera as those that the study's views are from: solids.h.
std::unique_ptr<models::RadianceField> field_of(const Ready& ready) {
  const auto size = ready.item()[1];
  return std::make_unique<models::RadianceField>(
      models::RadianceFieldOptions{.size = size,
                                   .focal = datasets::solid_focal(static_cast<int>(size)),
                                   .camera_radius = datasets::solid_distance,
                                   .elevation_low = 10,
                                   .elevation_high = 50,
                                   .fit = {.steps = 15, .rate = 5e-3},
                                   .seed = ready.generation.synthesis.seed});
}

std::unique_ptr<models::Representation> phi_of(const Ready& ready, const at::Device& device) {
  if (ready.form.shape == Shape::Field) {
    auto field = field_of(ready);
    field->to(device);
    return field;
  }
  if (ready.form.shape != Shape::Painting) {
    auto canvas = canvas_of(ready);
    canvas->to(device);
    return canvas;
  }
  const auto& item = ready.item();
  auto painting = std::make_unique<models::CoordinateImages>(
      models::CoordinateImagesOptions{.channels = item[0],
                                      .height = item[1],
                                      .width = item[2],
                                      .seed = ready.generation.synthesis.seed});
  painting->to(device);
  return painting;
}

/// An MLP learns the picture that it starts from; a canvas was made of it.
void start(models::Representation& phi, const Ready& ready) {
  constexpr int fits = 30;
  if (ready.form.shape != Shape::Painting || !ready.from.defined()) return;
  for (int i = 0; i < fits; ++i) phi.fit(torch::zeros({1, 1}, at::kDouble), ready.from);
}

void hold_known(models::Representation& phi, const Ready& ready) {
  if (!ready.known.defined()) return;
  const torch::NoGradGuard no_grad;
  auto content = dynamic_cast<models::Canvas&>(phi).content();
  content.copy_(at::where(ready.known, ready.from, content));
}

/// Views all around, `count` of them: [count, 13].
at::Tensor turntable(std::int64_t count) {
  constexpr double elevation = 25;
  std::vector<at::Tensor> psi;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto pose = datasets::solid_pose(
        360.0 * static_cast<double>(i) / static_cast<double>(count), elevation);
    psi.push_back(at::cat({torch::zeros({1}, at::kDouble), pose.flatten()}));
  }
  return at::stack(psi);
}

/// Items of the prior's kind: the whole canvas, the picture, or views.
at::Tensor shown(models::Representation& phi, const Ready& ready) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t strip = 8, turn = 36, views_at_once = 4;
  if (auto* canvas = dynamic_cast<models::Canvas*>(&phi)) return canvas->content().detach();
  if (ready.form.shape == Shape::Painting)
    return phi.render(torch::zeros({1, 1}, at::kDouble)).detach();
  std::vector<at::Tensor> views;
  for (const auto& psi :
       turntable(ready.generation.out.extension() == ".png" ? strip : turn).split(views_at_once))
    views.push_back(phi.render(psi).detach());
  return at::cat(views);
}

void write(models::Representation& phi, const Ready& ready) {
  constexpr double turntable_rate = 12;
  const auto& out = ready.generation.out;
  const auto x = shown(phi, ready);
  models::check_finite_views(x, "final rendering");
  if (ready.form.shape == Shape::Sound)
    return datasets::write_wav(out,
                               sound_of_item(ready.prior, x[0], ready.generation.synthesis.seed));
  if (ready.form.shape == Shape::Video)
    return write_animation(out, frames_of(ready.prior, x.flatten(1, 2))[0], frames_per_second);
  const auto pictures = frames_of(ready.prior, x).squeeze(1);
  if (ready.form.shape == Shape::Field && out.extension() != ".png")
    return write_animation(out, pictures, turntable_rate);
  datasets::write_png(
      out, pictures.permute({1, 0, 2, 3}).flatten(1, 2).contiguous());  // views beside each other
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
      "what the prior generates. Of a prior of images: image, panorama (wraps around), mlp (a network that paints it), nerf (an object seen from "
      "all around); of videos: video; of sounds: audio")
      ->type_name("image|panorama|mlp|nerf|video|audio");
  add("--prior", options.prior, "D: prior.safetensors of a cell prior/WORLD/edm of study langevin");
  add_rare("--prior-aux", options.prior_aux,
           "D', which inverts: a prior of the same data, as a rule a smaller one; left out: D");
  add("--label", options.labels,
      "a class, or a text in the prior's words; a wrong one lists what the prior knows. Of a panorama, video or audio it may be repeated: its "
      "parts, from left to right or first to last, are each asked for one")
      ->allow_extra_args(false);
  add_rare("--length", options.length, "of a panorama, video or audio, in items of the prior: 4")
      ->check(CLI::Range(1, 10000));
  add_rare("--known", options.known,
           "of an image or panorama: a mask as large as --from; what is white in it is held");
  add("--rounds", options.rounds, "rounds of Algorithm 1; a nerf wants 60 or more")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  add_rare(
      "--first", options.first,
      "sigma of the first round: 5, of a video or with --from alone 2, unless the prior knows less");
  add_rare(
      "--last", options.last,
      "sigma of the last round: 0.05, of an mlp or nerf 0.2, unless the prior knows only more");
  add_rare("--churn", options.churn,
           "the form of its noise and h = beta dt: \"langevin 0.3\", \"balanced 1\"")
      ->capture_default_str();
  add_rare("--inversion", options.inversion, "how views are inverted")
      ->type_name(join(models::inversion_names(), "|"))
      ->capture_default_str();
  add("--guidance", options.guidance,
      "w of D + (w - 1) (D - D without label): above 1, more of what the label says; 1, of a nerf with a label 4");
}

void generate_from_prior(const Call& call, PriorOptions options) {
  options.device = chosen_device(options.device);
  const auto made = ready(options);
  const auto partial = partial_file(options.out);
  if (options.out.has_parent_path()) fs::create_directories(options.out.parent_path());
  const FileLock lock(fs::weakly_canonical(options.out).string() + ".lock",
                      {.name = options.out.string(),
                       .holder = "another run",
                       .fix = "wait for it to end, or choose another file with --out"});
  const auto begin = std::chrono::steady_clock::now();
  const auto phi = phi_of(made, at::Device(options.device));
  const auto first = resumed(*phi, made.generation);
  training::Progress progress(stderr, options.out.filename().string());
  if (first > 0)
    progress.update(static_cast<double>(first) / static_cast<double>(options.rounds),
                    fmt::format("goes on after round {}", first));
  if (first == 0) start(*phi, made);
  generate(*phi, *made.D, made.D_aux(), made.generation, first,
           [&](const models::SynthesisRound& round) {
             hold_known(*phi, made);
             progress.update(
                 static_cast<double>(round.number + 1) / static_cast<double>(options.rounds),
                 fmt::format("round {}/{}, sigma {:.3g}", round.number + 1, options.rounds,
                             round.sigma));
           });
  write(*phi, made);
  fs::remove(partial);
  const auto looks =
      looks_of(*phi, made.prior, made.generation.conditions, made.generation.synthesis.seed);
  const auto warnings = warnings_of(looks, options.out, options.labels);
  for (const auto& warning : warnings) say("warning: " + warning + "\n");
  const auto seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto& synthesis = made.generation.synthesis;
  json answer{{"file", options.out.string()},
              {"representation", made.form.name},
              {"rounds", options.rounds},
              {"resumed_after", first},
              {"sigma", {synthesis.sigma_first, synthesis.sigma_last}},
              {"contrast", looks.contrast},
              {"warnings", warnings},
              {"seconds", seconds}};
  if (looks.heard) answer["label_heard"] = *looks.heard;
  call.answer(answer, fmt::format("{}: {}, {} rounds from sigma {:.3g} to {:.3g}, {:.1f} s\n",
                                  options.out.string(), made.form.name, options.rounds,
                                  synthesis.sigma_first, synthesis.sigma_last, seconds));
}

}  // namespace reprise::reproduce
