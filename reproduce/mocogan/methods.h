// The generators that study mocogan trains, with the settings of a profile.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "training/adversarial.h"

namespace reprise::reproduce::mocogan_study {

/// Lists MoCoGAN and its ablations, VGAN and TGAN, with sizes and recipes of sections [mocogan],
/// [lengths], [vgan], [tgan] and [recipe].
std::vector<training::GeneratorMethod> list_generators(const Settings& settings);
/// Makes one of them, from its own sections. Its training stores its state at `checkpoint`, and
/// resumes from there.
training::GeneratorMethod make_generator(const std::string& name, const Settings& settings,
                                         const std::filesystem::path& checkpoint);
/// Lists the sections of settings that a method reads.
std::vector<std::string> recipe_sections(const std::string& method);

/// Trains the method of the context's cell on `examples`, with clips of `frames` frames.
///
/// Only conditional generators get the labels. The cell keeps its curves, report and weights.
/// [recipe] looks sets the evaluations during training.
std::unique_ptr<training::AdversarialGenerator> train_generator(
    const training::Examples& examples, std::int64_t frames, CellContext& context,
    training::AdversarialGenerator::Evaluate evaluate = {});

/// Returns the random seed of the weights and the training of a cell's generator.
std::uint64_t training_seed(const records::Cell& cell);

}  // namespace reprise::reproduce::mocogan_study
