#include "tools/generate_clips.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/error.h"
#include "core/text.h"
#include "datasets/formats/clip_sheets.h"
#include "datasets/formats/images.h"
#include "experiments/run/device.h"
#include "models/adversarial/trained_mocogan.h"
#include "tools/help.h"
#include "tools/prior_use.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

constexpr std::int64_t most_clips = 256, most_frames = 10'000;

/// What decides one half of a clip's codes, its content or its motion.
struct Half {
  const char* name;  ///< "content", "motion"
  bool motion;
  std::optional<CodeSeeds> seeds;

  bool between() const { return seeds && seeds->to; }
};
Half content_of(const ClipOptions& o) { return {"content", false, o.content}; }
Half motion_of(const ClipOptions& o) { return {"motion", true, o.motion}; }

void check_half(const Half& half, std::int64_t count) {
  if (half.between() && count < 2)
    throw UsageError(fmt::format("--count {} from one {} to another", count, half.name),
                     "ask for 2 clips or more: both ends are among them");
}

/// UsageError: neither SEED nor FROM..TO.
CodeSeeds code_seeds(const std::string& option, const std::string& text) {
  const auto seed = [&](const std::string& part) {
    const auto number = whole_number(part);
    if (!number || *number < 0)
      throw UsageError(fmt::format("{} {}: '{}' is no seed", option, text, part),
                       "a seed is a whole number, 0 or more: 7, or 1..9");
    return static_cast<std::uint64_t>(*number);
  };
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {.from = seed(text)};
  return {.from = seed(text.substr(0, dots)), .to = seed(text.substr(dots + 2))};
}

/// What can be known to be wrong without a file.
void check(const ClipOptions& options) {
  const auto content = content_of(options);
  check_half(content, options.count);
  check_half(motion_of(options), options.count);
  if (!options.from.empty() && content.seeds)
    throw UsageError("--from IMAGE gives the content, and --content does, too",
                     "leave one of both out");
  if (options.resize && options.from.empty())
    throw UsageError("--resize is of --from IMAGE, which is missing", "leave it out");
  check_ending(options.out, {".png", ".gif", ".mp4", ".avi"});
}

models::ClipCodes drawn(const models::TrainedMocogan& trained, const ClipOptions& options,
                        std::int64_t count, std::uint64_t seed, std::int64_t frames) {
  const auto action =
      options.action.empty()
          ? at::Tensor()
          : at::full({count}, models::find_action(trained, options.action), at::kLong);
  return models::draw_codes(trained.G->options(), count, frames, Random(seed).split("content"),
                            Random(seed).split("motion"), action);
}

/// A half that is fixed or lies between two seeds has draw 0 of these; else clip i has draw i of
/// --seed.
models::ClipCodes codes_of(const models::TrainedMocogan& trained, const ClipOptions& options,
                           std::int64_t frames) {
  auto codes = drawn(trained, options, options.count, options.seed, frames);
  const auto put = [&](const Half& half,
                       const std::vector<at::Tensor models::ClipCodes::*>& parts) {
    if (!half.seeds) return;
    const auto a = drawn(trained, options, 1, half.seeds->from, frames);
    const auto b = half.between() ? drawn(trained, options, 1, *half.seeds->to, frames) : a;
    for (const auto part : parts)
      codes.*part = half.between() ? models::interpolate_codes(a.*part, b.*part, options.count)
                                   : (a.*part).expand_as(codes.*part);
    if (half.motion && a.z_A.defined())
      codes.z_A = a.z_A.expand_as(codes.z_A);  // there is nothing between two actions
  };
  put(content_of(options), {&models::ClipCodes::z_C});
  put(motion_of(options), {&models::ClipCodes::h_0, &models::ClipCodes::epsilon});
  return codes;
}

models::EncodedImages encoded(models::TrainedMocogan& trained, const ClipOptions& options) {
  if (!trained.E)
    throw UsageError(
        options.model.string() + " has no encoder: it takes no --from IMAGE",
        "give a generator.safetensors with one, of a cell image_to_video/SET/mocogan of study mocogan");
  if (!std::filesystem::is_regular_file(options.from))
    throw UsageError(options.from.string() + ": there is no such image",
                     "name an image that exists");
  const auto& of = trained.G->options();
  try {
    const auto image = read_item(options.from, of.channels, of.side, of.side,
                                 options.resize ? Size::Resized : Size::Exact);
    const torch::NoGradGuard no_grad;
    const auto codes = trained.E->forward(image.clamp(-1, 1).to(at::Device(options.device)));
    return {.z_C = codes.z_C.expand({options.count, -1}),
            .h_0 = codes.h_0.expand({options.count, -1})};
  } catch (const UsageError& error) {
    throw UsageError(
        error.problem(),
        options.resize
            ? error.fix()
            : error.fix() + "; --resize takes the central part of an image to the model's size");
  }
}

/// What clip i has of a half, in words: "content 7", "content 0, draw 3", "content 7 to 9, 0.25".
std::string said_of(const Half& half, const ClipOptions& options, std::int64_t i) {
  if (!half.seeds) return fmt::format("{} {}, draw {}", half.name, options.seed, i);
  if (!half.between()) return fmt::format("{} {}", half.name, half.seeds->from);
  return fmt::format("{} {} to {}, {:.2f}", half.name, half.seeds->from, *half.seeds->to,
                     static_cast<double>(i) / static_cast<double>(options.count - 1));
}

/// Content, motion and, where there are any, the action of each clip.
std::vector<std::string> labels_of_clips(const models::TrainedMocogan& trained,
                                         const models::ClipCodes& codes,
                                         const ClipOptions& options) {
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < options.count; ++i) {
    labels.push_back(options.from.empty() ? said_of(content_of(options), options, i)
                                          : "from the image");
    labels.back() += "\n" + said_of(motion_of(options), options, i);
    if (codes.z_A.defined())
      labels.back() +=
          "\naction " + models::action_name(trained, codes.z_A[i].argmax().item<std::int64_t>());
  }
  return labels;
}

/// clips: [N, T, C, S, S].
void write_clips(const ClipOptions& options, const at::Tensor& clips,
                 const std::vector<std::string>& labels) {
  const auto frames = datasets::to_pixels(clips.expand({-1, -1, 3, -1, -1}))
                          .permute({0, 1, 3, 4, 2})
                          .cpu()
                          .contiguous();
  if (options.out.extension() == ".png")
    return datasets::write_png(options.out, datasets::draw_strips(frames, labels));
  write_animation(options.out, side_by_side(datasets::enlarge(frames)), frames_per_second);
}

}  // namespace

void add_clip_options(CLI::App& verb, ClipOptions& options, const std::string& group) {
  const auto add = [&](const char* name, auto& value, const char* what) {
    return verb.add_option(name, value, what)->group(group);
  };
  add("--model", options.model,
      "generator.safetensors of a cell generated/SET/mocogan, actions/SET/... or image_to_video/SET/mocogan");
  add("--count", options.count, "how many clips")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, most_clips));
  add("--frames", options.frames, "frames of each clip; left out: as many as it was trained on")
      ->check(CLI::Range(std::int64_t{1}, most_frames));
  const auto add_seeds = [&](const std::string& name, std::optional<CodeSeeds>& seeds,
                             const char* what) {
    verb.add_option_function<std::string>(
            name, [name, &seeds](const std::string& text) { seeds = code_seeds(name, text); }, what)
        ->group(rarely_used(group));
  };
  add_seeds(
      "--content", options.content,
      "SEED: all clips show the same; FROM..TO: their contents go from one seed's to another's (spherical interpolation)");
  add_seeds("--motion", options.motion,
            "SEED: all clips move alike; FROM..TO: their motions go from one seed's to another's");
  add("--action", options.action,
      "name or number of the action of all clips; a wrong one lists the actions; left out: drawn with the motion");
  verb.add_flag("--resize", options.resize,
                "bring the central part of --from to the size of the model's frames")
      ->group(rarely_used(group));
}

void generate_clips(const Call& call, ClipOptions options) {
  check(options);
  options.device = chosen_device(options.device);
  auto trained = models::load_mocogan(options.model, at::Device(options.device));
  const auto channels = trained.G->options().channels;
  if (channels != 1 && channels != 3)
    throw UsageError(fmt::format("{}: frames of {} channels, which no picture shows",
                                 options.model.string(), channels),
                     "give a generator of gray or coloured frames");
  const auto frames = options.frames.value_or(trained.metadata.frames);
  auto codes = codes_of(trained, options, frames);
  if (!options.from.empty()) codes = models::start_codes_from(encoded(trained, options), codes);
  const auto clips = models::decode_clips(trained.G, codes);
  check_finite(clips, "a clip");
  const auto labels = labels_of_clips(trained, codes, options);
  write_clips(options, clips, labels);
  json described = json::array();
  for (const auto& label : labels) described.push_back(label);
  call.answer({{"file", options.out.string()},
               {"model", trained.metadata.source},
               {"data", trained.metadata.data},
               {"count", options.count},
               {"frames", frames},
               {"clips", described}},
              fmt::format("{}: {} clips of {} frames by {}\n", options.out.string(), options.count,
                          frames, trained.metadata.source));
}

}  // namespace reprise::reproduce
