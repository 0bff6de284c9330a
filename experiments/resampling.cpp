#include "experiments/resampling.h"

#include "core/error.h"
#include "experiments/names.h"
#include "experiments/seeds.h"

namespace reprise::reproduce {
namespace {

bool shares_data(const Settings& settings) { return settings.text("resampled") == "weights"; }

}  // namespace

std::int64_t data_seed(const Settings& settings, std::int64_t seed) {
  // "weights": every seed uses the data of seed 0, and only the training varies.
  return shares_data(settings) ? 0 : seed;
}

std::int64_t data_seeds(const Settings& settings) {
  return shares_data(settings) ? 1 : settings.integer("seeds");
}

bool is_shown(const Settings& settings, std::int64_t seed) {
  // Pages show the first exploration seed and the first confirmation seed.
  if (seed == 0) return true;
  const auto confirm = confirmation_seeds(settings);
  return !confirm.empty() && seed == confirm.front();
}

datasets::SplitFractions split_fractions(const Settings& settings, const std::string& key) {
  const auto shares = settings.numbers(key);
  if (shares.size() != 3)
    throw UsageError(key + " is not three numbers",
                     "give the fractions for training, validation and test, as [0.65, 0.15, 0.2]");
  return {shares[0], shares[1], shares[2]};
}

std::filesystem::path committed_weights(const std::string& setting, const DataFolder& data) {
  // "" means that the network is trained instead.
  return setting.empty() ? std::filesystem::path() : data.file_of_project(setting);
}

training::Precision named_precision(const std::string& word) {
  using enum training::Precision;
  return named_value<training::Precision>(
      {{"float32", Float32}, {"bfloat16", BFloat16}, {"auto", Auto}}, "precision", word);
}

training::FitOptions fit_options(const Settings& settings, const std::string& section,
                                 std::int64_t epochs, std::uint64_t seed,
                                 const std::filesystem::path& checkpoint) {
  const auto key = [&](const char* name) { return section + "." + name; };
  return {.epochs = epochs,
          .warmup_steps = settings.integer(key("warmup_steps")),
          .clip_norm = settings.number(key("clip_norm")),
          .patience = settings.integer(key("patience")),
          .ema_decay = settings.number(key("ema_decay")),
          .weight_decay = settings.number(key("weight_decay")),
          .seed = seed,
          .precision = named_precision(settings.text(key("precision"))),
          .checkpoint = checkpoint};
}

}  // namespace reprise::reproduce
