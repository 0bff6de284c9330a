// A generator: trained, and scored by its clips.
#include <torch/torch.h>

#include <filesystem>

#include "core/random.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clips.h"
#include "reproduce/mocogan/methods.h"
#include "reproduce/names.h"
#include "training/adversarial.h"
#include "training/module_state.h"
#include "training/torch_generator.h"

namespace reprise::reproduce::mocogan_study {
namespace {

using records::Direction;

/// What training said of itself: its curves, whether it collapsed, and whether D had won at its end.
void note_training(const training::AdversarialReport& report, CellContext& context) {
  auto& record = context.record;
  context.store.write_curves(record.cell, report.curves);
  record.metrics.push_back(
      {"collapsed", report.collapsed_since >= 0 ? 1.0 : 0.0, "", Direction::LowerIsBetter, "diversity below 0.05 at the end"});
  record.metrics.push_back(
      {"discriminator_won", report.won_since >= 0 ? 1.0 : 0.0, "", Direction::Neither, "accuracy above 0.99 at the end"});
  record.metrics.push_back({"bfloat16", report.precision == training::Precision::BFloat16 ? 1.0 : 0.0, "", Direction::Neither,
                            "passes in bfloat16 rather than float32"});
  for (const auto& [phase, seconds] : report.seconds) record.seconds[phase] = seconds;
}

/// A MoCoGAN's file says all that is needed to use it (`reprise generate --model`); another generator's has its weights alone.
void store_generator(const training::Generator& generator, bool conditional, CellContext& context) {
  const auto file = context.folder / "generator.safetensors";
  const auto& cell = context.record.cell;
  const auto* mocogan = dynamic_cast<const models::Mocogan*>(&generator);
  if (!mocogan) return training::save_weights(generator, file);
  models::save_mocogan({.facts = {.data = cell.dataset,
                                  .source = cell.id(),
                                  .frames = context.settings.integer("clips.frames"),
                                  .actions = conditional ? class_names(cell.dataset, context.data) : std::vector<std::string>{}},
                        .G = mocogan->network()},
                       file);
}

/// How many frames of each of n clips are known, lengths.shortest to clips.frames as often as one another: [n], int64.
at::Tensor drawn_lengths(std::int64_t n, const CellContext& context) {
  const auto shortest = context.settings.integer("lengths.shortest"), longest = context.settings.integer("clips.frames");
  return torch::randint(shortest, longest + 1, {n},
                        training::torch_generator(seed_of({"mocogan", "lengths", std::to_string(context.record.cell.seed)})), at::kLong);
}

}  // namespace

void run_generated(CellContext& context) {
  const auto& cell = context.record.cell;
  const ScoreBench bench(context);
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto methods = generators(context.settings, checkpoint);
  const auto& method = find_named(methods, "generator", cell.method);
  const auto generator = method.make();
  auto learned = bench.training();
  if (!method.conditional) learned.labels = at::Tensor();
  if (cell.method == lengths_row) learned.lengths = drawn_lengths(learned.x.size(0), context);
  const auto seed = seed_of({"mocogan", "trained", cell.method, std::to_string(cell.seed)});
  generator->fit(learned, seed, context.progress);
  note_training(dynamic_cast<const training::AdversarialGenerator&>(*generator).report(), context);
  store_generator(*generator, method.conditional, context);
  std::filesystem::remove(checkpoint);
  std::int64_t parameters = 0;
  for (const auto& parameter : generator->parameters()) parameters += parameter.numel();
  context.record.parameters["generator"] = parameters;
  at::Tensor asked;
  if (method.conditional)
    asked = torch::arange(bench.count()).remainder(static_cast<std::int64_t>(class_names(cell.dataset, context.data).size()));
  const auto clips =
      generator->sample({.count = bench.count(), .seed = seed + 1, .labels = asked, .frames = context.settings.integer("clips.frames")});
  bench.note(clips, asked, context);
  if (cell.seed == 0) draw_clips(context, "clips", clips);
}

}  // namespace reprise::reproduce::mocogan_study
