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
#include "tools/prior_items.h"

namespace reprise::reproduce {
namespace {

using nlohmann::json;

// Limits of one call: all clips are held in memory at once.
constexpr std::int64_t most_clips = 256;
constexpr std::int64_t most_frames = 10'000;

/// One half of a clip's codes, its content or its motion, and the seeds that fix it.
struct Half {
  const char* name;  ///< "content", "motion"
  bool motion;
  std::optional<CodeSeeds> seeds;

  bool between() const { return seeds && seeds->to; }
};
Half content_half(const ClipOptions& o) { return {"content", false, o.content}; }
Half motion_half(const ClipOptions& o) { return {"motion", true, o.motion}; }

void check_half(const Half& half, std::int64_t count) {
  if (half.between() && count < 2)
    throw UsageError(
        fmt::format("--count {}: an interpolation of {} needs 2 clips or more", count, half.name),
        "give --count 2 or more; the first and last clip are the two ends");
}

/// Parses SEED or FROM..TO. Throws a UsageError for other texts.
CodeSeeds parse_code_seeds(const std::string& option, const std::string& text) {
  const auto seed = [&](const std::string& part) {
    const auto number = whole_number(part);
    if (!number || *number < 0)
      throw UsageError(fmt::format("{} {}: '{}' is no seed", option, text, part),
                       "give a whole number of 0 or more, as 7, or two, as 1..9");
    return static_cast<std::uint64_t>(*number);
  };
  // One seed fixes the half; two seeds are the ends of an interpolation.
  const auto dots = text.find("..");
  if (dots == std::string::npos) return {.from = seed(text)};
  return {.from = seed(text.substr(0, dots)), .to = seed(text.substr(dots + 2))};
}

/// Checks the options as far as that is possible without reading a file.
void check(const ClipOptions& options) {
  const auto content = content_half(options);
  check_half(content, options.count);
  check_half(motion_half(options), options.count);
  if (!options.from.empty() && content.seeds)
    throw UsageError("--from IMAGE and --content both set the content", "leave out one of them");
  // --resize has nothing to act on without a picture.
  if (options.resize && options.from.empty())
    throw UsageError("--resize needs --from IMAGE", "leave out --resize, or add --from");
  check_ending(options.out, {".png", ".gif", ".mp4", ".avi"});
}

models::ClipCodes draw_codes_of_seed(const models::TrainedMocogan& trained,
                                     const ClipOptions& options, std::int64_t count,
                                     std::uint64_t seed, std::int64_t frames) {
  const auto action =
      options.action.empty()
          ? at::Tensor()
          : at::full({count}, models::find_action(trained, options.action), at::kLong);
  return models::draw_codes(trained.G->options(), count, frames, Random(seed).split("content"),
                            Random(seed).split("motion"), action);
}

/// Returns the codes of all clips. A half that is fixed or interpolated uses draw 0 of its seeds.
/// Otherwise clip i uses draw i of --seed.
models::ClipCodes choose_codes(const models::TrainedMocogan& trained, const ClipOptions& options,
                               std::int64_t frames) {
  auto codes = draw_codes_of_seed(trained, options, options.count, options.seed, frames);
  const auto put = [&](const Half& half,
                       const std::vector<at::Tensor models::ClipCodes::*>& parts) {
    if (!half.seeds) return;
    const auto a = draw_codes_of_seed(trained, options, 1, half.seeds->from, frames);
    const auto b =
        half.between() ? draw_codes_of_seed(trained, options, 1, *half.seeds->to, frames) : a;
    for (const auto part : parts)
      codes.*part = half.between() ? models::interpolate_codes(a.*part, b.*part, options.count)
                                   : (a.*part).expand_as(codes.*part);
    // Actions are categories and cannot be interpolated.
    if (half.motion && a.z_A.defined()) codes.z_A = a.z_A.expand_as(codes.z_A);
  };
  put(content_half(options), {&models::ClipCodes::z_C});
  put(motion_half(options), {&models::ClipCodes::h_0, &models::ClipCodes::epsilon});
  return codes;
}

models::EncodedImages encode_image(models::TrainedMocogan& trained, const ClipOptions& options) {
  if (!trained.E)
    throw UsageError(
        options.model.string() + " has no encoder: it takes no --from IMAGE",
        "give the generator.safetensors of a cell image_to_video/SET/mocogan of study mocogan");
  if (!std::filesystem::is_regular_file(options.from))
    throw UsageError(options.from.string() + ": there is no such image",
                     "give an existing image with --from");
  const auto& of = trained.G->options();
  try {
    const auto image = read_item(options.from, of.channels, of.side, of.side,
                                 options.resize ? Size::Resized : Size::Exact);
    const torch::NoGradGuard no_grad;
    // The encoder gives one code; all clips start from it.
    const auto codes = trained.E->forward(image.clamp(-1, 1).to(at::Device(options.device)));
    return {.z_C = codes.z_C.expand({options.count, -1}),
            .h_0 = codes.h_0.expand({options.count, -1})};
  } catch (const UsageError& error) {
    throw UsageError(
        error.problem(),
        options.resize
            ? error.fix()
            : error.fix() + ", or add --resize, which crops and resizes it to the model's size");
  }
}

/// Describes the half of clip i: "content 7", "content 0, draw 3", "content 7 to 9, 0.25".
std::string describe_half(const Half& half, const ClipOptions& options, std::int64_t i) {
  if (!half.seeds) return fmt::format("{} {}, draw {}", half.name, options.seed, i);
  if (!half.between()) return fmt::format("{} {}", half.name, half.seeds->from);
  return fmt::format("{} {} to {}, {:.2f}", half.name, half.seeds->from, *half.seeds->to,
                     static_cast<double>(i) / static_cast<double>(options.count - 1));
}

/// Describes content, motion and, if the model has actions, the action of each clip.
std::vector<std::string> describe_clips(const models::TrainedMocogan& trained,
                                        const models::ClipCodes& codes,
                                        const ClipOptions& options) {
  std::vector<std::string> labels;
  for (std::int64_t i = 0; i < options.count; ++i) {
    labels.push_back(options.from.empty() ? describe_half(content_half(options), options, i)
                                          : "from the image");
    labels.back() += "\n" + describe_half(motion_half(options), options, i);
    if (codes.z_A.defined())
      labels.back() +=
          "\naction " + models::action_name(trained, codes.z_A[i].argmax().item<std::int64_t>());
  }
  return labels;
}

/// Writes clips [N, T, C, S, S] in [-1, 1] as strips (.png) or as an animated grid.
void write_clips(const ClipOptions& options, const at::Tensor& clips,
                 const std::vector<std::string>& labels) {
  const auto frames = datasets::to_pixels(clips.expand({-1, -1, 3, -1, -1}))
                          .permute({0, 1, 3, 4, 2})
                          .cpu()
                          .contiguous();
  if (options.out.extension() == ".png")
    return datasets::write_png(options.out, datasets::draw_strips(frames, labels));
  write_animation(options.out, arrange_in_grid(datasets::enlarge(frames)), frames_per_second);
}

}  // namespace

void add_clip_options(CLI::App& verb, ClipOptions& options, const std::string& group) {
  const auto add = [&](const char* name, auto& value, const char* what) {
    return verb.add_option(name, value, what)->group(group);
  };
  add("--model", options.model,
      "trained MoCoGAN: generator.safetensors of a cell of study mocogan. Its cells are "
      "generated/SET/mocogan, actions/SET/... and image_to_video/SET/mocogan");
  add("--count", options.count, "number of clips")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, most_clips));
  add("--frames", options.frames, "frames per clip (default: as in training)")
      ->check(CLI::Range(std::int64_t{1}, most_frames));
  const auto add_seeds = [&](const std::string& name, std::optional<CodeSeeds>& seeds,
                             const char* what) {
    verb.add_option_function<std::string>(
            name, [name, &seeds](const std::string& text) { seeds = parse_code_seeds(name, text); },
            what)
        ->group(rarely_used(group));
  };
  add_seeds("--content", options.content,
            "seed of the content of all clips, or FROM..TO to interpolate between two seeds "
            "(spherically)");
  add_seeds("--motion", options.motion,
            "seed of the motion of all clips, or FROM..TO to interpolate between two seeds");
  add("--action", options.action,
      "name or number of the action of all clips (default: drawn with the motion). A wrong "
      "name lists the actions");
  verb.add_flag("--resize", options.resize,
                "crop the centre of --from and resize it to the model's frame size")
      ->group(rarely_used(group));
}

void generate_clips(const Call& call, ClipOptions options) {
  check(options);
  options.device = choose_device(options.device);
  auto trained = models::load_mocogan(options.model, at::Device(options.device));
  // A file can hold any number of channels, but a picture has 1 or 3.
  const auto channels = trained.G->options().channels;
  if (channels != 1 && channels != 3)
    throw UsageError(fmt::format("{}: frames of {} channels cannot be shown as pictures",
                                 options.model.string(), channels),
                     "give a generator of gray (1 channel) or colour (3 channels) frames");
  const auto frames = options.frames.value_or(trained.metadata.frames);
  auto codes = choose_codes(trained, options, frames);
  // The picture replaces the content and the start of the motion.
  if (!options.from.empty())
    codes = models::start_codes_from(encode_image(trained, options), codes);
  const auto clips = models::decode_clips(trained.G, codes);
  // Nothing is written if a value is not finite.
  check_finite(clips, "a clip");
  const auto labels = describe_clips(trained, codes, options);
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
