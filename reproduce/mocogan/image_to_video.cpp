// Image to video: an encoder of a trained generator is given first frames that nothing was trained
// on, and its clips are held against ones made without it.
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

/// A first frame is the image's own within a sixteenth of the side and a quarter of the colour
/// scale; unrelated clips are a third of the side and 160 away.
constexpr double place_bound = 1.0 / 16, colour_bound = 64;

/// The first frames of clips of a part: [n, 3, S, S].
at::Tensor first_images(Part part, std::int64_t n, const CellContext& context) {
  return clips_of(context.record.cell.dataset, part, n, context).x.select(1, 0).contiguous();
}

/// An encoder for the generator of this replicate, and both in one file: `reprise generate --model
/// FILE --from IMAGE`.
models::TrainedMocogan with_encoder(const std::string& method, std::uint64_t seed,
                                    CellContext& context) {
  const auto& settings = context.settings;
  auto trained = trained_mocogan(method, context);
  trained.facts.source = context.record.cell.id();
  trained.E = models::ImageEncoder(
      trained.G->options(),
      models::ImageEncoderOptions{.width = settings.integer("image_to_video.width")});
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto images = first_images(Part::Training, settings.integer("clips.training"), context)
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
  note_network(*trained.E, context.record);
  return trained;
}

/// A clip for each image, by the cell's method.
at::Tensor clips_from(const at::Tensor& images, CellContext& context) {
  const auto& own = context.record.cell;
  const auto n = images.size(0), frames = context.settings.integer("clips.frames");
  const auto seed = seed_of({"mocogan", "image_to_video", own.method, std::to_string(own.seed)});
  if (own.method == repeat_row) return baselines::repeated_frames(images, frames);
  if (own.method == nearest_row)
    return baselines::nearest_clips(
        images,
        clips_of(own.dataset, Part::Training, context.settings.integer("clips.training"), context)
            .x);
  if (own.method == unrelated_row)
    return models::sample_clips(
        trained_mocogan(context.settings.texts("image_to_video.methods").front(), context).G,
        {.count = n, .content_seed = seed, .motion_seed = seed, .frames = frames});
  auto trained = with_encoder(own.method, seed, context);
  const torch::NoGradGuard no_grad;
  return models::clips_of_codes(
      trained.G, models::continued(trained.E->forward(images.to(at::Device(context.device))),
                                   models::draw_codes(trained.G->options(), n, frames,
                                                      Random(seed).split("content"),
                                                      Random(seed).split("motion"))));
}

void note_continuation(const metrics::ContinuationScores& scores, std::int64_t n,
                       CellContext& context) {
  const auto add = [&](const std::string& name, double value, Direction better,
                       const std::string& protocol) {
    context.record.metrics.push_back(
        {name, value, "", better, fmt::format("{}, N={}", protocol, n)});
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
  const auto images = first_images(Part::Test, n, context);
  const auto clips = clips_from(images, context);
  note_continuation(metrics::continuation_scores(images, clips), n, context);
  if (context.record.cell.seed == 0)
    draw_clips(context, "clips", at::cat({images.unsqueeze(1), clips}, 1));
}

}  // namespace reprise::reproduce::mocogan_study
