#include "tools/prior_run.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>

#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "experiments/names.h"
#include "models/diffusion/churn.h"
#include "models/diffusion/methods.h"
#include "tools/prior_items.h"

namespace reprise::reproduce {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

/// Lists the names of the forms for which `condition` holds.
template <typename Condition>
std::string list_forms(const Condition& condition) {
  std::vector<std::string> names;
  for (const auto& form : forms())
    if (condition(form)) names.push_back(form.name);
  return join(names, ", ");
}

/// Checks the options that can be checked before any file is read.
void check_options(const PriorOptions& options, const Form& form) {
  const auto refuse_unless_taken = [&](bool given, const char* option, bool Form::*takes) {
    if (given && !(form.*takes))
      throw UsageError(fmt::format("--representation {} takes no {}", form.name, option),
                       "leave it out; these take one: " +
                           list_forms([&](const Form& other) { return other.*takes; }));
  };
  refuse_unless_taken(options.length.has_value(), "--length", &Form::length);
  refuse_unless_taken(!options.from.empty(), "--from", &Form::from);
  refuse_unless_taken(!options.known.empty(), "--known", &Form::known);
  if (options.labels.size() > 1 && !form.length)
    throw UsageError(
        fmt::format("--representation {} has no parts, so it takes one label; {} were given",
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

/// Throws a UsageError if D' (aux) and D (prior) were trained on different data.
void check_aux(const models::Prior& aux, const models::Prior& prior, const fs::path& path) {
  models::check_data(aux, prior.metadata.data, path);
  models::check_items(aux, torch::empty(prior.metadata.item).unsqueeze(0));
}

models::SynthesisOptions make_synthesis_options(const PriorOptions& options,
                                                const PreparedRun& run) {
  models::SynthesisOptions synthesis{.rounds = options.rounds, .seed = options.seed};
  synthesis.inversion.method = models::find_inversion(options.inversion).algorithm;
  synthesis.churning = models::parse_churn_options(options.churn);
  // Without a mask, the run improves the whole picture of --from. The usual first level, sigma = 5,
  // would erase it. With a mask, the known pixels are kept at every level.
  const double default_first = run.from.defined() && !run.known.defined() ? 2 : run.form.first;
  synthesis.sigma_first = options.first.value_or(std::min(default_first, run.prior.sigma_high()));
  synthesis.sigma_last = options.last.value_or(std::max(run.form.last, run.prior.sigma_low()));
  for (const auto sigma : {synthesis.sigma_first, synthesis.sigma_last}) {
    models::check_level(run.prior, sigma);
    if (run.aux) models::check_level(*run.aux, sigma);
  }
  if (models::find_inversion_method(synthesis.inversion.method).climbs &&
      std::min(synthesis.sigma_first, synthesis.sigma_last) <= synthesis.inversion.sigma_min)
    throw UsageError(
        fmt::format("--inversion {} starts at sigma = {}, but --first or --last is not above it",
                    options.inversion, synthesis.inversion.sigma_min),
        "give a higher --last");
  return synthesis;
}

/// Collects all options that affect the result. A file is identified by the hash of its content.
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

/// Returns a function that maps views to the index of their label. The result is divided into equal
/// parts, one per label. A view takes the label of the part that contains its middle.
std::function<at::Tensor(const at::Tensor&)> make_part_lookup(std::size_t parts,
                                                              const PreparedRun& run) {
  const auto& item = run.item();
  const auto window = run.form.shape == Shape::Video ? item[0] / 3 : item[2];
  const auto total = window * run.length;
  const auto count = static_cast<std::int64_t>(parts);
  return [=](const at::Tensor& psi) {
    const auto middle = (psi.select(1, 1) + window / 2).remainder(total);
    return (middle * count).div(total, "floor").to(at::kLong).clamp_max(count - 1);
  };
}

}  // namespace

PreparedRun prepare_run(const PriorOptions& options) {
  constexpr std::int64_t default_length = 4;  // in items of the prior, as in --help
  PreparedRun r{.form = find_named(forms(), "representation", options.representation),
                .prior = {},
                .aux = {},
                .D = {},
                .from = {},
                .known = {},
                .generation = {}};
  check_options(options, r.form);
  r.prior = load_usable_prior(options.prior, options.device);
  check_fits(r.prior, r.form, options.prior);
  if (!options.prior_aux.empty()) {
    r.aux = load_usable_prior(options.prior_aux, options.device);
    check_aux(*r.aux, r.prior, options.prior_aux);
  }
  r.length = r.form.length ? options.length.value_or(default_length) : 1;
  const auto label = options.labels.empty() ? at::Tensor() : parse_labels(r.prior, options.labels);
  const auto guidance = options.guidance.value_or(label.defined() ? r.form.guidance : 1);
  r.D = make_denoiser(r.prior, guidance, label.defined());
  const at::Device device(options.device);
  const auto channels = r.item()[0];
  const auto height = r.item()[1];
  const auto width = r.item()[2] * r.length;
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

}  // namespace reprise::reproduce
