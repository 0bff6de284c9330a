// The generator of a cell: trained, noted in the cell's record, and stored.
#include <filesystem>
#include <tuple>

#include "core/random.h"
#include "experiments/adversarial_training.h"
#include "experiments/names.h"
#include "models/adversarial/mocogan.h"
#include "models/adversarial/trained_mocogan.h"
#include "reproduce/mocogan/cells.h"
#include "reproduce/mocogan/clip_sets.h"
#include "reproduce/mocogan/methods.h"
#include "training/adversarial.h"
#include "training/module_state.h"

namespace reprise::reproduce::mocogan_study {
namespace {

/// A MoCoGAN's file says all that is needed to use it (`reprise generate --model`); another generator's has its weights alone.
void store_generator(const training::Generator& generator, std::int64_t frames, bool conditional, CellContext& context) {
  const auto file = context.folder / "generator.safetensors";
  const auto& cell = context.record.cell;
  const auto* mocogan = dynamic_cast<const models::Mocogan*>(&generator);
  if (!mocogan) return training::save_weights(generator, file);
  models::save_mocogan({.facts = {.data = cell.dataset,
                                  .source = cell.id(),
                                  .frames = frames,
                                  .actions = conditional ? class_names(cell.dataset, context.data) : std::vector<std::string>{}},
                        .G = mocogan->network()},
                       file);
}

}  // namespace

std::uint64_t seed_of_training(const records::Cell& cell) {
  return seed_of({"mocogan", "learned", cell.method, std::to_string(cell.seed)});
}

std::unique_ptr<training::AdversarialGenerator> trained_generator(const training::Examples& examples, std::int64_t frames,
                                                                  CellContext& context, training::AdversarialGenerator::Look look) {
  const auto& cell = context.record.cell;
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto method = generator(cell.method, context.settings, checkpoint);
  auto made = method.make();
  std::unique_ptr<training::AdversarialGenerator> trained(&dynamic_cast<training::AdversarialGenerator&>(*made));
  std::ignore = made.release();
  const at::Device device(context.device);
  auto learned = examples;
  learned.x = learned.x.to(device);
  if (learned.labels.defined()) learned.labels = learned.labels.to(device);
  if (!method.conditional) learned.labels = at::Tensor();
  trained->set_look(std::move(look));
  trained->fit(learned, seed_of_training(cell), context.progress);
  const auto& report = trained->report();
  context.store.write_curves(cell, report.curves);
  note_adversarial(report, context.record);
  store_generator(*trained, frames, method.conditional, context);
  std::filesystem::remove(checkpoint);
  note_network(*trained, context.record);
  return trained;
}

}  // namespace reprise::reproduce::mocogan_study
