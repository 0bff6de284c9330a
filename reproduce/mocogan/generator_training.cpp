// Training of a cell's generator, its metrics and its weights.
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

/// Stores a generator. A MoCoGAN's file suffices to use it (`reprise generate --model`); other
/// files hold the weights only.
void store_generator(const training::Generator& generator, std::int64_t frames, bool conditional,
                     CellContext& context) {
  const auto file = context.folder / "generator.safetensors";
  const auto& cell = context.record.cell;
  const auto* mocogan = dynamic_cast<const models::Mocogan*>(&generator);
  if (!mocogan) return training::save_weights(generator, file);
  models::save_mocogan(
      {.metadata = {.data = cell.dataset,
                    .source = cell.id(),
                    .frames = frames,
                    .actions = conditional ? class_names(cell.dataset, context.data)
                                           : std::vector<std::string>{}},
       .G = mocogan->network()},
      file);
}

}  // namespace

std::uint64_t training_seed(const records::Cell& cell) {
  return seed_of({"mocogan", "learned", cell.method, std::to_string(cell.seed)});
}

std::unique_ptr<training::AdversarialGenerator> train_generator(
    const training::Examples& examples, std::int64_t frames, CellContext& context,
    training::AdversarialGenerator::Evaluate evaluate) {
  const auto& cell = context.record.cell;
  const auto checkpoint = context.folder / "checkpoint.safetensors";
  const auto method = make_generator(cell.method, context.settings, checkpoint);
  auto made = method.make();
  // Methods make generators of the base class; those of this study are adversarial.
  std::unique_ptr<training::AdversarialGenerator> trained(
      &dynamic_cast<training::AdversarialGenerator&>(*made));
  std::ignore = made.release();
  const at::Device device(context.device);
  auto learned = examples;
  learned.x = learned.x.to(device);
  if (learned.labels.defined()) learned.labels = learned.labels.to(device);
  // Unconditional generators never see labels.
  if (!method.conditional) learned.labels = at::Tensor();
  trained->set_evaluate(std::move(evaluate));
  trained->fit(learned, training_seed(cell), context.progress);
  const auto& report = trained->report();
  context.store.write_curves(cell, report.curves);
  record_adversarial(report, context.record);
  store_generator(*trained, frames, method.conditional, context);
  // The generator is stored, so its checkpoint can go.
  std::filesystem::remove(checkpoint);
  record_network(*trained, context.record);
  return trained;
}

}  // namespace reprise::reproduce::mocogan_study
