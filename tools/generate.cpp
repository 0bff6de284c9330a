// `reprise generate`: media by a trained network. --model or --prior selects the network and
// thereby the options that apply.
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

/// Throws a UsageError if an option of `group` is given, which `chosen` does not take.
void refuse_options(const CLI::App& verb, const std::string& group, const std::string& chosen) {
  std::vector<std::string> given;
  for (const auto* option : verb.get_options())
    if (option->get_group().starts_with(group) && option->count() > 0)
      given.push_back(option->get_name());
  if (given.empty()) return;
  // The advice names the options that the other kind of network needs.
  const bool priors = group == of_priors;
  throw UsageError(
      fmt::format("{} {} not an option of {}", join(given, ", "), given.size() == 1 ? "is" : "are",
                  chosen),
      priors ? "it needs --representation and --prior: leave it out, or leave out --model"
             : "it needs --model FILE: leave it out, or give --model in place of --representation "
               "and --prior");
}

/// Generates with the model or the prior, whichever is given.
void dispatch(const CLI::App& verb, const Call& call, const PriorOptions& options,
              ClipOptions clips) {
  if (!clips.model.empty()) {
    refuse_options(verb, of_priors, "generate --model");
    // These options apply to both kinds of networks and are parsed once.
    clips.from = options.from;
    clips.out = options.out;
    clips.seed = options.seed;
    clips.device = options.device;
    return generate_clips(call, clips);
  }
  if (options.representation.empty() && options.prior.empty())
    throw UsageError(
        "generate needs a trained network",
        "give --model FILE (a MoCoGAN), or --representation NAME and --prior FILE (a diffusion "
        "prior)");
  refuse_options(verb, of_models, "generate --prior");
  for (const auto* name : {"--representation", "--prior"})
    if (verb.count(name) == 0)
      throw UsageError(std::string(name) + " is missing",
                       "give both --representation and --prior; see --help");
  generate_from_prior(call, options);
}

}  // namespace

void add_generate(CLI::App& app, Call& call) {
  auto* verb = add_command(
      app, "generate",
      "Generate media of any size with a prior, or clips with a MoCoGAN.\n"
      "\n"
      "With a prior (--representation, --prior): forms that the prior was not trained on, "
      "such as a panorama, a longer video or sound, or a 3-D object. Uses Algorithm 1 of "
      "document langevin: each round renders the result, inverts the views, perturbs them "
      "(churn) and fits the result to them. The same command resumes an interrupted run "
      "from OUT.partial.safetensors.\n"
      "\n"
      "With a MoCoGAN (--model): clips of any length (document mocogan). Content and "
      "motion are drawn separately. Each can be fixed or interpolated, and the action and "
      "the first image can be chosen.",
      "reprise generate --representation panorama --prior landscapes.safetensors --label night "
      "--length 6 --guidance 1.5 --out night.png\n"
      "reprise generate --model generator.safetensors --count 9 --frames 32 --out clips.gif\n"
      "reprise generate --representation image --prior digits.safetensors --from half.png "
      "--known mask.png --out whole.png\n"
      "reprise generate --representation nerf --prior solids.safetensors --label 'a red cube' "
      "--rounds 60 --out cube.gif\n"
      "reprise generate --representation panorama --prior landscapes.safetensors --label day "
      "--label night --guidance 3 --length 8 --out dusk.png\n"
      "reprise generate --model generator.safetensors --motion 3 --content 1..2 --count 6 "
      "--out path.png\n"
      "reprise generate --model generator.safetensors --from me.png --resize --count 4 "
      "--out me.mp4");
  const auto options = std::make_shared<PriorOptions>();
  const auto clips = std::make_shared<ClipOptions>();
  verb->add_option(
      "--from", options->from,
      "picture to start from. Orientation tags are applied, and transparent pixels are put "
      "on white. image, panorama, mlp: a picture of the result's size (default: gray). "
      "MoCoGAN with an encoder: the first image of every clip");
  check_seed(
      verb->add_option("--seed", options->seed,
                       "seed of the noise, views and initial weights, or of the clips' codes")
          ->capture_default_str());
  add_device(*verb, options->device);
  add_output(*verb, "--out", options->out,
             "file to write, in the format of its ending. image, panorama, mlp: .png. video: "
             ".avi, .mp4 or .gif. audio: .wav. nerf: .avi, .mp4 or .gif (turntable) or .png "
             "(strip of views). MoCoGAN: .avi, .mp4 or .gif (grid of clips) or .png (one row of "
             "frames per clip)")
      ->required();
  add_prior_options(*verb, *options, of_priors);
  add_clip_options(*verb, *clips, of_models);
  verb->callback([verb, options, clips, &call] { dispatch(*verb, call, *options, *clips); });
}

}  // namespace reprise::reproduce
