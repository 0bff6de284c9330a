// The generators that study mocogan trains, by the settings of a profile.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "experiments/study.h"
#include "training/adversarial.h"

namespace reprise::reproduce::mocogan_study {

/// MoCoGAN and its ablations, VGAN and TGAN, with sizes and recipes of the sections [mocogan], [lengths], [vgan], [tgan] and [recipe].
std::vector<training::GeneratorMethod> generators(const Settings& settings);
/// One of them, by its own sections alone. Its training stores its state at `checkpoint` and goes on from there.
training::GeneratorMethod generator(const std::string& name, const Settings& settings, const std::filesystem::path& checkpoint);
/// Those sections.
std::vector<std::string> sections_of(const std::string& method);

/// The method of the context's cell, trained on `examples`; their labels are for those that can be asked for a class. Its curves, how its
/// training went and its weights are noted and stored; clips of training have `frames` frames. It is looked at as it learns, as
/// [recipe] looks says.
std::unique_ptr<training::AdversarialGenerator> trained_generator(const training::Examples& examples, std::int64_t frames,
                                                                  CellContext& context, training::AdversarialGenerator::Look look = {});

/// Of the weights and the training of a cell's generator.
std::uint64_t seed_of_training(const records::Cell& cell);

}  // namespace reprise::reproduce::mocogan_study
