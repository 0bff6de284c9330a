// `reprise generate`: what a trained network makes. Which, and what it can be asked, is said by
// --model or --prior.
#include <fmt/format.h>

#include <memory>

#include "core/error.h"
#include "core/text.h"
#include "tools/generate_clips.h"
#include "tools/generate_prior.h"
#include "tools/tools.h"

namespace reprise::reproduce {
namespace {

constexpr auto of_priors = "With --representation and --prior, a diffusion prior";
constexpr auto of_models = "With --model, a trained MoCoGAN";

/// UsageError: options of `group` are given, which does not go with `chosen`.
void refuse_options(const CLI::App& verb, const std::string& group, const std::string& chosen) {
  std::vector<std::string> given;
  for (const auto* option : verb.get_options())
    if (option->get_group().starts_with(group) && option->count() > 0)
      given.push_back(option->get_name());
  if (given.empty()) return;
  const bool priors = group == of_priors;
  throw UsageError(
      fmt::format("{} {} not an option of {}", join(given, ", "), given.size() == 1 ? "is" : "are",
                  chosen),
      priors
          ? "it goes with --representation and --prior: leave it out, or leave --model out"
          : "it goes with --model FILE: leave it out, or give --model in place of --representation and --prior");
}

void dispatch(const CLI::App& verb, const Call& call, const PriorOptions& options,
              ClipOptions clips) {
  if (!clips.model.empty()) {
    refuse_options(verb, of_priors, "generate --model");
    clips.from = options.from;
    clips.out = options.out;
    clips.seed = options.seed;
    clips.device = options.device;
    return generate_clips(call, clips);
  }
  if (options.representation.empty() && options.prior.empty())
    throw UsageError(
        "generate needs something that was trained",
        "give --model FILE (clips of a MoCoGAN), or --representation NAME and --prior FILE (a diffusion prior)");
  refuse_options(verb, of_models, "generate --prior");
  for (const auto* name : {"--representation", "--prior"})
    if (verb.count(name) == 0)
      throw UsageError(std::string(name) + " is missing",
                       "--representation and --prior go together: see --help");
  generate_from_prior(call, options);
}

}  // namespace

void add_generate(CLI::App& app, Call& call) {
  auto* verb = add_verb(
      app, "generate",
      "Generate media of any size with a prior, or clips with a MoCoGAN. A prior (--representation, --prior) "
      "generates in a form that it was never trained on (a panorama, a longer video or sound, an object), by Algorithm 1 of document langevin. Each round renders the object, inverts the "
      "views, perturbs them (churn) and fits the object to the result. A run that was killed goes on from OUT.partial.safetensors when "
      "the same command is given again.\n\n"
      "A MoCoGAN (--model): clips of any length (document mocogan). What is seen and how it moves are drawn apart: hold either, go from one "
      "to another, ask for an action, or begin with an image of your own.",
      "reprise generate --representation panorama --prior landscapes.safetensors --label night --length 6 --guidance 1.5 --out night.png\n"
      "  reprise generate --representation image --prior digits.safetensors --from half.png --known mask.png --out whole.png\n"
      "  reprise generate --representation nerf --prior solids.safetensors --label 'a red cube' --rounds 60 --out cube.gif\n"
      "  reprise generate --representation panorama --prior landscapes.safetensors --label day --label night --guidance 3 --length 8 --out dusk.png\n"
      "  reprise generate --model generator.safetensors --count 9 --frames 32 --out clips.gif\n"
      "  reprise generate --model generator.safetensors --motion 3 --content 1..2 --count 6 --out path.png\n"
      "  reprise generate --model generator.safetensors --from me.png --resize --count 4 --out me.mp4");
  const auto options = std::make_shared<PriorOptions>();
  const auto clips = std::make_shared<ClipOptions>();
  verb->add_option(
      "--from", options->from,
      "a picture to start from. It is taken as it is shown (turned as its camera was held, transparent pixels over white). Of an image, "
      "panorama or mlp it has the result's size (left out: gray); of a model with an encoder every clip begins with it");
  check_seed(
      verb->add_option("--seed", options->seed,
                       "seed of the noise, the views, the first weights; of the codes of clips")
          ->capture_default_str());
  verb->add_option("--device", options->device, "where to compute")
      ->type_name(device_type)
      ->capture_default_str();
  add_output(
      *verb, "--out", options->out,
      "the file to write, of a kind that its ending names. Of an image .png; of a video .avi, .mp4 or .gif; of audio .wav; of a nerf .avi, .mp4 or .gif (a turn around it) or "
      ".png (a strip of views); of a model .avi, .mp4 or .gif (clips beside each other) or .png (a row of frames per clip)")
      ->required();
  add_prior_options(*verb, *options, of_priors);
  add_clip_options(*verb, *clips, of_models);
  verb->callback([verb, options, clips, &call] { dispatch(*verb, call, *options, *clips); });
}

}  // namespace reprise::reproduce
