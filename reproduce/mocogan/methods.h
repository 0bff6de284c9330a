// The generators that study mocogan trains, by the settings of a profile.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "reproduce/settings.h"
#include "training/generator.h"

namespace reprise::reproduce::mocogan_study {

/// MoCoGAN and its ablations, VGAN and TGAN, with sizes and recipes of the sections [mocogan], [vgan], [tgan] and [recipe]. A training
/// stores its state at `checkpoint` ("": nowhere) and goes on from there.
std::vector<training::GeneratorMethod> generators(const Settings& settings, const std::filesystem::path& checkpoint = {});

}  // namespace reprise::reproduce::mocogan_study
