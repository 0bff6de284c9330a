// Table image_to_video: an encoder maps unseen first frames to codes of a trained generator. Its
// clips are compared with clips made without an encoder.
#include "metrics/image_to_video.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "baselines/image_clips.h"
#include "core/random.h"
#include "experiments/adversarial_training.h"
#include "metrics/shape_clips.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// Tolerances of a first frame: a fraction of the side for its place, levels of 255 for its colour.
/// Unrelated clips are about a third of the side and 160 levels away.
constexpr double place_bound = 1.0 / 16;
constexpr double colour_bound = 64;

/// Loads first frames of a part's clips, [n, 3, S, S].
at::Tensor load_first_images(Part part, std::int64_t n, const CellContext& context) {
  return load_clips(context.record.cell.dataset, part, n, context).x.select(1, 0).contiguous();
}

/// Trains an encoder for this seed's generator. One file holds both: `reprise generate --model FILE
/// --from IMAGE`.
models::TrainedMocogan train_encoder(const std::string& method, std::uint64_t seed,
                                     CellContext& context) {
  const auto& settings = context.settings;
  auto trained = load_trained_mocogan(method, context);
  trained.metadata.source = context.record.cell.id();
  trained.E = models::ImageEncoder(
      trained.G->options(),
      models::ImageEncoderOptions{.width = settings.integer("image_to_video.width")});
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto images = load_first_images(Part::Training, settings.integer("clips.training"), context)
                          .to(at::Device(context.device));
  const auto report =
      models::fit_encoder(trained.E, trained.G, images,
                          {.steps = settings.integer("image_to_video.steps"),
                           .batch = settings.integer("image_to_video.batch"),
                           .learning_rate = settings.number("image_to_video.learning_rate"),
                           .lambda = settings.number("image_to_video.lambda"),
                           .checkpoint = checkpoint},
                          seed, context.progress);
  models::save_mocogan(trained, context.folder / "generator.safetensors");
  std::filesystem::remove(checkpoint);
  context.store.write_curves(context.record.cell, {{"train_loss", report.train_loss},
                                                   {"validation_error", report.validation_error}});
  for (const auto& [phase, seconds] : report.seconds) context.record.seconds[phase] = seconds;
  record_network(*trained.E, context.record);
  return trained;
}

/// Makes a clip for each image by the cell's method.
at::Tensor continue_images(const at::Tensor& images, CellContext& context) {
  const auto& own = context.record.cell;
  const auto n = images.size(0);
  const auto frames = context.settings.integer("clips.frames");
  const auto seed = seed_of({"mocogan", "image_to_video", own.method, std::to_string(own.seed)});
  if (own.method == repeat_row) return baselines::repeat_frames(images, frames);
  if (own.method == nearest_row)
    return baselines::find_nearest_clips(
        images,
        load_clips(own.dataset, Part::Training, context.settings.integer("clips.training"), context)
            .x);
  // Unrelated clips come from the generator of the first method.
  if (own.method == unrelated_row)
    return models::sample_clips(
        load_trained_mocogan(context.settings.texts("image_to_video.methods").front(), context).G,
        {.count = n, .content_seed = seed, .motion_seed = seed, .frames = frames});
  // The encoder gives the codes of the first frame; later motion codes are random.
  auto trained = train_encoder(own.method, seed, context);
  const torch::NoGradGuard no_grad;
  return models::decode_clips(
      trained.G, models::start_codes_from(trained.E->forward(images.to(at::Device(context.device))),
                                          models::draw_codes(trained.G->options(), n, frames,
                                                             Random(seed).split("content"),
                                                             Random(seed).split("motion"))));
}

void record_continuation(const metrics::ContinuationScores& scores, std::int64_t n,
                         CellContext& context) {
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol) {
    context.record.metrics.push_back({.name = name,
                                      .value = value,
                                      .unit = "",
                                      .direction = better,
                                      .protocol = fmt::format("{}, N={}", protocol, n)});
  };
  const std::string place = "first frame against the image, pixels",
                    colour = "first frame against the image, 0..255";
  add("place_error", scores.place_error, Direction::LowerIsBetter, place);
  add("place_bound", place_bound * context.settings.number("clips.size"), Direction::LowerIsBetter,
      place);
  add("colour_error", scores.colour_error, Direction::LowerIsBetter, colour);
  add("colour_bound", colour_bound, Direction::LowerIsBetter, colour);
  add("acd", scores.acd, Direction::LowerIsBetter, metrics::acd_protocol);
  add("step", scores.step, Direction::HigherIsBetter, "pixels a frame");
  add("jump", scores.jump, Direction::Neither, "pixels, from the first frame to the second");
  add("empty", scores.empty, Direction::LowerIsBetter, "fraction of frames");
}

}  // namespace

void run_image_to_video(CellContext& context) {
  const auto n = context.settings.integer("clips.test");
  const auto images = load_first_images(Part::Test, n, context);
  const auto clips = continue_images(images, context);
  record_continuation(metrics::continuation_scores(images, clips), n, context);
  if (context.record.cell.seed == 0)
    write_clip_images(context, "clips", at::cat({images.unsqueeze(1), clips}, 1));
}

}  // namespace reprise::reproduce::mocogan_study
