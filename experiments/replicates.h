// What one seed of a study resamples, and the options of its trainings.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "datasets/splits.h"
#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "training/fit.h"

namespace reprise::reproduce {

/// The seed of what lies beneath the methods: data, splits, and networks that serve all methods. By the setting `replicates`:
/// "everything": the cell's own, so that seeds are independent; "weights": 0, so that a seed renews only what a method draws itself (first
/// weights, order of clips, noise). Guarding wants the second: all seeds are judged on the same items, and what seeds scatter is small.
std::int64_t data_seed(const Settings& settings, std::int64_t seed);

/// The seeds of 0 .. seeds - 1 for which such a network has a cell: all, or 0 alone.
std::int64_t data_seeds(const Settings& settings);

/// Whether a page shows this seed where it shows one alone, so that its cells leave pictures and curves too large for all: seed 0, and the
/// first of the confirmation seeds.
bool is_shown(const Settings& settings, std::int64_t seed);

/// A setting of three numbers: the fractions for training, validation and test. UsageError: not three.
datasets::Shares shares_of(const Settings& settings, const std::string& key);

/// A file of weights that comes with this project, as a setting names it below the project's folder; "" for none. UsageError: the
/// file is not there.
std::filesystem::path kept_weights(const std::string& setting, const DataFolder& data);

/// "float32", "bfloat16" or "auto". UsageError: another word; lists these.
training::Precision named_precision(const std::string& word);

/// The options of a training: warmup_steps, clip_norm, patience, ema_decay, weight_decay and precision of this section of the profile.
training::FitOptions fit_options(const Settings& settings, const std::string& section, std::int64_t epochs, std::uint64_t seed,
                                 const std::filesystem::path& checkpoint = {});

}  // namespace reprise::reproduce
