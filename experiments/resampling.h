// What one seed of a study resamples, and options that all trainings read from the settings.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "datasets/splits.h"
#include "experiments/data_folder.h"
#include "experiments/settings.h"
#include "training/fit.h"

namespace reprise::reproduce {

/// Returns the seed of data, splits and networks that serve all methods, by the setting
/// `resampled`.
/// "everything": the cell's own seed, so that seeds are independent. "weights": 0, so that seeds
/// differ only in a method's own random draws (first weights, order of clips, noise). Regression
/// checks use "weights": all seeds have the same items and scatter little.
std::int64_t data_seed(const Settings& settings, std::int64_t seed);

/// Returns the number of seeds that have a cell for such a network: all, or 1.
std::int64_t data_seeds(const Settings& settings);

/// Whether a page shows this seed when it shows only one: seed 0, and the first confirmation seed.
/// Only these cells keep pictures and large curves.
bool is_shown(const Settings& settings, std::int64_t seed);

/// Reads a setting of three fractions for training, validation and test. UsageError: not three
/// numbers.
datasets::SplitFractions split_fractions(const Settings& settings, const std::string& key);

/// Returns a committed file of weights, named relative to the project's folder; "" for none.
/// UsageError: it does not exist.
std::filesystem::path committed_weights(const std::string& setting, const DataFolder& data);

/// Parses "float32", "bfloat16" or "auto". UsageError: another word; lists these.
training::Precision named_precision(const std::string& word);

/// Reads the options of a training from this section: warmup_steps, clip_norm, patience, ema_decay,
/// weight_decay and precision.
training::FitOptions fit_options(const Settings& settings, const std::string& section,
                                 std::int64_t epochs, std::uint64_t seed,
                                 const std::filesystem::path& checkpoint = {});

}  // namespace reprise::reproduce
