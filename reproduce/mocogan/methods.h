// The generators that study mocogan trains, by the settings of a profile.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reproduce/study.h"
#include "training/adversarial.h"

namespace reprise::reproduce::mocogan_study {

/// MoCoGAN and its ablations, VGAN and TGAN, with sizes and recipes of the sections [mocogan], [vgan], [tgan] and [recipe]. A training
/// stores its state at `checkpoint` ("": nowhere) and goes on from there.
std::vector<training::GeneratorMethod> generators(const Settings& settings, const std::filesystem::path& checkpoint = {});

/// The method of the context's cell, trained on `examples`; their labels are for those that can be asked for a class. Its curves, how its
/// training went and its weights are noted and stored; clips of training have `frames` frames. It is looked at as it learns, as
/// [recipe] looks says.
std::unique_ptr<training::AdversarialGenerator> trained_generator(const training::Examples& examples, std::int64_t frames,
                                                                  CellContext& context, training::AdversarialGenerator::Look look = {});

/// Of the weights and the training of a cell's generator.
std::uint64_t seed_of_training(const records::Cell& cell);

}  // namespace reprise::reproduce::mocogan_study
