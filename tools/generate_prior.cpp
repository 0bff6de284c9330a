#include "tools/generate_prior.h"

#include <fmt/format.h>

#include <chrono>

#include "core/error.h"
#include "core/file_lock.h"
#include "core/say.h"
#include "core/text.h"
#include "experiments/run/device.h"
#include "models/diffusion/methods.h"
#include "tools/help.h"
#include "tools/prior_result.h"
#include "tools/prior_run.h"
#include "tools/resumable_synthesis.h"
#include "tools/sample_checks.h"
#include "training/progress.h"

namespace reprise::reproduce {

namespace fs = std::filesystem;
using nlohmann::json;

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
  const auto made = prepare_run(options);
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
             restore_known(*phi, made);
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
